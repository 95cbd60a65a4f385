import { serveHistory } from '@/lib/server/resources/threads/history'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/api/history/[workspace]/[deploymentId]/[threadId]'>,
) {
  const { workspace, deploymentId, threadId } = await params
  return await serveHistory(request, { workspace, deploymentId, thread: threadId })
}
