import { readKey } from '@/lib/contracts/wire/dialect'
import { isRecord } from '@/lib/json/guards'
import type { EntryLog } from '@/lib/stream/entry-log'
import type { LogEntry } from '@/lib/stream/log'
import { displayNamespace, parseEventName } from '@/lib/stream/namespaces'

export type EventFilter = {
  text: string
  /** Modes to show; empty for all. */
  modes: readonly string[]
  /** A subgraph by node names, including nested ones; ROOT for the root graph alone, empty for all. */
  place?: string
  /** Empty for all. */
  node?: string
}
export const ROOT = 'root'

export const modeOf = (entry: LogEntry): string =>
  entry.kind === 'event' ? parseEventName(entry.event).mode : entry.kind

/**
 * The entries that match a filter, updated as the log grows; each entry is checked once per filter. Without a filter it
 * stores nothing and reads the log itself.
 */
export class FilteredLog {
  readonly #log: EntryLog
  readonly #filter: EventFilter
  #seqs: number[] = []
  #seen = 0
  #turn = 0

  constructor(log: EntryLog, filter: EventFilter) {
    this.#log = log
    this.#filter = { ...filter, text: filter.text.trim().toLowerCase() }
  }

  /** Checks new entries for about the given milliseconds. False while some are left. */
  advance(milliseconds: number): boolean {
    if (this.#isEverything) return true
    const until = performance.now() + milliseconds
    if (this.#turn !== this.#log.turn) {
      this.#seqs = []
      this.#seen = 0
      this.#turn = this.#log.turn
    }
    if ((this.#seqs[0] ?? Infinity) < this.#log.first) this.#seqs = this.#seqs.filter((seq) => seq >= this.#log.first)
    let work = 0
    for (const entry of this.#log.after(this.#seen)) {
      if (this.#lets(entry)) this.#seqs.push(entry.seq)
      this.#seen = entry.seq
      if (++work % 256 === 0 && performance.now() > until) return false
    }
    return true
  }

  get count(): number {
    return this.#isEverything ? this.#log.length : this.#seqs.length
  }

  at(index: number): LogEntry | undefined {
    const seq = this.#isEverything ? this.#log.first + index : this.#seqs[index]
    return seq === undefined ? undefined : this.#log.at(seq)
  }

  /** The position of an entry in the list; -1 if it does not match. */
  indexOf(seq: number): number {
    return this.#isEverything ? seq - this.#log.first : this.#seqs.indexOf(seq)
  }

  get #isEverything(): boolean {
    const { text, modes, place, node } = this.#filter
    return text === '' && modes.length === 0 && !place && !node
  }

  #lets(entry: LogEntry): boolean {
    if (this.#filter.modes.length > 0 && !this.#filter.modes.includes(modeOf(entry))) return false
    const { place, node } = this.#filter
    if (place && !isIn(entry, place)) return false
    if (node && !isOfNode(entry, node)) return false
    const { text } = this.#filter
    if (text === '') return true
    if (entry.kind !== 'event') return entry.kind.includes(text)
    return entry.data.toLowerCase().includes(text) || entry.event.toLowerCase().includes(text)
  }
}

function isIn(entry: LogEntry, place: string): boolean {
  if (entry.kind !== 'event') return false
  const shown = displayNamespace(parseEventName(entry.event).namespace)
  return place === ROOT ? shown === '' : shown === place || shown.startsWith(`${place} › `)
}

/** Whether an event belongs to a node, by its namespace or by the node named in its data. */
function isOfNode(entry: LogEntry, node: string): boolean {
  if (entry.kind !== 'event') return false
  const { mode, namespace } = parseEventName(entry.event)
  if (namespace.some((segment) => segment.node === node)) return true
  // Checks the text first, because parsing each event would be as expensive as building the view.
  if (!entry.data.includes(JSON.stringify(node).slice(1, -1))) return false
  const data = tryParse(entry.data)
  if (mode === 'updates') return isRecord(data) && Object.hasOwn(data, node)
  const told = mode === 'messages' && Array.isArray(data) ? data[1] : data
  if (!isRecord(told)) return false
  const payload = isRecord(told.payload) ? told.payload : told
  const metadata = isRecord(told.metadata) ? told.metadata : told
  return payload.name === node || readKey(metadata, 'node') === node
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
