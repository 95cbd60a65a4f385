import type { Metadata } from 'next'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { TREE_START, treeStartQuery } from '@/components/traces/common/tree-query'
import { ProjectTrace } from '@/components/traces/trace/project-trace'
import { pricesQuery, projectQuery } from '@/lib/queries/traces'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listPrices } from '@/lib/server/records/prices'
import { prefetch, prefetchRead } from '@/lib/server/relay/prefetch'
import { readTree } from '@/lib/server/resources/trace-tree'

export const metadata: Metadata = { title: 'Trace' }

export default async function Page({ params }: PageProps<'/[workspace]/traces/projects/[project]/[traceId]'>) {
  const { workspace, project, traceId } = await params
  const { actor } = await pageWorkspace(workspace)
  await Promise.all([
    prefetch(projectQuery(workspace, project)),
    prefetchRead(treeStartQuery(workspace, traceId).queryKey, (signal) =>
      readTree({ workspace, trace: traceId }, { limit: TREE_START }, { signal }),
    ),
    prefetchRead(pricesQuery(workspace).queryKey, () => listPrices(actor, workspace)),
  ])
  return (
    <Hydrated>
      <ProjectTrace workspace={workspace} project={project} trace={traceId} />
    </Hydrated>
  )
}
