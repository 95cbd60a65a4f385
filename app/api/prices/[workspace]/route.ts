import { servePrices } from '@/lib/server/records/prices'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/prices/[workspace]'>) {
  return await servePrices(request, (await params).workspace)
}
