import { serveListenerRows } from '@/lib/server/resources/listeners'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/deployments/[workspace]/listeners'>) {
  return await serveListenerRows(request, (await params).workspace)
}
