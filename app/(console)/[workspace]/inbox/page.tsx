import type { Metadata } from 'next'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { Screen } from './screen'

export const metadata: Metadata = { title: 'Inbox' }

export default async function Page({ params }: PageProps<'/[workspace]/inbox'>) {
  const { workspace } = await params
  await pageWorkspace(workspace)
  return <Screen workspace={workspace} />
}
