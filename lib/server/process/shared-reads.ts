import 'server-only'
import { within } from './within'

type Entry<T> = {
  until: number
  coming: Promise<T> | undefined
  last: { value: T; at: number } | undefined
}
type Pace<T> = {
  /** How long a value is given to others without another read. */
  keptMs: (value: T) => number
  /** Whether it is given to nobody any more, even while another read is late. */
  isOver?: (value: T) => boolean
  /** How long a reader waits for a new value where an older one is known. */
  waitMs: number
  /** How old that may be; 0 for never. */
  staleMs: number
  most: number
}

/** Reads of slow servers by key, shared by their readers. While a value is read again, late readers get the last one. */
export class SharedReads<T> {
  readonly #entries = new Map<string, Entry<T>>()

  constructor(readonly pace: Pace<T>) {}

  /** Rejects like `read`. */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const { waitMs, staleMs, isOver } = this.pace
    const entry = this.#entryOf(key)
    const last = entry.last && !isOver?.(entry.last.value) ? entry.last : undefined
    if (last && Date.now() < entry.until) return last.value
    const isJoined = entry.coming !== undefined
    entry.coming ??= this.#start(entry, read)
    if (!last || Date.now() - last.at >= staleMs) {
      const value = await entry.coming
      // The read had begun before what ended its failure.
      return isJoined && isOver?.(value) ? await this.get(key, read) : value
    }
    const late = Symbol()
    const value = await within<T, symbol>(waitMs, entry.coming, late)
    return value === late ? last.value : (value as T)
  }

  #start(entry: Entry<T>, read: () => Promise<T>): Promise<T> {
    const coming = read()
    coming.then(
      (value) => {
        entry.last = { value, at: Date.now() }
        entry.until = Date.now() + this.pace.keptMs(value)
        entry.coming = undefined
      },
      () => {
        entry.coming = undefined
      },
    )
    return coming
  }

  #entryOf(key: string): Entry<T> {
    const known = this.#entries.get(key)
    const entry = known ?? { until: 0, coming: undefined, last: undefined }
    // Maps keep insertion order, so the first is the least recently read.
    this.#entries.delete(key)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.pace.most) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(key, entry)
    return entry
  }
}
