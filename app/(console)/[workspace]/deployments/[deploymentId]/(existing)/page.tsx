import { DeploymentOverview } from '@/components/deployments/deployment-overview'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { OVERVIEW_REVISIONS } from '@/lib/queries/deployments'
import { revisionsQuery } from '@/lib/queries/revisions'
import { prefetch } from '@/lib/server/relay/prefetch'
import { offeredAt } from '@/lib/server/resources/capabilities'
import { visibleRecordings } from '../../../recordings'

/** How long the page's response waits for an unresponsive agent server. */
const PATIENCE_MS = 4_000

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]'>) {
  const { workspace, deploymentId } = await params
  const place = { workspace, deploymentId }
  // Not awaited: the page must work while its agent server is down.
  const offered = offeredAt(place, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null)
  const [recent] = await Promise.all([
    visibleRecordings({ ...place, limit: 20 }),
    prefetch(revisionsQuery(workspace, deploymentId, OVERVIEW_REVISIONS)),
  ])
  return (
    <Hydrated>
      <DeploymentOverview workspace={workspace} deploymentId={deploymentId} recent={recent} offered={offered} />
    </Hydrated>
  )
}
