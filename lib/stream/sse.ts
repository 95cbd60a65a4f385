/**
 * Bytes of `text/event-stream` to events, as the WHATWG standard says, fed piece by piece.
 *
 * Bytes are decoded as they come (the decoder keeps a character that is cut in two and drops one leading BOM), then cut
 * into lines. A line that is not over yet is kept as pieces and joined once, so the work grows with the bytes, however
 * small the pieces: a 10 MB line in 2 kB reads is looked at once. A line that ends in CR ends there; the LF that may
 * follow, in this read or the next, is skipped then, so that no event waits for a byte that may never come.
 */
export type SseEvent = {
  /** `message` where the stream names none. */
  event: string
  /** The data lines joined by LF. */
  data: string
  /** The id written in this event's own block, if any. */
  id: string | undefined
  /** The last id of the stream so far: what `Last-Event-ID` has to say to go on after this event. */
  lastEventId: string
}

export type SseOptions = {
  /** Most characters of one event (or one line); beyond it `push` throws SseTooLargeError. */
  maxEventLength?: number
  /** Called for each comment line with its text, as heartbeats are. */
  onComment?: (text: string) => void
  /** Called for each valid `retry:` with milliseconds. */
  onRetry?: (ms: number) => void
}

const DEFAULT_MAX_LENGTH = 64 * 1024 * 1024
const CR = 13
const COLON = 58
const SPACE = 32

/** Whether a line of the text, from `start` to `end`, is a field of that name. Names hold no line end: none reaches beyond. */
const isField = (text: string, start: number, end: number, name: string): boolean =>
  text.startsWith(name, start) && (start + name.length === end || text.charCodeAt(start + name.length) === COLON)
/** What stands in a line behind its colon, and behind one space; nothing where the colon would be its end. */
const valueAfter = (text: string, colon: number, end: number): string =>
  text.slice(text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1, end)

export class SseTooLargeError extends Error {
  constructor(readonly limit: number) {
    super(`One event of the stream is longer than ${limit} characters.`)
    this.name = 'SseTooLargeError'
  }
}

export class SseParser {
  /** Characters looked at or copied so far; grows linearly with the input (tests hold it to that). */
  work = 0
  /** Of the last block that is complete: an event cut off in the middle does not move it. */
  lastEventId = ''
  readonly #decoder = new Utf8Pieces()
  readonly #max: number
  readonly #onComment: ((text: string) => void) | undefined
  readonly #onRetry: ((ms: number) => void) | undefined
  #pieces: string[] = []
  #piecesLength = 0
  #skipsLf = false
  #event = ''
  /** The name that came last. Names repeat: one string for all of them is compared and looked up fastest. */
  #named = ''
  #id: string | undefined
  #idBuffer = ''
  #data: string[] | undefined
  #dataLength = 0

  constructor({ maxEventLength = DEFAULT_MAX_LENGTH, onComment, onRetry }: SseOptions = {}) {
    this.#max = maxEventLength
    this.#onComment = onComment
    this.#onRetry = onRetry
  }

  /** The events that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = []
    this.#cut(this.#decoder.push(bytes), events)
    return events
  }

  /** Ends the stream: an event without its closing blank line is dropped, as the standard says. The parser starts again. */
  end(): void {
    this.#decoder.end()
    this.#pieces = []
    this.#piecesLength = 0
    this.#skipsLf = false
    this.#idBuffer = this.lastEventId
    this.#reset()
  }

