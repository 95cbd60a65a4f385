import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { DeploymentsPage } from '@/components/deployments/deployments-page'
import { isFavouritesOnly, listQueryOf } from '@/components/deployments/list-query'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listFavourites } from '@/lib/server/records/favourites'
import { listViews } from '@/lib/server/records/saved-views'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { readDeploymentRows } from '@/lib/server/resources/deployment-rows'

export const metadata: Metadata = { title: 'Deployments' }

export default async function Page({ params, searchParams }: PageProps<'/[workspace]/deployments'>) {
  const { workspace } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const actor = await pageActor()
  // Optional, as are the views: the page works without them.
  const favourites = isFavouritesOnly(search) ? await listFavourites(actor, workspace).catch(() => []) : []
  const query = listQueryOf(search, favourites)
  const [views] = await Promise.all([
    listViews(actor, { workspace, page: 'deployments' }).catch(() => []),
    prefetchRead(deploymentRowsQuery(workspace, query).queryKey, (signal) =>
      readDeploymentRows(workspace, query, { actor, signal }),
    ),
  ])
  const opened = search.size === 0 ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(
      routes.deployments(workspace, { ...Object.fromEntries(new URLSearchParams(opened.query)), view: opened.id }),
    )
  return (
    <Hydrated>
      <DeploymentsPage workspace={workspace} views={views} />
    </Hydrated>
  )
}
