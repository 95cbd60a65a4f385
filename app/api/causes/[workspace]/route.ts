import { serveFailureCauses } from '@/lib/server/resources/changes/failure-causes'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/causes/[workspace]'>) {
  return await serveFailureCauses(request, (await params).workspace)
}