  #cut(text: string, events: SseEvent[]): void {
    if (text === '') return
    let start = 0
    if (this.#skipsLf) {
      this.#skipsLf = false
      if (text[0] === '\n') start = 1
    }
    // The next CR is looked up again only once it is passed, else a text of many LF and one far CR would cost its square.
    let cr = text.indexOf('\r', start)
    let lf = text.indexOf('\n', start)
    this.work += text.length
    while (cr !== -1 || lf !== -1) {
      const at = cr === -1 ? lf : lf === -1 ? cr : Math.min(cr, lf)
      if (this.#piecesLength === 0) this.#line(text, start, at, events)
      else {
        const line = this.#whole(text.slice(start, at))
        this.#line(line, 0, line.length, events)
      }
      start = at + 1
      if (text.charCodeAt(at) === CR) {
        if (start === text.length) this.#skipsLf = true
        else if (lf === start) start++
      }
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start)
      if (lf !== -1 && lf < start) lf = text.indexOf('\n', start)
    }
    if (start < text.length) {
      this.#pieces.push(start === 0 ? text : text.slice(start))
      this.#piecesLength += text.length - start
      if (this.#piecesLength + this.#dataLength > this.#max) throw new SseTooLargeError(this.#max)
    }
  }

  #whole(tail: string): string {
    this.#pieces.push(tail)
    const line = this.#pieces.join('')
    this.work += line.length
    this.#pieces = []
    this.#piecesLength = 0
    return line
  }

  /** The line of the text from `start` to `end`: what it says is cut out of it, not the line. */
  #line(text: string, start: number, end: number, events: SseEvent[]): void {
    if (start === end) {
      this.#dispatch(events)
      return
    }
    if (isField(text, start, end, 'data')) {
      const value = valueAfter(text, start + 4, end)
      this.#dataLength += value.length + 1
      if (this.#dataLength > this.#max) throw new SseTooLargeError(this.#max)
      if (this.#data) this.#data.push(value)
      else this.#data = [value]
    } else if (isField(text, start, end, 'event')) {
      const value = valueAfter(text, start + 5, end)
      if (value !== this.#named) this.#named = value
      this.#event = this.#named
    } else if (isField(text, start, end, 'id')) {
      const value = valueAfter(text, start + 2, end)
      if (value.includes('\0')) return
      this.#id = value
      this.#idBuffer = value
    } else if (text.charCodeAt(start) === COLON) this.#onComment?.(text.slice(start + 1, end))
    else if (isField(text, start, end, 'retry')) {
      const value = valueAfter(text, start + 5, end)
      if (/^[0-9]+$/.test(value)) this.#onRetry?.(Number(value))
    }
  }

  #dispatch(events: SseEvent[]): void {
    this.lastEventId = this.#idBuffer
    if (this.#data) {
      const [first = ''] = this.#data
      const data = this.#data.length === 1 ? first : this.#data.join('\n')
      this.work += data.length
      events.push({ event: this.#event || 'message', data, id: this.#id, lastEventId: this.lastEventId })
    }
    this.#reset()
  }

  #reset(): void {
    this.#event = ''
    this.#id = undefined
    this.#data = undefined
    this.#dataLength = 0
  }
}

/**
 * Bytes of UTF-8 to text, piece by piece. As a decoder that is told of a stream does it, but whole characters at a time: Node
 * decodes those several times faster.
 */
class Utf8Pieces {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** The beginning of a character of which the rest has not come. */
  #rest: Uint8Array | undefined
  #isFirst = true

  push(bytes: Uint8Array): string {
    let piece = bytes
    if (this.#rest) {
      piece = new Uint8Array(this.#rest.length + bytes.length)
      piece.set(this.#rest)
      piece.set(bytes, this.#rest.length)
      this.#rest = undefined
    }
    const end = lastStart(piece)
    if (end < piece.length) this.#rest = new Uint8Array(piece.subarray(end))
    const text = this.#decoder.decode(end < piece.length ? piece.subarray(0, end) : piece)
    if (!this.#isFirst || text === '') return text
    this.#isFirst = false
    return text.charCodeAt(0) === BOM ? text.slice(1) : text
  }

  end(): void {
    this.#rest = undefined
    this.#isFirst = true
  }
}

const BOM = 0xfeff

/** Where a character begins of which not all bytes are there; the length where there is none. */
function lastStart(bytes: Uint8Array): number {
  const { length } = bytes
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] as number // within its length
    if (byte < 0x80) return length
    if (byte < 0xc0) continue
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return needed > back ? length - back : length
  }
  return length
}
