import type { Metadata } from 'next'
import { AuditPage } from '@/components/audit/audit-page'
import { sessionActor } from '@/lib/server/actor'
import { listAudit } from '@/lib/server/audit'

export const metadata: Metadata = { title: 'Audit' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/audit'>) {
  const { workspace } = await params
  const before = Number((await searchParams).before)
  const actor = await sessionActor()
  const page = await listAudit(actor, { workspace, ...(Number.isSafeInteger(before) && before > 0 && { before }) })
  return <AuditPage workspace={workspace} entries={page.entries} next={page.next} />
}
