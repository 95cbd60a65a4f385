import type { Metadata } from 'next'
import { CreateForm } from '@/components/deployment-form/create-form'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { integrationsQuery, listenersQuery } from '@/lib/queries/deployments'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'New deployment' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/new'>) {
  const { workspace } = await params
  await prefetch(integrationsQuery(workspace), listenersQuery(workspace))
  return (
    <Hydrated>
      <CreateForm workspace={workspace} />
    </Hydrated>
  )
}
