import type { Metadata } from 'next'
import { listenerQueryOf } from '@/components/settings/listeners/list-query'
import { ListenersPage } from '@/components/settings/listeners/listeners-page'
import { ForMembers } from '@/components/shared/feedback/empty-state'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { isLimited } from '@/lib/contracts/wire/rights'
import { listenerRowsQuery } from '@/lib/queries/listeners'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { readListenerRows } from '@/lib/server/resources/listeners'

export const metadata: Metadata = { title: 'Listeners' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/settings/listeners'>) {
  const { actor, current } = await pageWorkspace((await params).workspace)
  if (isLimited(current.rights)) return <ForMembers title="Listeners" />
  const query = listenerQueryOf(new URLSearchParams(Object.entries(await searchParams) as [string, string][]))
  await prefetchRead(listenerRowsQuery(current.slug, query).queryKey, (signal) =>
    readListenerRows(current.slug, query, { actor, signal }),
  )
  return (
    <Hydrated>
      <ListenersPage workspace={current.slug} platformUrl={current.baseUrl ?? ''} />
    </Hydrated>
  )
}
