import { serveForkPoint } from '@/lib/server/resources/runs/fork-point'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/api/forks/[workspace]/[deploymentId]/[threadId]'>,
) {
  const { workspace, deploymentId, threadId } = await params
  return await serveForkPoint(request, { workspace, deploymentId, thread: threadId })
}
