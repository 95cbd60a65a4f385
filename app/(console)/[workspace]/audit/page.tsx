import type { Metadata } from 'next'
import { AuditPage } from '@/components/audit/audit-page'
import { auditQueryOf } from '@/components/audit/list-query'
import { ForAdmins, ForMembers } from '@/components/shared/feedback/empty-state'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { isLimited } from '@/lib/contracts/wire/rights'
import { auditQuery } from '@/lib/queries/audit'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { lastAuditReport, verifyAudit } from '@/lib/server/records/audit'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { readAuditPage } from '@/lib/server/resources/changes/audit'

export const metadata: Metadata = { title: 'Audit' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/audit'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  const { slug, role } = current
  if (isLimited(current.rights)) return <ForMembers title="Audit" />
  if (!isAtLeast(role, 'admin')) return <ForAdmins title="Audit" role={role} />
  const search = await searchParams
  const query = auditQueryOf(new URLSearchParams(search as Record<string, string>))
  await prefetchRead(auditQuery(slug, query).queryKey, () => readAuditPage(slug, query, actor))
  // Verifying reads the whole trail, so it runs only on request.
  const report = search.verify === undefined ? await lastAuditReport(actor, slug) : await verifyAudit(actor, slug)
  return (
    <Hydrated>
      <AuditPage workspace={slug} report={report} />
    </Hydrated>
  )
}
