import { exportDeployments } from '@/lib/server/resources/deployments-export'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/export/[workspace]/deployments'>) {
  return await exportDeployments(request, (await params).workspace)
}
