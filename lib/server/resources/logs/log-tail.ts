import 'server-only'
import type { LogEntry, LogsPage } from '@/lib/contracts/deployments/logs'

/**
 * Follows a log by the server's cursors and returns each line once, even if a page is read again. Some servers give a
 * cursor after every page and end with an empty one; others give none for the last page, which then grows.
 */
export class LogTail {
  /** The cursor for the next request. */
  offset: string | undefined
  #before = new Set<string>()
  #seen = new Set<string>()
  #taken = 0

  /** The new lines of a page. `isAtEnd` means that an immediate request would return no more. */
  take({ logs, next_offset: next }: LogsPage): { lines: LogEntry[]; isAtEnd: boolean } {
    const keys = logs.map(keyOf)
    const hasKeys = keys.every((key) => key !== undefined)
    // Without ids, only the number of lines tells which ones are new.
    const lines = hasKeys
      ? logs.filter((_, index) => !this.#has(keys[index] as string)) // `hasKeys` checked that all are set
      : logs.slice(this.#taken)
    const isAtEnd = logs.length === 0 || next === null || next === this.offset
    if (isAtEnd) {
      for (const key of keys) if (key !== undefined) this.#seen.add(key)
      this.#taken = Math.max(this.#taken, logs.length)
    } else {
      // A time-based cursor returns the line at its edge twice.
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
