import { downloadRecording } from '@/lib/server/records/recording-export'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/[workspace]/deployments/[deploymentId]/runs/[recordingId]/file'>,
) {
  return await downloadRecording(request, await params)
}
