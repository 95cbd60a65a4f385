import { serveAlerts } from '@/lib/server/alerts/serve'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/alerts/[workspace]'>) {
  return await serveAlerts(request, (await params).workspace)
}
