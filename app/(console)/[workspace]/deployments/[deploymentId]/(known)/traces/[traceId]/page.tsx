import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/hydrated'
import { TracePage } from '@/components/traces/trace-page'
import { TREE_START, treeStartQuery } from '@/components/traces/tree-query'
import { pricesQuery } from '@/lib/queries/prices'
import { pageWorkspace } from '@/lib/server/page-actor'
import { prefetchRead } from '@/lib/server/prefetch'
import { listPrices } from '@/lib/server/prices'
import { readTree } from '@/lib/server/trace-tree'
import { recordingOfRun } from '../../../../../recordings'

export const metadata: Metadata = { title: 'Trace' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/traces/[traceId]'>) {
  const { workspace, deploymentId, traceId } = await params
  await pageWorkspace(workspace)
  const [recording] = await Promise.all([
    // A server gives a run's trace the run's id.
    recordingOfRun(workspace, deploymentId, traceId),
    prefetchRead(treeStartQuery(workspace, traceId).queryKey, (signal) =>
      readTree({ workspace, trace: traceId }, { limit: TREE_START }, { signal }),
    ),
    prefetchRead(pricesQuery(workspace).queryKey, () => listPrices(workspace)),
  ])
  return (
    <Hydrated>
      <TracePage workspace={workspace} deployment={deploymentId} trace={traceId} recording={recording} />
    </Hydrated>
  )
}
