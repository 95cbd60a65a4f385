import { serveThreadRecordings } from '@/lib/server/resources/runs/thread-recordings'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/api/recordings/[workspace]/[deploymentId]/[threadId]'>,
) {
  const { workspace, deploymentId, threadId } = await params
  return await serveThreadRecordings(request, { workspace, deploymentId, thread: threadId })
}
