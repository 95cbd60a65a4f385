import type { Metadata } from 'next'
import type { Recorded } from '@/components/runs/start/prefill'
import { StartForm } from '@/components/runs/start/start-form'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { pickableAssistants } from '@/lib/queries/assistants'
import { pageActor } from '@/lib/server/access/page-actor'
import { listTemplates } from '@/lib/server/records/run-templates'
import { prefetch } from '@/lib/server/relay/prefetch'
import type { RecordingSummary } from '@/lib/stream/log'
import { visibleRecording } from '../../../../../recordings'

export const metadata: Metadata = { title: 'New run' }

export default async function Page({
  params,
  searchParams,
}: PageProps<'/[workspace]/deployments/[deploymentId]/runs/new'>) {
  const { workspace, deploymentId } = await params
  const { assistant, thread, checkpoint, from } = await searchParams
  const actor = await pageActor()
  const [templates, recorded] = await Promise.all([
    // Optional: the form works without them.
    listTemplates(actor, { workspace, deploymentId }).catch(() => []),
    typeof from === 'string' ? visibleRecording(workspace, deploymentId, from) : undefined,
    prefetch(pickableAssistants(workspace, deploymentId)),
  ])
  return (
    <Hydrated>
      <StartForm
        workspace={workspace}
        deploymentId={deploymentId}
        assistant={typeof assistant === 'string' ? assistant : undefined}
        thread={typeof thread === 'string' ? thread : undefined}
        checkpoint={typeof checkpoint === 'string' && typeof thread === 'string' ? checkpoint : undefined}
        templates={templates}
        recorded={recorded && pickRecorded(recorded)}
      />
    </Hydrated>
  )
}

const pickRecorded = ({ id, request, assistant, thread, isStateless }: RecordingSummary): Recorded => ({
  id,
  request,
  assistant,
  thread,
  isStateless,
})
