import type { Metadata } from 'next'
import { AccountPage } from '@/components/account/account-page'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listSessions } from '@/lib/server/records/sessions'

export const metadata: Metadata = { title: 'Your account' }

export default async function Page({ params }: PageProps<'/[workspace]/account'>) {
  const { actor } = await pageWorkspace((await params).workspace)
  return <AccountPage account={actor.id} email={actor.email} sessions={await listSessions(actor, actor.id)} />
}
