import type { Metadata } from 'next'
import { CreateForm } from '@/components/deployment-form/create-form'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { integrationsQuery, listenersQuery } from '@/lib/queries/deployments'
import { prefetch, prefetchRead } from '@/lib/server/relay/prefetch'
import { readListeners } from '@/lib/server/resources/listeners'

export const metadata: Metadata = { title: 'New deployment' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/new'>) {
  const { workspace } = await params
  await Promise.all([
    prefetch(integrationsQuery(workspace)),
    prefetchRead(listenersQuery(workspace).queryKey, (signal) => readListeners(workspace, { signal })),
  ])
  return (
    <Hydrated>
      <CreateForm workspace={workspace} />
    </Hydrated>
  )
}
