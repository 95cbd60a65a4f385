import type { Metadata } from 'next'
import { AccountPage } from '@/components/account/account-page'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { readPasskeys } from '@/lib/server/audit/passkeys'
import { listSessions } from '@/lib/server/records/sessions'

export const metadata: Metadata = { title: 'Your account' }

export default async function Page({ params }: PageProps<'/[workspace]/account'>) {
  const { actor } = await pageWorkspace((await params).workspace)
  const [sessions, passkeys] = await Promise.all([listSessions(actor, actor.id), readPasskeys(actor)])
  return <AccountPage account={actor.id} email={actor.email} sessions={sessions} passkeys={passkeys} />
}
