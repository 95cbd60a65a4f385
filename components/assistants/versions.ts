import type { AssistantChange } from '@/lib/contracts/assistant-edit'
import type { Assistant } from '@/lib/contracts/assistants'

/** The clocks of console and server may differ by this much. */
const TOLERANCE_MS = 3_000

/** Who made a version from this console: the one write that was under way when it came to be. Undefined where none or several were. */
export function authorOf(version: Assistant, changes: readonly AssistantChange[]): string | undefined {
  const at = Date.parse(version.created_at ?? '')
  const operation = version.version === 1 ? 'createAssistant' : 'updateAssistant'
  const near = changes.filter((change) => {
    const [from, to] = [Date.parse(change.at), Date.parse(change.until ?? change.at)]
    return change.operation === operation && at >= from - TOLERANCE_MS && at <= to + TOLERANCE_MS
  })
  const people = new Set(near.map(({ who }) => who))
  return people.size === 1 ? near[0]?.who : undefined
}

/** Of a version: what a comparison is about, in the order of the page. */
export const comparable = ({ name, description, graph_id, context, config, metadata }: Assistant) => ({
  name: name ?? null,
  description: description ?? null,
  graph_id,
  context,
  config,
  metadata,
})
