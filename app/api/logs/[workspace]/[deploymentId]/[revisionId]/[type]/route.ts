import { downloadLog } from '@/lib/server/resources/logs/log-download'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: RouteContext<'/api/logs/[workspace]/[deploymentId]/[revisionId]/[type]'>,
) {
  return await downloadLog(request, await params)
}
