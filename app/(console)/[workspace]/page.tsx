import type { Metadata } from 'next'
import { FAILING, FleetSummary } from '@/components/deployments/fleet-summary'
import { FAILED, FailedRuns } from '@/components/runs/list/failed-runs'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { PageHeader } from '@/components/shared/layout/page-header'
import { WorkspaceCharts } from '@/components/traces/list/workspace-charts'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { pageActor } from '@/lib/server/access/page-actor'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { readDeploymentRows } from '@/lib/server/resources/deployment-rows'
import { readRunRows } from '@/lib/server/resources/runs/list'

export const metadata: Metadata = { title: 'Home' }

/** What is wrong right now: the health of all deployments, failed runs, and the figures of the last days. */
export default async function Page({ params }: PageProps<'/[workspace]'>) {
  const { workspace } = await params
  const actor = await pageActor()
  await Promise.all([
    prefetchRead(deploymentRowsQuery(workspace, FAILING).queryKey, (signal) =>
      readDeploymentRows(workspace, FAILING, { actor, signal }),
    ),
    prefetchRead(runRowsQuery(workspace, FAILED).queryKey, () => readRunRows(workspace, FAILED, actor)),
  ])
  return (
    <Hydrated>
      <PageHeader title="Home" />
      <div className="flex flex-col gap-4">
        <div>
          <FleetSummary workspace={workspace} />
        </div>
        <FailedRuns workspace={workspace} />
        <div>
          <WorkspaceCharts workspace={workspace} />
        </div>
      </div>
    </Hydrated>
  )
}
