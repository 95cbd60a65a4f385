import 'server-only'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { OPENING } from './frames'

/** What is on its way to one viewer at most. Everything else stays in the logs that all viewers share. */
const WINDOW_BYTES = 256 * 1024

type Events = {
  /** There is room (again). */
  onRoom: () => void
  /** The one who reads has gone. */
  onGone: () => void
}

const CRLF = Buffer.from('\r\n')
/** Parts that many viewers are sent are framed once. */
const framed = new WeakMap<readonly Buffer[], readonly Buffer[]>()

/** As one chunk of HTTP/1.1's chunked coding. */
function asChunk(parts: readonly Buffer[]): readonly Buffer[] {
  let chunk = framed.get(parts)
  if (!chunk) {
    const size = parts.reduce((sum, { length }) => sum + length, 0)
    const whole = [Buffer.from(`${size.toString(16)}\r\n`), ...parts, CRLF]
    chunk = parts.length === 1 ? [Buffer.concat(whole)] : whole
    framed.set(parts, chunk)
  }
  return chunk
}

/**
 * The body of one viewer's answer. Headers and first bytes go through the framework; once they are out, what follows is
 * written to the connection of Node's own answer where that is known (`nodeResponse` says why; the answer's own `write`
 * holds the connection back until a tick of its own has passed, for each piece), else through the framework too.
 */
export class Outlet {
  readonly body: ReadableStream<Uint8Array>
  readonly #response: ServerResponse | undefined
  readonly #onRoom: () => void
  #controller!: ReadableStreamDefaultController<Uint8Array> // set by start(), which the stream's constructor calls
  /** Waits for the headers: through the framework it might come out behind what is written directly. */
  #early: Buffer[] = []
  /** Of the response, once what follows is written to it. */
  #socket: Socket | undefined
  #isOver = false

  constructor(response: ServerResponse | undefined, { onRoom, onGone }: Events) {
    this.#response = response
    this.#onRoom = onRoom
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          controller.enqueue(OPENING)
        },
        pull: () => (response ? this.#goDirect(response) : onRoom()),
        cancel: () => {
          this.#stop()
          onGone()
        },
      },
      // Where the rest is written directly, to be asked for more means that the first bytes were taken.
      new ByteLengthQueuingStrategy({ highWaterMark: response ? 1 : WINDOW_BYTES }),
    )
  }

  get hasRoom(): boolean {
    if (this.#isOver) return false
    if (!this.#response) return (this.#controller.desiredSize ?? 0) > 0
    return this.#socket !== undefined && this.#socket.writableLength < WINDOW_BYTES
  }

  write(parts: readonly Buffer[]): void {
    if (this.#isOver || parts.length === 0) return
    if (!this.#response) for (const part of parts) this.#controller.enqueue(part)
    else if (!this.#socket) this.#early.push(...parts)
    else if (!this.#socket.destroyed) this.#put(this.#socket, this.#response.chunkedEncoding ? asChunk(parts) : parts)
  }

  #put(socket: Socket, pieces: readonly Buffer[]): void {
    if (pieces.length > 1) socket.cork()
    for (const piece of pieces) socket.write(piece)
    if (pieces.length > 1) socket.uncork()
  }

  /** Ends the body behind what was written. */
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
    // The headers leave together with the first bytes, a moment after these were taken.
    if (!response.headersSent) {
      setImmediate(() => this.#goDirect(response))
      return
    }
    if (!response.socket) return // the one who reads has gone
    this.#socket = response.socket
    this.#socket.on('drain', this.#onRoom)
    this.write(this.#early.splice(0))
    this.#onRoom()
  }
}
