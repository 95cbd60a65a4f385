import { serveAudit } from '@/lib/server/resources/changes/audit'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/audit/[workspace]'>) {
  return await serveAudit(request, (await params).workspace)
}
