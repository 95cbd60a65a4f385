import 'server-only'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OPENING } from './frames'

/** Most bytes in flight to one connection. Everything else stays in the logs that all connections share. */
const WINDOW_BYTES = 256 * 1024
/** Headers that have not left by then are sent in a way we do not know, so everything goes through the framework. */
const HEADERS_TIMEOUT_MS = 2_000

type Events = {
  /** There is room (again). */
  onRoom: () => void
  /** The client disconnected. */
  onGone: () => void
}
type Options = { headersTimeoutMs?: number }

/** More than this is written in parts instead of being copied into one buffer. */
const COPY_BYTES = 64 * 1024
const CRLF = Buffer.from('\r\n')
/** Parts that many connections are sent in a row are framed once. */
let framed: { parts: readonly Buffer[]; chunk: readonly Buffer[] } | undefined

const sizeOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)
const joined = (parts: readonly Buffer[]) => (sizeOf(parts) <= COPY_BYTES ? [Buffer.concat(parts)] : parts)

/** One chunk of HTTP/1.1's chunked coding. */
function asChunk(parts: readonly Buffer[]): readonly Buffer[] {
  if (framed?.parts !== parts)
    framed = { parts, chunk: joined([Buffer.from(`${sizeOf(parts).toString(16)}\r\n`), ...parts, CRLF]) }
  return framed.chunk
}

/**
 * The response body of one live connection. Headers and first bytes go through the framework, the rest straight to the
 * socket of Node's response if one is given.
 */
export class Outlet {
  readonly body: ReadableStream<Uint8Array>
  /** Undefined when everything goes through the framework. */
  #response: ServerResponse | undefined
  readonly #onRoom: () => void
  readonly #headersDueAt: number
  #controller!: ReadableStreamDefaultController<Uint8Array> // set by start(), which the stream's constructor calls
  /** Written before the headers left: sent through the framework it could arrive after direct writes. */
  #early: Buffer[] = []
  /** Set once direct writes have begun. */
  #socket: Socket | undefined
  #isOver = false

  constructor(
    response: ServerResponse | undefined,
    { onRoom, onGone }: Events,
    { headersTimeoutMs = HEADERS_TIMEOUT_MS }: Options = {},
  ) {
    this.#response = response
    this.#onRoom = onRoom
    this.#headersDueAt = performance.now() + headersTimeoutMs
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          controller.enqueue(OPENING)
        },
        pull: () => (this.#response ? this.#goDirect(this.#response) : onRoom()),
        cancel: () => {
          this.#stop()
          onGone()
        },
      },
      // With direct writes, the first pull means that the framework took the first bytes.
      new ByteLengthQueuingStrategy({ highWaterMark: response ? 1 : WINDOW_BYTES }),
    )
  }

  get isDirect(): boolean {
    return this.#socket !== undefined
  }

  get hasRoom(): boolean {
    if (this.#isOver) return false
    if (!this.#response) return (this.#controller.desiredSize ?? 0) > 0
    return this.#socket !== undefined && this.#socket.writableLength < WINDOW_BYTES
  }

  write(parts: readonly Buffer[]): void {
    if (this.#isOver || parts.length === 0) return
    if (!this.#response) for (const part of joined(parts)) this.#controller.enqueue(part)
    else if (!this.#socket) this.#early.push(...parts)
    else if (!this.#socket.destroyed) this.#put(this.#socket, this.#response.chunkedEncoding ? asChunk(parts) : parts)
  }

  #put(socket: Socket, pieces: readonly Buffer[]): void {
    if (pieces.length > 1) socket.cork()
    for (const piece of pieces) socket.write(piece)
    if (pieces.length > 1) socket.uncork()
  }

  /** Ends the body after what was written. */
  close(): void {
    if (this.#isOver) return
    this.#stop()
    for (const part of this.#early) this.#controller.enqueue(part)
    this.#controller.close()
  }

  #stop(): void {
    this.#isOver = true
    this.#socket?.off('drain', this.#onRoom)
  }

  #goDirect(response: ServerResponse): void {
    if (this.#socket || this.#isOver) return
    if (!response.headersSent) {
      // The framework sends the headers a moment after it took the first bytes.
      if (performance.now() < this.#headersDueAt) setImmediate(() => this.#goDirect(response))
      else this.#goThroughFramework()
      return
    }
    if (response.hasHeader('content-encoding')) {
      this.#goThroughFramework() // bytes written directly would skip the compression
      return
    }
    if (!response.socket) return // the client disconnected
    this.#socket = response.socket
    this.#socket.on('drain', this.#onRoom)
    this.write(this.#early.splice(0))
    this.#onRoom()
  }

  #goThroughFramework(): void {
    this.#response = undefined
    this.write(this.#early.splice(0))
    if (this.hasRoom) this.#onRoom()
  }
}
