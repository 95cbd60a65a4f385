import { serveWorkspaceThreads } from '@/lib/server/resources/threads/across'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/threads/[workspace]'>) {
  return await serveWorkspaceThreads(request, (await params).workspace)
}
