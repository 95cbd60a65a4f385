import { traceFile } from '@/lib/server/resources/trace-tree'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/traces/[workspace]/[traceId]/file'>) {
  const { workspace, traceId } = await params
  return await traceFile(request, { workspace, trace: traceId })
}
