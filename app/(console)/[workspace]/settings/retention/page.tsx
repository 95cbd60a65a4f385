import type { Metadata } from 'next'
import { RetentionPage } from '@/components/settings/retention/retention-page'
import { ForAdmins } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { readRetention } from '@/lib/server/records/retention'

export const metadata: Metadata = { title: 'Retention' }

export default async function Page({ params }: PageProps<'/[workspace]/settings/retention'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (!isAtLeast(current.role, 'admin')) return <ForAdmins title="Retention" role={current.role} />
  return <RetentionPage workspace={current.slug} usage={await readRetention(actor, current.slug)} />
}
