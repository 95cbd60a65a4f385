import { serveProtocol } from '@/lib/server/protocols/serve'

export const dynamic = 'force-dynamic'

export async function POST(request: Request, { params }: RouteContext<'/api/protocols/[workspace]/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  return await serveProtocol(request, { workspace, deploymentId })
}
