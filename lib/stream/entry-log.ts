import type { TextEntries } from './entry-text'
import type { LogEntry } from './log'

const BLOCK = 1024
/** Approximate cost of a decoded entry in addition to its text. */
const OVERHEAD = 160
/** Number of decoded entries kept, so that a page's rows stay the same objects. */
const MOST_READ = 256

type Block = { first: number; entries: LogEntry[] | TextEntries; bytes: number }

/**
 * A recording's entries in order. Beyond a byte budget the oldest blocks are dropped, so that a page left open on an
 * endless run does not grow; `first` is the first entry kept.
 */
export class EntryLog {
  first = 1
  last = 0
  bytes = 0
  /** Changes when the log starts again, because the numbers then mean other entries. */
  turn = 0
  readonly #budget: number
  #blocks: Block[] = []
  /** The last block that was read from; reads continue nearby. */
  #near = 0
  readonly #read = new Map<number, LogEntry>()

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes
  }

  get length(): number {
    return this.last - this.first + 1
  }

  push(entry: LogEntry): void {
    let block = this.#blocks.at(-1)
    if (!Array.isArray(block?.entries) || block.entries.length === BLOCK) {
      block = { first: entry.seq, entries: [], bytes: 0 }
      this.#add(block)
    }
    const cost = OVERHEAD + (entry.kind === 'event' ? entry.data.length : 0)
    ;(block.entries as LogEntry[]).push(entry)
    block.bytes += cost
    this.bytes += cost
    this.last = entry.seq
    this.#drop()
  }

  /** Adds entries of a text up to `end`; the next call may add more of the same text. */
  take(entries: TextEntries, end: number): void {
    if (this.#blocks.at(-1)?.entries !== entries) {
      const bytes = entries.size + OVERHEAD * entries.length
      this.#add({ first: entries.first, entries, bytes })
      this.bytes += bytes
    }
    this.last = entries.first + end - 1
    this.#drop()
  }

  /** The entry with that `seq`; undefined if it was dropped or has not arrived. */
  at(seq: number): LogEntry | undefined {
    const block = this.#blockOf(seq)
    if (!block || Array.isArray(block.entries)) return block?.entries.at(seq - block.first)
    let entry = this.#read.get(seq)
    if (!entry) {
      entry = block.entries.at(seq - block.first)
      if (this.#read.size === MOST_READ) this.#read.clear()
      if (entry) this.#read.set(seq, entry)
    }
    return entry
  }

  /** The same, for a reader of all entries, who needs each once. */
  peek(seq: number): LogEntry | undefined {
    const block = this.#blockOf(seq)
    return block?.entries.at(seq - block.first)
  }

  /** The last of the events from `seq` on that are known to have the name of that one without decoding them. */
  lastAlike(seq: number, event: string): number {
    const block = this.#blockOf(seq)
    if (!block || Array.isArray(block.entries)) return seq
    return block.first + block.entries.endOf(event, seq - block.first, this.last - seq + 1) - 1
  }

  clear(): void {
    this.#blocks = []
    this.#read.clear()
    this.first = 1
    this.last = 0
    this.bytes = 0
    this.turn++
  }

  #blockOf(seq: number): Block | undefined {
    if (seq < this.first || seq > this.last) return undefined
    let low = 0
    let high = this.#blocks.length - 1
    if (this.#holds(this.#near, seq)) low = high = this.#near
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#blocks[middle]?.first ?? 0) <= seq) low = middle
      else high = middle - 1
    }
    this.#near = low
    return this.#blocks[low]
  }

  #holds(index: number, seq: number): boolean {
    const block = this.#blocks[index]
    return !!block && block.first <= seq && seq < (this.#blocks[index + 1]?.first ?? Infinity)
  }

  #add(block: Block): void {
    if (this.last === 0) this.first = block.first
    this.#blocks.push(block)
  }

  #drop(): void {
    while (this.bytes > this.#budget && this.#blocks.length > 2) {
      const oldest = this.#blocks.shift()
      this.bytes -= oldest?.bytes ?? 0
      this.first = this.#blocks[0]?.first ?? 1
      // Each holds on to the whole text it was decoded from.
      for (const seq of this.#read.keys()) if (seq < this.first) this.#read.delete(seq)
    }
  }
}
