// Finds values in the bytes of a JSON text while it arrives. For each large container it keeps the end and, every few
// kilobytes, where a child begins; everything else is scanned again when needed.

/** Smaller containers are scanned again each time; larger ones are remembered, with a waypoint per this many bytes. */
const GRAIN = 4096
const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** `offsets` are pairs: index of a child, and the offset where it (in an object: its key) begins. */
export type Container = { end: number; size: number; offsets: readonly number[] }

/** What the scan expects next: a child of a container, the value of a key, or a separator or end. */
type Wants = 'nothing' | 'child' | 'value'

type Found = { index: number; offset: number }
const NO_OFFSETS: readonly number[] = []
/** Cursors for resuming a scan, since consecutive lookups are close together. */
const MOST_CURSORS = 500

/**
 * Offsets are in bytes. A container is named by the offset of its bracket, any other value by that of its first byte.
 */
export class TextIndex {
  bytes: Uint8Array = new Uint8Array(0)
  /** How many of `bytes` have arrived. */
  length = 0
  /** Whether the text has ended and is completely indexed. */
  isWhole = false
  /** Why the text is invalid JSON, if it is. */
  problem: string | undefined
  /** All tokens up to here are complete. */
  completeLength = 0

  #at = 0
  #isEnded = false
  #reason: string | undefined
  /** Within a string, where to continue reading it. */
  #inString = -1
  #wants: Wants = 'child'
  // The open containers at `#at`, outermost first; the first encloses the text's only value.
  #depth = 0
  readonly #starts = [-1]
  readonly #sizes = [0]
  readonly #lastMarks = [0]
  readonly #offsets: (number[] | undefined)[] = [undefined]
  readonly #large = new Map<number, Container>()
  readonly #cursors = new Map<number, Found>()

  /** Appends bytes, which `advance` will read. */
  add(part: Uint8Array): void {
    const needed = this.length + part.byteLength
    // The first part is kept without a copy.
    if (this.length === 0) this.bytes = part
    else {
      if (needed > this.bytes.byteLength) {
        const grown = new Uint8Array(Math.max(needed, this.bytes.byteLength * 2))
        grown.set(this.bytes.subarray(0, this.length))
        this.bytes = grown
      }
      this.bytes.set(part, this.length)
    }
    this.length = needed
  }

  /** Ends the text, with the reason if it ended too early. */
  end(problem?: string): void {
    this.#isEnded = true
    this.#reason = problem
  }

