import { serveWaiting } from '@/lib/server/inbox/inbox-thread'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/api/inbox/[workspace]/[deploymentId]/[threadId]'>,
) {
  const { workspace, deploymentId, threadId } = await params
  return await serveWaiting(request, { workspace, deploymentId, thread: threadId })
}
