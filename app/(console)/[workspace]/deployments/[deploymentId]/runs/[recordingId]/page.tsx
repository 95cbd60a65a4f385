import type { Metadata } from 'next'
import { RunScreen } from '@/components/runs/page/run-screen'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pickableAssistants } from '@/lib/queries/assistants'
import { prefetch } from '@/lib/server/relay/prefetch'
import { assistantName } from '@/lib/server/resources/runs/assistant-names'
import { visibleRecording } from '../../../../recordings'

export const metadata: Metadata = { title: 'Run' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs/[recordingId]'>) {
  const { workspace, deploymentId, recordingId } = await params
  const [summary] = await Promise.all([
    visibleRecording(workspace, deploymentId, recordingId),
    // Only for names: a recording is shown even if its server is down.
    prefetch(pickableAssistants(workspace, deploymentId)).catch(() => undefined),
  ])
  const name = await assistantName({ workspace, deploymentId }, summary.assistant)
  return (
    <Hydrated>
      <RunScreen key={summary.id} summary={summary} assistantName={name} serverNow={Date.now()} />
    </Hydrated>
  )
}
