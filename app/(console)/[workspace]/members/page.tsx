import type { Metadata } from 'next'
import { MembersPage } from '@/components/members/members-page'
import { isAtLeast } from '@/lib/contracts/api'
import { EVERYWHERE, roleOf, sessionActor } from '@/lib/server/actor'
import { listMembers } from '@/lib/server/members'

export const metadata: Metadata = { title: 'Members' }

export default async function Page({ params }: PageProps<'/[workspace]/members'>) {
  const { workspace } = await params
  const actor = await sessionActor()
  const role = await roleOf(actor, EVERYWHERE)
  return (
    <MembersPage
      workspace={workspace}
      members={await listMembers(actor, workspace)}
      self={actor.id}
      administersAccounts={role !== null && isAtLeast(role, 'admin')}
    />
  )
}
