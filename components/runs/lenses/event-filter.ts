import { readKey } from '@/lib/contracts/wire/dialect'
import { isRecord } from '@/lib/json/guards'
import type { EntryLog } from '@/lib/stream/entry-log'
import type { LogEntry } from '@/lib/stream/log'
import { canBeToken, tokenOf } from '@/lib/stream/token-key'
import { displayNamespace, parseEventName } from '@/lib/stream/wire/namespaces'

export type EventFilter = {
  text: string
  /** Modes to show; empty for all. */
  modes: readonly string[]
  /** A subgraph by node names, including nested ones; ROOT for the root graph alone, empty for all. */
  place?: string
  /** Empty for all. */
  node?: string
  /** Messages whose chunks have rows of their own, by key; undefined for all. */
  unfolded?: ReadonlySet<string>
}
export const ROOT = 'root'

export const modeOf = (entry: LogEntry): string =>
  entry.kind === 'event' ? parseEventName(entry.event).mode : entry.kind

/** The chunks of one message as one row; the row is the first of them. */
export type Fold = { key: string; first: number; last: number; chunks: number; text: string }
const MOST_TEXT = 240

/** The place of `seq` in ascending numbers, or of the last one before it; -1 if all are later. */
function placeOf(seqs: readonly number[], seq: number): number {
  let low = 0
  let high = seqs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((seqs[middle] ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * The entries that match a filter, updated as the log grows; each entry is checked once per filter. Without a filter it
 * stores nothing and reads the log itself.
 */
export class FilteredLog {
  readonly #log: EntryLog
  readonly #filter: EventFilter
  #seqs: number[] = []
  /** Folded messages by key, and by their first entry. */
  #folds = new Map<string, Fold>()
  #firsts = new Map<number, Fold>()
  #seen = 0
  #turn = 0
  /** Number of entries that match, folded ones included. */
  #matches = 0

  constructor(log: EntryLog, filter: EventFilter) {
    this.#log = log
    this.#filter = { ...filter, text: filter.text.trim().toLowerCase() }
  }

  /** Checks new entries for about the given milliseconds. False while some are left. */
  advance(milliseconds: number): boolean {
    if (this.#isEverything) return true
    const until = performance.now() + milliseconds
    if (this.#turn !== this.#log.turn) this.#restart()
    if (this.#firstKept < this.#log.first) this.#drop()
    let work = 0
    for (let seq = Math.max(this.#seen + 1, this.#log.first); seq <= this.#log.last; seq = this.#seen + 1) {
      const entry = this.#log.peek(seq)
      if (entry && this.#lets(entry)) this.#take(entry)
      this.#seen = entry && this.#letsAll ? this.#takeAlike(entry) : seq
      if (++work % 256 === 0 && performance.now() > until) return false
    }
    return true
  }

  /** Number of rows. */
  get count(): number {
    return this.#isEverything ? this.#log.length : this.#seqs.length
  }

  /** Number of matching entries, of which a folded message is several. */
  get matches(): number {
    return this.#isEverything ? this.#log.length : Math.min(this.#matches, this.#log.length)
  }

  at(index: number): LogEntry | undefined {
    const seq = this.#isEverything ? this.#log.first + index : this.#seqs[index]
    return seq === undefined ? undefined : this.#log.at(seq)
  }

  /** What a row stands for, if it is a folded message of several chunks. */
  foldAt(index: number): Fold | undefined {
    const fold = this.#firsts.get(this.#seqs[index] ?? 0)
    return fold && fold.chunks > 1 ? fold : undefined
  }

  /** The row of an entry; -1 if it does not match. */
  indexOf(seq: number): number {
    if (this.#isEverything) return seq - this.#log.first
    const place = placeOf(this.#seqs, seq)
    if (this.#seqs[place] === seq) return place
    const key = this.#folds.size > 0 ? this.messageOf(seq) : undefined
    const fold = key === undefined ? undefined : this.#folds.get(key)
    return fold ? this.indexOf(fold.first) : -1
  }

  /** The key of the message that an entry is a chunk of. */
  messageOf(seq: number): string | undefined {
    const entry = this.#log.at(seq)
    return entry?.kind === 'event' ? tokenOf(entry.event, entry.data)?.key : undefined
  }

  get #letsAll(): boolean {
    const { text, modes, place, node } = this.#filter
    return text === '' && modes.length === 0 && !place && !node
  }

  get #isEverything(): boolean {
    return this.#letsAll && this.#filter.unfolded === undefined
  }

  /** The oldest entry that is still in the list. */
  #firstKept = Infinity

  #restart(): void {
    this.#seqs = []
    this.#folds.clear()
    this.#firsts.clear()
    this.#seen = 0
    this.#matches = 0
    this.#turn = this.#log.turn
    this.#firstKept = Infinity
  }

  /** Removes the rows of entries that the log has dropped. A message that goes on is shown at its latest chunk. */
  #drop(): void {
    const from = placeOf(this.#seqs, this.#log.first - 1) + 1
    const going: number[] = []
    for (const seq of this.#seqs.slice(0, from)) {
      const fold = this.#firsts.get(seq)
      this.#firsts.delete(seq)
      if (fold && fold.last >= this.#log.first) {
        fold.first = fold.last
        this.#firsts.set(fold.first, fold)
        going.push(fold.first)
        continue
      }
      this.#matches -= fold?.chunks ?? 1
      if (fold) this.#folds.delete(fold.key)
    }
    this.#seqs = [...going, ...this.#seqs.slice(from)]
    if (going.length > 0) this.#seqs.sort((a, b) => a - b)
    this.#firstKept = this.#seqs[0] ?? Infinity
  }

  #take(entry: LogEntry): void {
    this.#matches++
    const { unfolded } = this.#filter
    const token = unfolded && entry.kind === 'event' ? tokenOf(entry.event, entry.data) : undefined
    if (token && !unfolded?.has(token.key)) {
      const fold = this.#folds.get(token.key)
      if (fold) {
        fold.last = entry.seq
        fold.chunks++
        if (token.isWhole) fold.text = token.text.slice(0, MOST_TEXT)
        else if (fold.text.length < MOST_TEXT) fold.text = (fold.text + token.text).slice(0, MOST_TEXT)
        return
      }
      const made = {
        key: token.key,
        first: entry.seq,
        last: entry.seq,
        chunks: 1,
        text: token.text.slice(0, MOST_TEXT),
      }
      this.#folds.set(token.key, made)
      this.#firsts.set(entry.seq, made)
    }
    if (this.#seqs.length === 0) this.#firstKept = entry.seq
    this.#seqs.push(entry.seq)
  }

  /** Takes the events after this one that have its name, if none of them can be folded. Returns the last one's number. */
  #takeAlike(entry: LogEntry): number {
    if (entry.kind !== 'event' || canBeToken(entry.event)) return entry.seq
    const last = this.#log.lastAlike(entry.seq, entry.event)
    this.#matches += last - entry.seq
    for (let seq = entry.seq + 1; seq <= last; seq++) this.#seqs.push(seq)
    return last
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
