import { serveExperiment } from '@/lib/server/experiments/run'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/experiments/[workspace]/[experimentId]'>) {
  const { workspace, experimentId: id } = await params
  return await serveExperiment(request, { workspace, id })
}
