import type { LogStore } from './log-store'

/** The rows that contain a text, in order. Searches each row once as the log grows. */
export class LogSearch {
  readonly #needle: string
  #hits: number[] = []
  #seen = 0

  constructor(needle: string) {
    this.#needle = needle.toLowerCase()
  }

  /** The row numbers of the matches that the store still holds. */
  advance(store: LogStore): readonly number[] {
    if (this.#needle === '') return this.#hits
    const { first, next } = store
    if (this.#hits.some((n) => n < first)) this.#hits = this.#hits.filter((n) => n >= first)
    for (let n = Math.max(first, this.#seen); n < next; n++)
      if (store.at(n)?.text.toLowerCase().includes(this.#needle)) this.#hits.push(n)
    this.#seen = next
    return this.#hits
  }
}

/** Splits a text at each match; odd parts are the matches. After `most` matches the rest is one part. */
export function splitAt(text: string, needle: string, most = 20): string[] {
  const parts: string[] = []
  const [low, wanted] = [text.toLowerCase(), needle.toLowerCase()]
  let from = 0
  // If lower case changes the length (as with İ), the cuts would be wrong.
  while (wanted !== '' && low.length === text.length && parts.length < most * 2) {
    const at = low.indexOf(wanted, from)
    if (at === -1) break
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}

/** The next match below or above a row, wrapping around at the ends. */
export function stepFrom(hits: readonly number[], from: number | undefined, step: 1 | -1): number | undefined {
  if (from === undefined) return step === 1 ? hits[0] : hits.at(-1)
  return step === 1 ? (hits.find((n) => n > from) ?? hits[0]) : (hits.findLast((n) => n < from) ?? hits.at(-1))
}
