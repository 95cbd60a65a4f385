import { recordingFile } from '@/lib/server/records/recordings'
import { download } from '@/lib/server/relay/download'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/[workspace]/deployments/[deploymentId]/runs/[recordingId]/file'>,
) {
  const { workspace, deploymentId, recordingId: recording } = await params
  return await download(request, (actor) => recordingFile(actor, { workspace, deploymentId, recording }))
}
