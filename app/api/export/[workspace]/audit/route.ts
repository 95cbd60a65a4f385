import { exportAudit } from '@/lib/server/resources/changes/audit'

export const dynamic = 'force-dynamic'

export async function GET(request: Request, { params }: RouteContext<'/api/export/[workspace]/audit'>) {
  return await exportAudit(request, (await params).workspace)
}
