import { serveRunRows } from '@/lib/server/run-rows/read'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/runs/[workspace]'>) {
  return await serveRunRows(request, (await params).workspace)
}
