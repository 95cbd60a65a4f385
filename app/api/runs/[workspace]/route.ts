import { serveRunRows } from '@/lib/server/resources/runs/list'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/runs/[workspace]'>) {
  return await serveRunRows(request, (await params).workspace)
}
