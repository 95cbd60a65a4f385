import type { Metadata } from 'next'
import { pickableAssistants } from '@/components/runs/pickable-assistants'
import { RunsList } from '@/components/runs/runs-list'
import { Hydrated } from '@/components/shared/hydrated'
import { prefetch } from '@/lib/server/prefetch'
import { visibleRecordings } from '../../../recordings'

export const metadata: Metadata = { title: 'Runs' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs'>) {
  const { workspace, deploymentId } = await params
  const { after } = await searchParams
  const [page] = await Promise.all([
    visibleRecordings({ workspace, deployment: deploymentId, after: typeof after === 'string' ? after : undefined }),
    // For names only: recordings are shown without their server too.
    prefetch(pickableAssistants(workspace, deploymentId)).catch(() => undefined),
  ])
  return (
    <Hydrated>
      <RunsList workspace={workspace} deployment={deploymentId} initial={page} serverNow={Date.now()} />
    </Hydrated>
  )
}
