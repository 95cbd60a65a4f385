import { exportAuditTrail } from '@/lib/server/resources/changes/audit'

export const dynamic = 'force-dynamic'

export async function GET(request: Request) {
  return await exportAuditTrail(request)
}
