import type { Metadata } from 'next'
import Link from 'next/link'
import { SettingsPage } from '@/components/settings/settings-page'
import { ForMembers } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { isLimited } from '@/lib/contracts/wire/rights'
import { routes } from '@/lib/routes'
import { EVERYWHERE, roleOf } from '@/lib/server/access/actor'
import { visibleServers } from '@/lib/server/access/direct-servers'
import { pageWorkspace } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Settings' }

const OwnTokens = ({ workspace }: { workspace: string }) => (
  <Link className="text-accent hover:underline" href={routes.tokens(workspace)}>
    Your API tokens
  </Link>
)

export default async function Page({ params }: PageProps<'/[workspace]/settings'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (isLimited(current.rights)) return <ForMembers title="Settings" action={<OwnTokens workspace={current.slug} />} />
  const role = await roleOf(actor, EVERYWHERE)
  return (
    <SettingsPage
      current={current}
      servers={current.kind === 'direct' ? await visibleServers(actor, current.slug) : []}
      mayChange={role !== null && isAtLeast(role, 'admin')}
    />
  )
}
