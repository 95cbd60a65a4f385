import type { Metadata } from 'next'
import { CompareVersions } from '@/components/assistants/compare-versions'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { assistantQuery } from '@/lib/queries/assistants'
import { pageActor } from '@/lib/server/access/page-actor'
import { listAssistantChanges } from '@/lib/server/records/changes'
import { prefetch } from '@/lib/server/relay/prefetch'

export const metadata: Metadata = { title: 'Compare versions' }

export default async function Page({
  params,
}: PageProps<'/[workspace]/deployments/[deploymentId]/assistants/[assistantId]/compare'>) {
  const { workspace, deploymentId, assistantId } = await params
  const place = { workspace, deploymentId, assistant: decodeURIComponent(assistantId) }
  const actor = await pageActor()
  const [changes] = await Promise.all([
    listAssistantChanges(actor, place).catch(() => []),
    prefetch(assistantQuery(workspace, deploymentId, place.assistant)),
  ])
  return (
    <Hydrated>
      <CompareVersions {...place} changes={changes} />
    </Hydrated>
  )
}
