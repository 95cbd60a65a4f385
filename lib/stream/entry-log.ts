import type { LogEntry } from './log'

const BLOCK = 1024
/** What an entry costs besides its text, roughly. */
const OVERHEAD = 160

/**
 * The entries of a recording in their order, the oldest dropped in blocks beyond a byte budget, so that a page left open
 * on an endless run does not grow. `first` says where what is kept begins; the server still has the rest.
 */
export class EntryLog {
  first = 1
  last = 0
  bytes = 0
  readonly #budget: number
  #blocks: { entries: LogEntry[]; bytes: number }[] = []

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes
  }

  get length(): number {
    return this.last - this.first + 1
  }

  push(entry: LogEntry): void {
    if (this.last === 0) this.first = entry.seq
    let block = this.#blocks.at(-1)
    if (!block || block.entries.length === BLOCK) {
      block = { entries: [], bytes: 0 }
      this.#blocks.push(block)
    }
    const cost = OVERHEAD + (entry.kind === 'event' ? entry.data.length : 0)
    block.entries.push(entry)
    block.bytes += cost
    this.bytes += cost
    this.last = entry.seq
    while (this.bytes > this.#budget && this.#blocks.length > 2) {
      const oldest = this.#blocks.shift()
      if (!oldest) return
      this.bytes -= oldest.bytes
      this.first += oldest.entries.length
    }
  }

  /** The entry of that `seq`; undefined where it was dropped or has not come. */
  at(seq: number): LogEntry | undefined {
    const index = seq - this.first
    return index < 0 ? undefined : this.#blocks[Math.floor(index / BLOCK)]?.entries[index % BLOCK]
  }

  /** Entries after `seq`, in order, without a copy of the log. */
  *after(seq: number): Generator<LogEntry> {
    for (let next = Math.max(seq + 1, this.first); next <= this.last; next++) {
      const entry = this.at(next)
      if (entry) yield entry
    }
  }

  clear(): void {
    this.#blocks = []
    this.first = 1
    this.last = 0
    this.bytes = 0
  }
}
