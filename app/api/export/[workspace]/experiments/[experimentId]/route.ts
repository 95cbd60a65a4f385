import { exportExperiment } from '@/lib/server/experiments/export'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/api/export/[workspace]/experiments/[experimentId]'>,
) {
  const { workspace, experimentId: id } = await params
  return await exportExperiment(request, { workspace, id })
}
