import { assistantQuery } from '@/lib/queries/assistants'
import { pageActor } from '@/lib/server/access/page-actor'
import { listAssistantChanges } from '@/lib/server/records/changes'
import { prefetch } from '@/lib/server/relay/prefetch'

type Params = { workspace: string; deploymentId: string; assistantId: string }

/** Prefetches the assistant and returns its place and the changes made through the console. */
export async function assistantPageData(params: Promise<Params>) {
  const { workspace, deploymentId, assistantId } = await params
  const place = { workspace, deploymentId, assistant: decodeURIComponent(assistantId) }
  const actor = await pageActor()
  const [changes] = await Promise.all([
    // Optional: the page works without them.
    listAssistantChanges(actor, place).catch(() => []),
    prefetch(assistantQuery(workspace, deploymentId, place.assistant)),
  ])
  return { ...place, changes }
}
