import type { EntryLog } from '@/lib/stream/entry-log'
import type { LogEntry } from '@/lib/stream/log'
import { parseEventName } from '@/lib/stream/namespaces'

export type EventFilter = { text: string /** Modes to show; empty for all. */; modes: readonly string[] }

export const modeOf = (entry: LogEntry): string =>
  entry.kind === 'event' ? parseEventName(entry.event).mode : entry.kind

/**
 * The entries that a filter lets through, kept up as the log grows: each entry is looked at once per filter.
 * Without a filter nothing is stored: the log itself is the answer.
 */
export class FilteredLog {
  readonly #log: EntryLog
  readonly #filter: EventFilter
  #seqs: number[] = []
  #lastSeen: LogEntry | undefined

  constructor(log: EntryLog, filter: EventFilter) {
    this.#log = log
    this.#filter = { ...filter, text: filter.text.trim().toLowerCase() }
  }

  /** Looks at what is new, for about so many milliseconds. False while more waits. */
  advance(milliseconds: number): boolean {
    if (this.#isEverything) return true
    const until = performance.now() + milliseconds
    // The log began anew: what was seen last is another entry now, or none.
    const last = this.#lastSeen
    if (last && last.seq >= this.#log.first && this.#log.at(last.seq) !== last) {
      this.#seqs = []
      this.#lastSeen = undefined
    }
    if ((this.#seqs[0] ?? Infinity) < this.#log.first) this.#seqs = this.#seqs.filter((seq) => seq >= this.#log.first)
    let work = 0
    for (const entry of this.#log.after(this.#lastSeen?.seq ?? 0)) {
      if (this.#lets(entry)) this.#seqs.push(entry.seq)
      this.#lastSeen = entry
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

  /** Where an entry stands in the list; -1 when the filter does not let it through. */
  indexOf(seq: number): number {
    return this.#isEverything ? seq - this.#log.first : this.#seqs.indexOf(seq)
  }

  get #isEverything(): boolean {
    return this.#filter.text === '' && this.#filter.modes.length === 0
  }

  #lets(entry: LogEntry): boolean {
    if (this.#filter.modes.length > 0 && !this.#filter.modes.includes(modeOf(entry))) return false
    if (this.#filter.text === '') return true
    const text = entry.kind === 'event' ? `${entry.event} ${entry.data}` : entry.kind
    return text.toLowerCase().includes(this.#filter.text)
  }
}
