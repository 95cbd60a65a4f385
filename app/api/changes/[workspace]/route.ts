import { serveRecentChanges } from '@/lib/server/resources/changes/audit'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/changes/[workspace]'>) {
  return await serveRecentChanges(request, (await params).workspace)
}
