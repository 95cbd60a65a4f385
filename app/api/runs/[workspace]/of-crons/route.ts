import { serveLastCronRuns } from '@/lib/server/resources/runs/cron-runs'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/runs/[workspace]/of-crons'>) {
  return await serveLastCronRuns(request, (await params).workspace)
}
