import type { LogStore } from './log-store'

/** The rows that hold a text, in order; looks at each row once, also at those that come later. */
export class LogSearch {
  readonly #needle: string
  #hits: number[] = []
  #seen = 0

  constructor(needle: string) {
    this.#needle = needle.toLowerCase()
  }

  /** Row numbers of the hits that are still kept. */
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

/** A text cut where a needle occurs, the odd parts being the occurrences; after `most` of them the rest is one part. */
export function splitAt(text: string, needle: string, most = 20): string[] {
  const parts: string[] = []
  const [low, wanted] = [text.toLowerCase(), needle.toLowerCase()]
  let from = 0
  // Lower case of another length (İ) would cut at the wrong places.
  while (wanted !== '' && low.length === text.length && parts.length < most * 2) {
    const at = low.indexOf(wanted, from)
    if (at === -1) break
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}

/** The hit to go to from a row: the next one below, or above, around the ends. */
export function stepFrom(hits: readonly number[], from: number | undefined, step: 1 | -1): number | undefined {
  if (from === undefined) return step === 1 ? hits[0] : hits.at(-1)
  return step === 1 ? (hits.find((n) => n > from) ?? hits[0]) : (hits.findLast((n) => n < from) ?? hits.at(-1))
}
