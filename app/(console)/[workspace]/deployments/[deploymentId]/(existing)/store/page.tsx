import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { StorePage } from '@/components/store/store-page'
import { storePlaceOf } from '@/components/store/store-place'
import { itemsQuery, namespacesQuery } from '@/lib/queries/store'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Store' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/store'>) {
  const { workspace, deploymentId } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const { body, problem } = storePlaceOf(search)
  await prefetch(
    ...(problem ? [] : [itemsQuery(workspace, deploymentId, body)]),
    namespacesQuery(workspace, deploymentId, []),
  )
  return (
    <Hydrated>
      <StorePage workspace={workspace} deploymentId={deploymentId} />
    </Hydrated>
  )
}
