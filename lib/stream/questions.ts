import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { parseNamespace, type Segment } from './wire/namespaces'

/** An open interrupt. */
export type OpenInterrupt = {
  id: string
  value: unknown
  /** JSON schema of the answer, if the server sends one. */
  schema: Record<string, unknown> | undefined
  /** The graph that asked; empty at the root. */
  namespace: readonly Segment[]
  seq: number
  at: number
}
type Interrupt = Omit<OpenInterrupt, 'seq' | 'at'>

/** Parses one interrupt. `fallbackId` is for those without an id. */
export function readInterrupt(one: Record<string, unknown>, fallbackId: string): Interrupt {
  // Older servers write `ns` (a list), newer ones `namespace`.
  const place = one.namespace ?? one.ns
  const path = Array.isArray(place)
    ? place.filter((one) => typeof one === 'string').join('|')
    : typeof place === 'string'
      ? place
      : ''
  return {
    id: idOf(one.id ?? one.interrupt_id) ?? fallbackId,
    value: one.value,
    schema: isRecord(one.response_schema) ? one.response_schema : undefined,
    namespace: parseNamespace(path),
  }
}

const idOf = (id: unknown): string | undefined =>
  typeof id === 'string' || typeof id === 'number' ? String(id) : undefined

/**
 * The interrupts of a thread state without duplicates: the state lists them directly, at its tasks, and in the states
 * of subgraphs.
 */
export function openInterrupts(text: string, state: Record<string, unknown>): Interrupt[] {
  if (listsOf(state, 0).length === 0) return []
  const exact = readExactly(text)
  const found = new Map<string, Interrupt>()
  for (const { list, path } of listsOf(isRecord(exact) ? exact : state, 0))
    for (const [index, one] of list.entries()) {
      const interrupt = readInterrupt(one, `${path}#${index}`)
      // The innermost place asked, and it comes last.
      const known = found.get(interrupt.id)
      const namespace = interrupt.namespace.length > 0 ? interrupt.namespace : parseNamespace(path)
      if (!known || namespace.length > known.namespace.length) found.set(interrupt.id, { ...interrupt, namespace })
    }
  return [...found.values()]
}

/** The ids of the interrupts of a thread state. */
export const interruptIds = (state: Record<string, unknown>): string[] => [
  ...new Set(
    listsOf(state, 0).flatMap(({ list, path }) => list.map((one, index) => readInterrupt(one, `${path}#${index}`).id)),
  ),
]

/** Without loss, because an answer may return long numbers. Undefined if it is nested too deeply. */
function readExactly(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 20

function listsOf(
  state: Record<string, unknown>,
  depth: number,
  path = '',
): { list: Record<string, unknown>[]; path: string }[] {
  const lists = [{ list: recordsOf(state.interrupts), path }]
  for (const task of recordsOf(state.tasks)) {
    lists.push({ list: recordsOf(task.interrupts), path })
    const own = `${path ? `${path}|` : ''}${idOf(task.name) ?? ''}:${idOf(task.id) ?? ''}`
    if (isRecord(task.state) && depth < MAX_DEPTH) lists.push(...listsOf(task.state, depth + 1, own))
  }
  return lists.filter(({ list }) => list.length > 0)
}

const recordsOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : [])
