import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { TREE_START, treeStartQuery } from '@/components/traces/common/tree-query'
import { TracePage } from '@/components/traces/trace/trace-page'
import { pricesQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listPrices } from '@/lib/server/records/prices'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { foreignProject } from '@/lib/server/resources/trace-project'
import { readTree } from '@/lib/server/resources/trace-tree'
import { recordingOfRun } from '../../../../../recordings'

export const metadata: Metadata = { title: 'Trace' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/traces/[traceId]'>) {
  const { workspace, deploymentId, traceId } = await params
  const { actor } = await pageWorkspace(workspace)
  const place = { workspace, deploymentId }
  const [recording, project] = await Promise.all([
    // A run's trace has the run's id.
    recordingOfRun(workspace, deploymentId, traceId),
    foreignProject(place, traceId, actor),
    prefetchRead(treeStartQuery(workspace, traceId).queryKey, (signal) =>
      readTree({ workspace, trace: traceId }, { limit: TREE_START }, { signal }),
    ),
    prefetchRead(pricesQuery(workspace).queryKey, () => listPrices(actor, workspace)),
  ])
  if (project) redirect(routes.projectTrace(workspace, project, traceId, { run: (await searchParams).run?.toString() }))
  return (
    <Hydrated>
      <TracePage place={place} trace={traceId} recording={recording} />
    </Hydrated>
  )
}
