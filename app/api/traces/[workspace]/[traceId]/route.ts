import { serveTree } from '@/lib/server/resources/trace-tree'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/traces/[workspace]/[traceId]'>) {
  const { workspace, traceId } = await params
  return await serveTree(request, { workspace, trace: traceId })
}
