import { servePrices } from '@/lib/server/prices'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/prices/[workspace]'>) {
  return await servePrices(request, (await params).workspace)
}
