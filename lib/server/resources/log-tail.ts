import 'server-only'
import type { LogEntry, LogsPage } from '@/lib/contracts/deployments/logs'

/**
 * Goes through a log by its own cursors and takes each line once, however often a page is read. Servers differ: some give
 * a cursor after every page and answer the last one with nothing, others give none at the end, whose page then grows.
 */
export class LogTail {
  /** The cursor to ask for next. */
  offset: string | undefined
  #before = new Set<string>()
  #seen = new Set<string>()
  #taken = 0

  /** The lines of a page that were not had yet; `isAtEnd` when asking again at once would bring no more. */
  take({ logs, next_offset: next }: LogsPage): { lines: LogEntry[]; isAtEnd: boolean } {
    const keys = logs.map(keyOf)
    const hasKeys = keys.every((key) => key !== undefined)
    // Without ids only the number of lines tells which ones were there before.
    const lines = hasKeys
      ? logs.filter((_, index) => !this.#has(keys[index] as string)) // all are given, as just checked
      : logs.slice(this.#taken)
    const isAtEnd = logs.length === 0 || next === null || next === this.offset
    if (isAtEnd) {
      for (const key of keys) if (key !== undefined) this.#seen.add(key)
      this.#taken = Math.max(this.#taken, logs.length)
    } else {
      // A cursor that means a moment gives the line at its edge twice.
      this.#before = new Set(keys.filter((key) => key !== undefined))
      this.#seen = new Set()
      this.#taken = 0
      this.offset = next
    }
    return { lines, isAtEnd }
  }

  #has(key: string): boolean {
    return this.#seen.has(key) || this.#before.has(key)
  }
}

const keyOf = ({ id, timestamp }: LogEntry) =>
  id === null || id === undefined ? undefined : `${id} ${timestamp ?? ''}`