  /** Indexes up to this many bytes. Returns whether there is more to do now. */
  advance(most = Infinity): boolean {
    if (this.problem !== undefined) return false
    this.#scan(Math.min(this.length, this.#at + most))
    if (this.#at < this.length) return this.problem === undefined
    if (this.#isEnded && !this.isWhole) {
      if (this.#depth > 0 || this.#inString !== -1) this.problem = this.#reason ?? 'The text ends too early.'
      else if (this.#sizes[0] === 0) this.problem = this.#reason ?? 'There is nothing in it.'
      this.isWhole = true
      this.completeLength = this.length
    }
    return false
  }

  /** The offset of the text's value; undefined until it arrives. */
  get root(): number | undefined {
    if (this.#sizes[0] === 0) return undefined
    return this.skipSpace(0)
  }

  isContainer(at: number): boolean {
    const code = this.bytes[at]
    return code === OPEN_OBJECT || code === OPEN_LIST
  }

  isList(at: number): boolean {
    return this.bytes[at] === OPEN_LIST
  }

  /** Number of entries of a container; so far, if it is still open. */
  size(at: number): number {
    const known = this.#known(at)
    if (known) return known.size
    let size = 0
    for (let child = this.#firstChild(at); child !== -1; child = this.#nextChild(at, child)) size++
    return size
  }

  isClosed(at: number): boolean {
    return (this.#known(at)?.end ?? 0) !== -1
  }

  /** The offset of the child at a position (in an object: of its key); -1 if there is none. */
  childAt(at: number, position: number): number {
    const offsets = this.#known(at)?.offsets ?? NO_OFFSETS
    let found = lastOffset(offsets, (pair) => (offsets[pair] as number) <= position)
    const cursor = this.#cursors.get(at)
    if (cursor && cursor.index <= position && cursor.index >= (found?.index ?? 0)) found = cursor
    let { index, offset } = found ?? { index: 0, offset: this.#firstChild(at) }
    for (; index < position && offset !== -1; index++) offset = this.#nextChild(at, offset)
    if (offset !== -1) this.#remember(at, { index, offset })
    return offset
  }

  /** The position of the child that contains an offset. */
  positionOf(at: number, offset: number): number {
    const offsets = this.#known(at)?.offsets ?? NO_OFFSETS
    const found = lastOffset(offsets, (pair) => (offsets[pair + 1] as number) <= offset)
    let { index, offset: child } = found ?? { index: 0, offset: this.#firstChild(at) }
    for (let next = this.#nextChild(at, child); next !== -1 && next <= offset; next = this.#nextChild(at, next)) {
      child = next
      index++
    }
    this.#remember(at, { index, offset: child })
    return index
  }

  /** The offset of a child's value; in an object, it follows the key. */
  valueOf(at: number, child: number): number {
    if (this.isList(at)) return child
    return this.skipSpace(this.skipSpace(this.stringEnd(child)) + 1)
  }

  /** The offset after a value; `length` if it is incomplete. */
  endOf(at: number): number {
    const code = this.bytes[at]
    if (code === QUOTE) return this.stringEnd(at)
    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const known = this.#known(at)
      if (known) return known.end === -1 ? this.length : known.end
      return this.#smallEnd(at)
    }
    let end = at
    while (end < this.length && !isDelimiter(this.bytes[end] as number)) end++
    return end
  }

  /** The offset after the string that begins at `at`; `length` if it is incomplete. */
  stringEnd(at: number): number {
    const { bytes, length } = this
    for (let end = at + 1; end < length; end++) {
      const code = bytes[end]
      if (code === QUOTE) return end + 1
      if (code === BACKSLASH) end++
    }
    return length
  }

  skipSpace(at: number): number {
    let end = at
    while (end < this.length && (this.bytes[end] as number) <= 32) end++
    return end
  }

  #known(at: number): Container | undefined {
    const large = this.#large.get(at)
    if (large || this.#depth === 0) return large
    // The open containers' starts are ascending.
    let [low, high] = [1, this.#depth]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) < at) low = middle + 1
      else high = middle
    }
    if (this.#starts[low] !== at) return undefined
    return { end: -1, size: this.#sizes[low] as number, offsets: this.#offsets[low] ?? NO_OFFSETS }
  }

  #remember(at: number, found: Found): void {
    if (this.#cursors.size >= MOST_CURSORS) this.#cursors.clear()
    this.#cursors.set(at, found)
  }

  #firstChild(at: number): number {
    const child = this.skipSpace(at + 1)
    const code = this.bytes[child]
    return child >= this.length || code === CLOSE_LIST || code === CLOSE_OBJECT ? -1 : child
  }

  #nextChild(at: number, child: number): number {
    const comma = this.skipSpace(this.endOf(this.valueOf(at, child)))
    if (comma >= this.length || this.bytes[comma] !== COMMA) return -1
    const next = this.skipSpace(comma + 1)
    return next < this.length ? next : -1
  }

  /** The end of a container that is not remembered. */
  #smallEnd(at: number): number {
    const { bytes, length } = this
    let depth = 0
    for (let end = at; end < length; end++) {
      const code = bytes[end]
      if (code === QUOTE) end = this.stringEnd(end) - 1
      else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
      else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return end + 1
    }
    return length
  }

  /** Scans the text; may stop after any byte and resume. */
  #scan(until: number): void {
    const { bytes } = this
    let at = this.#at
    if (this.#inString !== -1) {
      at = this.#string(this.#inString, until)
      if (at === -1) return
    }
    let wants = this.#wants
    while (at < until) {
      const code = bytes[at] as number
      if (code === QUOTE) {
        if (wants !== 'nothing') this.#child(at, wants)
        wants = 'nothing'
        this.#wants = wants
        at = this.#string(at + 1, until)
        if (at === -1) return
        continue
      }
      at++
      if (code <= 32) continue
      if (code === COMMA) wants = 'child'
      else if (code === COLON) wants = 'value'
      else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        if (wants !== 'nothing') this.#child(at - 1, wants)
        this.#push(at - 1)
        wants = 'child'
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        if (!this.#pop(at - 1)) return
        wants = 'nothing'
      } else {
        // Belongs to a number or word, whose end shows at the next byte.
        if (wants !== 'nothing') this.#child(at - 1, wants)
        wants = 'nothing'
        continue
      }
      this.completeLength = at
    }
    this.#wants = wants
    this.#at = at
  }

  /** Reads a string from `from`. Returns the offset after it, -1 if it does not end before `until`. */
  #string(from: number, until: number): number {
    const { bytes } = this
    let at = from
    while (at < until) {
      const code = bytes[at]
      if (code === QUOTE) {
        this.#inString = -1
        this.completeLength = at + 1
        return at + 1
      }
      at += code === BACKSLASH ? 2 : 1
    }
    this.#inString = at
    this.#at = until
    return -1
  }

  /** A child, or the value of a key, begins here. */
  #child(at: number, wants: Wants): void {
    const depth = this.#depth
    const start = this.#starts[depth] as number
    if (wants === 'child' && at - (this.#lastMarks[depth] as number) >= GRAIN) {
      const offsets = this.#offsets[depth]
      if (offsets) offsets.push(this.#sizes[depth] as number, at)
      else this.#offsets[depth] = [this.#sizes[depth] as number, at]
      this.#lastMarks[depth] = at
    }
    // A child of an object counts from its value's first byte.
    const isKey = wants === 'child' && start !== -1 && this.bytes[start] === OPEN_OBJECT
    if (!isKey) this.#sizes[depth] = (this.#sizes[depth] as number) + 1
  }

  #push(at: number): void {
    const depth = ++this.#depth
    this.#starts[depth] = at
    this.#sizes[depth] = 0
    this.#lastMarks[depth] = at
    this.#offsets[depth] = undefined
  }

  #pop(at: number): boolean {
    const depth = this.#depth
    const start = this.#starts[depth] as number
    if (depth === 0 || this.bytes[start] !== (this.bytes[at] as number) - 2) {
      this.problem = `The bracket closed at byte ${at + 1} was never opened.`
      this.isWhole = true
      return false
    }
    if (at - start > GRAIN)
      this.#large.set(start, {
        end: at + 1,
        size: this.#sizes[depth] as number,
        offsets: this.#offsets[depth] ?? NO_OFFSETS,
      })
    this.#depth = depth - 1
    return true
  }
}

const isDelimiter = (code: number) =>
  code <= 32 || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code === COLON

/** The last of the ascending waypoints for which `isBefore` holds. */
function lastOffset(offsets: readonly number[], isBefore: (pair: number) => boolean): Found | undefined {
  let [low, high] = [0, offsets.length / 2]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle * 2)) low = middle + 1
    else high = middle
  }
  if (low === 0) return undefined
  return { index: offsets[low * 2 - 2] as number, offset: offsets[low * 2 - 1] as number }
}
