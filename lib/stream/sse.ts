/**
 * Parses `text/event-stream` bytes by the WHATWG standard, in chunks of any size and linear time: an incomplete line is
 * kept in pieces and joined once. A line that ends in CR ends there, so that no event waits for an LF that may never
 * come.
 */
export type SseEvent = {
  /** `message` if the stream names none. */
  event: string
  /** The data lines joined by LF. */
  data: string
  /** The id in this event's own block, if any. */
  id: string | undefined
  /** The stream's last id so far, for `Last-Event-ID` when resuming after this event. */
  lastEventId: string
}

export type SseOptions = {
  /** Longest event or line; beyond it `push` throws SseTooLargeError. */
  maxEventLength?: number
  /** Called with the text of each comment line, such as heartbeats. */
  onComment?: (text: string) => void
  /** Called for each valid `retry:` with milliseconds. */
  onRetry?: (ms: number) => void
}

const DEFAULT_MAX_LENGTH = 64 * 1024 * 1024
/**
 * Bytes decoded into one text. An event is a slice of its text and keeps all of it in memory for as long as somebody
 * keeps the event, and a browser reads up to 2 MB at once.
 */
const MOST_DECODED = 64 * 1024
const CR = 13
const COLON = 58
const SPACE = 32

/**
 * Whether the line from `start` to `end` is a field of that name. Names contain no line end, so none matches beyond the
 * line.
 */
const isField = (text: string, start: number, end: number, name: string): boolean =>
  text.startsWith(name, start) && (start + name.length === end || text.charCodeAt(start + name.length) === COLON)
/** The text after a line's colon and one optional space; '' if the colon is past its end. */
const valueAfter = (text: string, colon: number, end: number): string =>
  text.slice(text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1, end)

export class SseTooLargeError extends Error {
  constructor(readonly limit: number) {
    super(`One event of the stream is longer than ${limit} characters.`)
    this.name = 'SseTooLargeError'
  }
}

export class SseParser {
  /** Characters read or copied so far; must grow linearly with the input. */
  work = 0
  /** Of the last complete block; an incomplete event does not change it. */
  lastEventId = ''
  readonly #decoder = new Utf8Pieces()
  readonly #max: number
  readonly #onComment: ((text: string) => void) | undefined
  readonly #onRetry: ((ms: number) => void) | undefined
  #pieces: string[] = []
  #piecesLength = 0
  #skipsLf = false
  #event = ''
  /** The last event name. Names repeat, and one shared string is compared fastest. */
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

  /** Adds bytes and returns the events that they complete. */
  push(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = []
    for (let at = 0; at < bytes.length; at += MOST_DECODED)
      this.#cut(this.#decoder.push(bytes.subarray(at, at + MOST_DECODED)), events)
    return events
  }

  /**
   * Ends the stream and resets the parser. An event without its closing blank line is dropped, as the standard says.
   */
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
    // The next CR is only searched once it is passed; otherwise many LFs before a distant CR would be quadratic.
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

  /** Reads the line from `start` to `end` without cutting it out of the text. */
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
 * Decodes UTF-8 in chunks, like a streaming decoder, but by whole characters, which Node decodes several times faster.
 */
class Utf8Pieces {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** The beginning of a character whose rest has not arrived. */
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

/** Where an incomplete character at the end begins; the length if there is none. */
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
