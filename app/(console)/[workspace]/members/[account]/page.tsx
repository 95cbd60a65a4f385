import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { MemberSessionsPage } from '@/components/account/account-page'
import { ForAdmins } from '@/components/shared/feedback/empty-state'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { EVERYWHERE, roleOf } from '@/lib/server/access/actor'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listMembers } from '@/lib/server/records/members'
import { listSessions } from '@/lib/server/records/sessions'

export const metadata: Metadata = { title: 'Sessions' }

export default async function Page({ params }: PageProps<'/[workspace]/members/[account]'>) {
  const { workspace, account } = await params
  const { actor, current } = await pageWorkspace(workspace)
  const role = await roleOf(actor, EVERYWHERE)
  if (!role || !isAtLeast(role, 'admin')) return <ForAdmins title="Sessions" role={current.role} isOfConsole />
  const member = (await listMembers(actor, current.slug)).find((one) => one.account === account)
  if (!member) notFound()
  return <MemberSessionsPage account={account} email={member.email} sessions={await listSessions(actor, account)} />
}
