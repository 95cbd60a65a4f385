/** One step down from the root graph: a node, and the task that runs it. */
export type Segment = { node: string; task: string }

export type EventName = {
  /** The mode: `values`, `messages`, `messages/partial`, `custom`, … or an unknown word. */
  mode: string
  namespace: readonly Segment[]
  /** The namespace as text; empty at the root. */
  path: string
}

const ROOT: readonly Segment[] = []
const CACHE_LIMIT = 2000
const cache = new Map<string, EventName>()

/** The segments of `node:task|node:task`. A node's name may contain colons; a task id cannot. */
export function parseNamespace(path: string): readonly Segment[] {
  if (path === '') return ROOT
  return path.split('|').map((segment) => {
    const colon = segment.lastIndexOf(':')
    return colon === -1
      ? { node: segment, task: '' }
      : { node: segment.slice(0, colon), task: segment.slice(colon + 1) }
  })
}

/** Splits an event's name: the mode before the first `|`, the namespace after it. */
export function parseEventName(name: string): EventName {
  const known = cache.get(name)
  if (known) return known
  const bar = name.indexOf('|')
  const path = bar === -1 ? '' : name.slice(bar + 1)
  const parsed = { mode: bar === -1 ? name : name.slice(0, bar), namespace: parseNamespace(path), path }
  // Names repeat, but task ids are new in every run, so the cache is cleared before it grows without end.
  if (cache.size >= CACHE_LIMIT) cache.clear()
  cache.set(name, parsed)
  return parsed
}

/** The namespace for display: node names only. */
export const displayNamespace = (namespace: readonly Segment[]): string => namespace.map(({ node }) => node).join(' › ')
