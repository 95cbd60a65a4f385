import type { Metadata } from 'next'
import { RetentionPage } from '@/components/settings/retention/retention-page'
import { ForAdmins, ForMembers } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { isLimited } from '@/lib/contracts/wire/rights'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { readAuditKept } from '@/lib/server/records/audit-retention'
import { readRetention } from '@/lib/server/records/retention'
import { readPlatformRetention } from '@/lib/server/resources/platform-retention'

export const metadata: Metadata = { title: 'Retention' }

export default async function Page({ params }: PageProps<'/[workspace]/settings/retention'>) {
  const { actor, current, all } = await pageWorkspace((await params).workspace)
  if (isLimited(current.rights)) return <ForMembers title="Retention" />
  if (!isAtLeast(current.role, 'admin')) return <ForAdmins title="Retention" role={current.role} />
  const [usage, audit, platform] = await Promise.all([
    readRetention(actor, current.slug),
    readAuditKept(actor, current.slug),
    readPlatformRetention(current.slug, actor),
  ])
  const sharedWith = all.filter(({ slug, baseUrl }) => slug !== current.slug && baseUrl === current.baseUrl)
  return (
    <RetentionPage
      {...{ workspace: current.slug, usage, audit, platform, sharedWith: sharedWith.map(({ name }) => name) }}
    />
  )
}
