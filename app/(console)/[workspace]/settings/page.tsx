import type { Metadata } from 'next'
import { SettingsPage } from '@/components/settings/settings-page'
import { isAtLeast } from '@/lib/contracts/api'
import { EVERYWHERE, roleOf, sessionActor } from '@/lib/server/actor'
import { listDirectServers } from '@/lib/server/direct-servers'
import { listWorkspaces } from '@/lib/server/workspaces'

export const metadata: Metadata = { title: 'Settings' }

export default async function Page({ params }: PageProps<'/[workspace]/settings'>) {
  const { workspace } = await params
  const actor = await sessionActor()
  const workspaces = await listWorkspaces(actor)
  const current = workspaces.find(({ slug }) => slug === workspace)
  if (!current) return null // the layout has said so
  const role = await roleOf(actor, EVERYWHERE)
  return (
    <SettingsPage
      current={current}
      servers={current.kind === 'direct' ? await listDirectServers(workspace) : []}
      mayChange={role !== null && isAtLeast(role, 'admin')}
    />
  )
}
