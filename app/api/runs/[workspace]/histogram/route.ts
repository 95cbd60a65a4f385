import { serveRunHistogram } from '@/lib/server/resources/runs/histogram'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/runs/[workspace]/histogram'>) {
  return await serveRunHistogram(request, (await params).workspace)
}
