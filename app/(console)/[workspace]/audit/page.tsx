import type { Metadata } from 'next'
import { AuditPage } from '@/components/audit/audit-page'
import { ForAdmins } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listAudit, verifyAudit } from '@/lib/server/records/audit'

export const metadata: Metadata = { title: 'Audit' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/audit'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (!isAtLeast(current.role, 'admin')) return <ForAdmins title="Audit" role={current.role} />
  const search = await searchParams
  const before = Number(search.before)
  const page = await listAudit(actor, {
    workspace: current.slug,
    ...(Number.isSafeInteger(before) && before > 0 && { before }),
  })
  // Verifying reads the whole trail, so it runs only on request.
  const report = search.verify === undefined ? undefined : await verifyAudit(actor, current.slug)
  return (
    <AuditPage
      workspace={current.slug}
      entries={page.entries}
      next={page.next}
      isFirst={!(before > 0)}
      report={report && { isWhole: report.isWhole, rows: report.rows, problems: report.problems, at: Date.now() }}
    />
  )
}
