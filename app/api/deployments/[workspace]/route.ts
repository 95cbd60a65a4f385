import { serveDeploymentRows } from '@/lib/server/resources/deployment-rows'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/deployments/[workspace]'>) {
  return await serveDeploymentRows(request, (await params).workspace)
}
