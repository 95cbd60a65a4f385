import type { TextIndex } from './text-index'
import { MAX_HITS } from './value-search'

const CHECK_CLOCK_EVERY = 256
const LOWER = Uint8Array.from({ length: 256 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

/**
 * Finds text in keys and values of an indexed text, case-insensitively, in one pass over its bytes; the results equal
 * those of `searchJson`. Works in slices, also while the text arrives; stops at 5,000 hits.
 */
export class TextSearch {
  /** Offsets of the values found so far. */
  readonly hits: number[] = []
  isDone: boolean
  readonly #needle: string
  readonly #bytes: Uint8Array
  readonly #isAscii: boolean
  readonly #decoder = new TextDecoder()
  #at: number
  /** Whether each enclosing container is an object. */
  readonly #objects: boolean[] = []
  #isKey = false
  #hasKeyMatched = false

  constructor(
    readonly index: TextIndex,
    root: number,
    text: string,
  ) {
    this.#needle = text.toLowerCase()
    this.#bytes = new TextEncoder().encode(this.#needle)
    this.#isAscii = this.#bytes.every((code) => code < 0x80)
    this.#at = root
    this.isDone = text === ''
  }

  /** Searches for about this many milliseconds, at most to the end of what has arrived. */
  advance(milliseconds: number): void {
    const until = performance.now() + milliseconds
    for (let work = 1; !this.isDone; work++) {
      if (work % CHECK_CLOCK_EVERY === 0 && performance.now() > until) return
      if (!this.#step()) return
      if (this.hits.length >= MAX_HITS) this.isDone = true
    }
  }

  /** Reads one token. False if the next one has not arrived. */
  #step(): boolean {
    const { index } = this
    const { bytes } = index
    const at = index.skipSpace(this.#at)
    if (at >= index.completeLength) {
      if (index.isWhole) this.isDone = true
      return false
    }
    const code = bytes[at] as number
    if (code === 44 || code === 58) {
      this.#isKey = code === 44 && this.#objects.at(-1) === true
      this.#at = at + 1
      return true
    }
    if (code === 123 || code === 91) {
      this.#note(at, false)
      this.#objects.push(code === 123)
      this.#isKey = code === 123
      this.#at = at + 1
      return true
    }
    if (code === 125 || code === 93) {
      this.#objects.pop()
      this.#isKey = false
      this.#at = at + 1
    } else {
      const end = index.endOf(at)
      const isMatch = code === 34 ? this.#isInString(at + 1, end - 1) : this.#isInBytes(at, end)
      if (this.#isKey) this.#hasKeyMatched = isMatch
      else this.#note(at, isMatch)
      this.#at = Math.max(end, at + 1)
    }
    if (this.#objects.length === 0) this.isDone = true // the searched value has ended
    return true
  }

  #note(at: number, isMatch: boolean): void {
    if (this.#hasKeyMatched || isMatch) this.hits.push(at)
    this.#hasKeyMatched = false
  }

  #isInString(from: number, end: number): boolean {
    const { bytes } = this.index
    let isPlain = true
    for (let at = from; at < end; at++) {
      const code = bytes[at] as number
      if (code === 92 || code >= 0x80) {
        isPlain = false
        break
      }
    }
    if (isPlain) return this.#isAscii && this.#isInBytes(from, end)
    return this.#text(from, end).toLowerCase().includes(this.#needle)
  }

  #text(from: number, end: number): string {
    const text = this.#decoder.decode(this.index.bytes.subarray(from, end))
    try {
      return JSON.parse(`"${text}"`) as string // it is a JSON string, or the parser throws
    } catch {
      return text
    }
  }

  #isInBytes(from: number, end: number): boolean {
    const { bytes } = this.index
    const needle = this.#bytes
    const last = end - needle.length
    for (let at = from; at <= last; at++) {
      let same = 0
      while (same < needle.length && LOWER[bytes[at + same] as number] === needle[same]) same++
      if (same === needle.length) return true
    }
    return false
  }
}
