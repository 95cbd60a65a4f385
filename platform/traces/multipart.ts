/**
 * Parses multipart/form-data as it streams in, with one part in memory. Each part is emitted once complete, so that
 * those before a broken connection are not lost.
 */

export type Part = {
  name: string
  contentType: string /** The length that the sender declares, in bytes. */
  length: number | undefined
  data: Buffer
}

const HEADERS_END = Buffer.from('\r\n\r\n')
const MAX_HEADERS = 16_384

/** The body is broken; parts already emitted remain valid. */
export class MalformedBody extends Error {
  override name = 'BrokenBody'
}

/** The boundary of a content type; undefined if it is not multipart. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const found = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType ?? '')
  return found?.[1] ?? found?.[2]
}

export class MultipartReader {
  readonly #delimiter: Buffer
  #rest: Buffer
  #state: 'preamble' | 'headers' | 'body' | 'end' = 'preamble'
  #body: Buffer[] = []
  #bodyBytes = 0
  #head: Omit<Part, 'data'> | undefined

  constructor(
    boundary: string,
    private readonly onPart: (part: Part) => void,
    private readonly maxPartBytes: number,
  ) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
    // The first delimiter may be at the very start, without a preceding line break.
    this.#rest = Buffer.from('\r\n')
  }

  /** Throws BrokenBody for an invalid multipart body. */
  push(chunk: Buffer): void {
    if (this.#state === 'end') return
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#step());
  }

  /** Throws BrokenBody if the closing delimiter is missing. */
  end(): void {
    if (this.#state === 'end') return
    throw new MalformedBody(
      this.#head ? `The body ends inside of part ${this.#head.name}` : 'The body ends before its closing boundary',
    )
  }

  #step(): boolean {
    if (this.#state === 'headers') return this.#readHeaders()
    if (this.#state === 'end') return false
    const at = this.#rest.indexOf(this.#delimiter)
    // The next two bytes tell whether it closes the body or is data.
    if (at !== -1 && this.#rest.length < at + this.#delimiter.length + 2) {
      this.#take(at)
      return false
    }
    if (at === -1) {
      this.#take(this.#rest.length - this.#delimiter.length)
      return false
    }
    const behind = at + this.#delimiter.length
    const isClosing = this.#rest[behind] === 45 && this.#rest[behind + 1] === 45
    const isNext = this.#rest[behind] === 13 && this.#rest[behind + 1] === 10
    if (!isClosing && !isNext) {
      this.#take(behind)
      return true
    }
    this.#take(at)
    this.#finish()
    this.#rest = this.#rest.subarray(this.#delimiter.length + 2)
    this.#state = isClosing ? 'end' : 'headers'
    return true
  }

  /** Moves bytes to the current part. */
  #take(count: number): void {
    if (count <= 0) return
    const taken = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    if (this.#state !== 'body') return
    this.#bodyBytes += taken.length
    if (this.#bodyBytes > this.maxPartBytes)
      throw new MalformedBody(`Part ${this.#head?.name} is larger than ${this.maxPartBytes} bytes`)
    this.#body.push(taken)
  }

  #finish(): void {
    const head = this.#head
    if (this.#state !== 'body' || !head) return
    const [only] = this.#body
    const data = this.#body.length === 1 && only ? only : Buffer.concat(this.#body)
    this.#body = []
    this.#bodyBytes = 0
    this.#head = undefined
    this.onPart({ ...head, data })
  }

  #readHeaders(): boolean {
    const end = this.#rest.indexOf(HEADERS_END)
    if (end === -1) {
      if (this.#rest.length > MAX_HEADERS) throw new MalformedBody("A part's headers do not end")
      return false
    }
    const lines = this.#rest.subarray(0, end).toString('utf8').split('\r\n')
    this.#rest = this.#rest.subarray(end + HEADERS_END.length)
    const header = (name: string) =>
      lines
        .find((line) => line.toLowerCase().startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim()
    const name = /;\s*name="([^"]*)"/i.exec(header('content-disposition') ?? '')?.[1]
    if (name === undefined) throw new MalformedBody('A part has no name')
    if (header('content-encoding'))
      throw new MalformedBody(`Part ${name} has an encoding of its own, which is not allowed`)
    const contentType = header('content-type') ?? 'application/octet-stream'
    const length = /;\s*length=(\d+)/i.exec(contentType)?.[1]
    this.#head = {
      name,
      contentType: contentType.split(';')[0]?.trim() ?? '',
      length: length ? Number(length) : undefined,
    }
    this.#state = 'body'
    return true
  }
}
