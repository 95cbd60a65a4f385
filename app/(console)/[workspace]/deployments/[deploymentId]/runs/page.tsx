import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { UnlessNoServer } from '@/components/deployments/no-server'
import { runRowsQueryOf } from '@/components/runs/list/list-query'
import { RunsList } from '@/components/runs/list/runs-list'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pickableAssistants } from '@/lib/queries/assistants'
import { deploymentQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listViews } from '@/lib/server/records/saved-views'
import { prefetch, prefetchRead } from '@/lib/server/relay/prefetch'
import { readRunRows } from '@/lib/server/resources/runs/list'
import { visibleRecordings } from '../../../recordings'

export const metadata: Metadata = { title: 'Runs' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs'>) {
  const { workspace, deploymentId } = await params
  const search = new URLSearchParams(Object.entries(await searchParams) as [string, string][])
  const actor = await pageActor()
  const query = runRowsQueryOf(search, deploymentId)
  const [views] = await Promise.all([
    // Optional: the page works without them.
    listViews(actor, { workspace, page: 'runs' }).catch(() => []),
    prefetchRead(runRowsQuery(workspace, query).queryKey, () => readRunRows(workspace, query, actor)),
    assertDeploymentOrRecordings(workspace, deploymentId),
    // Only for names: recordings are shown even if their server is down.
    prefetch(pickableAssistants(workspace, deploymentId)).catch(() => undefined),
  ])
  const opened = search.size === 0 ? views.find((view) => view.isDefault) : undefined
  if (opened)
    redirect(
      routes.runs(workspace, deploymentId, {
        ...Object.fromEntries(new URLSearchParams(opened.query)),
        view: opened.id,
      }),
    )
  return (
    <Hydrated>
      <RunsList
        workspace={workspace}
        deploymentId={deploymentId}
        views={views}
        serverNow={Date.now()}
        empty={
          <UnlessNoServer workspace={workspace} deploymentId={deploymentId}>
            <EmptyState title="No runs yet">Start one with the button above.</EmptyState>
          </UnlessNoServer>
        }
      />
    </Hydrated>
  )
}

/** Not found unless the deployment exists or has left recordings. */
async function assertDeploymentOrRecordings(workspace: string, deploymentId: string): Promise<void> {
  const { items } = await visibleRecordings({ workspace, deploymentId, limit: 1 })
  if (items.length === 0) await prefetch(deploymentQuery(workspace, deploymentId))
}
