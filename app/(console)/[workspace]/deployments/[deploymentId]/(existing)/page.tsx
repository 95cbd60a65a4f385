import type { Metadata } from 'next'
import { DeploymentOverview } from '@/components/deployments/overview/deployment-overview'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { OVERVIEW_REVISIONS } from '@/lib/queries/deployments'
import { revisionsQuery } from '@/lib/queries/revisions'
import { recentRuns, runRowsQuery } from '@/lib/queries/runs'
import { pageActor } from '@/lib/server/access/page-actor'
import { prefetch, prefetchRead } from '@/lib/server/relay/prefetch'
import { offeredAt } from '@/lib/server/resources/capabilities'
import { readRunRows } from '@/lib/server/resources/runs/list'
import { Charts } from './charts'

export const metadata: Metadata = { title: 'Overview' }

/** How long the page's response waits for an unresponsive agent server. */
const PATIENCE_MS = 4_000

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  const place = { workspace, deploymentId }
  // Not awaited: the page must work while its agent server is down.
  const offered = offeredAt(place, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null)
  const actor = await pageActor()
  const recent = recentRuns(deploymentId)
  await Promise.all([
    prefetchRead(runRowsQuery(workspace, recent).queryKey, () => readRunRows(workspace, recent, actor)),
    prefetch(revisionsQuery(workspace, deploymentId, OVERVIEW_REVISIONS)),
  ])
  return (
    <Hydrated>
      <DeploymentOverview
        workspace={workspace}
        deploymentId={deploymentId}
        offered={offered}
        charts={<Charts workspace={workspace} deploymentId={deploymentId} />}
      />
    </Hydrated>
  )
}
