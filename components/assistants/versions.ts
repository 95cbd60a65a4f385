import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { routes } from '@/lib/routes'

/** The largest tolerated clock difference between console and server. */
const TOLERANCE_MS = 3_000

/**
 * Who created each version from this console: the sender of the write during which, or closest to which, it was created.
 * Omits versions without such a write or with writes from several people.
 */
export function authorsOf(versions: readonly Assistant[], changes: readonly AssistantChange[]): Map<number, string> {
  const people = new Map<number, Set<string>>()
  for (const change of changes) {
    const isOfIt = (one: Assistant) => (one.version === 1) === (change.operation === 'createAssistant')
    if (change.operation === 'setLatestAssistantVersion') continue // creates no version
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

/** Milliseconds between a version's creation and a write; 0 if it was created during the write. */
function distance({ created_at }: Assistant, { at, until }: AssistantChange): number {
  const made = Date.parse(created_at ?? '')
  const off = Math.max(0, Date.parse(at) - made, made - Date.parse(until ?? at))
  return Number.isNaN(off) ? Number.POSITIVE_INFINITY : off
}

/** The parts of a version to compare, in the order of the page. */
export const comparable = ({ name, description, graph_id, context, config, metadata }: Assistant) => ({
  name: name ?? null,
  description: description ?? null,
  graph_id,
  context,
  config,
  metadata,
})

/** A new experiment with the active version and the one before it, or with the assistant if it has one version. */
export function experimentOf({ workspace, deploymentId, assistant }: AssistantPlace, { version }: Assistant) {
  const active = version ?? 1
  return routes.newExperiment(workspace, {
    deployment: deploymentId,
    assistant,
    versions: active > 1 ? `${active - 1},${active}` : undefined,
  })
}
