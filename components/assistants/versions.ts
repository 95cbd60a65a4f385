import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'

/** The clocks of console and server may differ by this much. */
const TOLERANCE_MS = 3_000

/**
 * Who made which version from this console: a write made the one that came to be while it was under way, or nearest to it. Left out
 * are versions that no write was near, or writes of several people.
 */
export function authorsOf(versions: readonly Assistant[], changes: readonly AssistantChange[]): Map<number, string> {
  const people = new Map<number, Set<string>>()
  for (const change of changes) {
    const isOfIt = (one: Assistant) => (one.version === 1) === (change.operation === 'createAssistant')
    if (change.operation === 'setLatestAssistantVersion') continue // makes none
    const near = versions.filter(isOfIt).map((one) => ({ version: one.version ?? 0, off: distance(one, change) }))
    const least = Math.min(TOLERANCE_MS, ...near.map(({ off }) => off))
    for (const { version, off } of near)
      if (off === least) people.set(version, (people.get(version) ?? new Set()).add(change.who))
  }
  return new Map(
    [...people].flatMap(([version, names]) =>
      names.size === 1 ? [...names].map((who) => [version, who] as const) : [],
    ),
  )
}

/** How far a version came to be from the time that a write was under way, in milliseconds; 0 within. */
function distance({ created_at }: Assistant, { at, until }: AssistantChange): number {
  const made = Date.parse(created_at ?? '')
  const off = Math.max(0, Date.parse(at) - made, made - Date.parse(until ?? at))
  return Number.isNaN(off) ? Number.POSITIVE_INFINITY : off
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
