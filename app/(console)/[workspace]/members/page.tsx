import type { Metadata } from 'next'
import { MembersPage } from '@/components/members/members-page'
import { ForAdmins, ForMembers } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { isLimited } from '@/lib/contracts/wire/rights'
import { EVERYWHERE, roleOf } from '@/lib/server/access/actor'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { env } from '@/lib/server/process/env'
import { listInvitations } from '@/lib/server/records/invitations'
import { listMembers } from '@/lib/server/records/members'
import { namesOf } from '@/lib/server/resources/changes/audit'

export const metadata: Metadata = { title: 'Members' }

export default async function Page({ params }: PageProps<'/[workspace]/members'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (isLimited(current.rights)) return <ForMembers title="Members" />
  if (!isAtLeast(current.role, 'admin')) return <ForAdmins title="Members" role={current.role} />
  const role = await roleOf(actor, EVERYWHERE)
  const members = await listMembers(actor, current.slug)
  const invitations = await listInvitations(actor, current.slug)
  const named = [...members, ...invitations].flatMap(({ deployments }) => Object.keys(deployments))
  return (
    <MembersPage
      workspace={current.slug}
      invitations={invitations}
      origin={env().NEXTAUTH_URL}
      members={members}
      names={await namesOf(current.slug, named, actor)}
      self={actor.id}
      administersAccounts={role !== null && isAtLeast(role, 'admin')}
    />
  )
}
