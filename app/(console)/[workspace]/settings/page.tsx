import type { Metadata } from 'next'
import { SettingsPage } from '@/components/settings/settings-page'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { EVERYWHERE, roleOf } from '@/lib/server/access/actor'
import { listDirectServers } from '@/lib/server/access/direct-servers'
import { pageWorkspace } from '@/lib/server/access/page-actor'

export const metadata: Metadata = { title: 'Settings' }

export default async function Page({ params }: PageProps<'/[workspace]/settings'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  const role = await roleOf(actor, EVERYWHERE)
  return (
    <SettingsPage
      current={current}
      servers={current.kind === 'direct' ? await listDirectServers(current.slug) : []}
      mayChange={role !== null && isAtLeast(role, 'admin')}
    />
  )
}
