import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { TREE_START, treeStartQuery } from '@/components/traces/common/tree-query'
import { TracePage } from '@/components/traces/trace/trace-page'
import { pricesQuery } from '@/lib/queries/traces'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listPrices } from '@/lib/server/records/prices'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { readTree } from '@/lib/server/resources/trace-tree'
import { recordingOfRun } from '../../../../../recordings'

export const metadata: Metadata = { title: 'Trace' }

export default async function Page({ params }: PageProps<'/[workspace]/deployments/[deploymentId]/traces/[traceId]'>) {
  const { workspace, deploymentId, traceId } = await params
  const { actor } = await pageWorkspace(workspace)
  const [recording] = await Promise.all([
    // A run's trace has the run's id.
    recordingOfRun(workspace, deploymentId, traceId),
    prefetchRead(treeStartQuery(workspace, traceId).queryKey, (signal) =>
      readTree({ workspace, trace: traceId }, { limit: TREE_START }, { signal }),
    ),
    prefetchRead(pricesQuery(workspace).queryKey, () => listPrices(actor, workspace)),
  ])
  return (
    <Hydrated>
      <TracePage workspace={workspace} deploymentId={deploymentId} trace={traceId} recording={recording} />
    </Hydrated>
  )
}
