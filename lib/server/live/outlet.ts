import 'server-only'
import type { ServerResponse } from 'node:http'
import { OPENING } from './frames'

/** What is on its way to one viewer at most. Everything else stays in the logs that all viewers share. */
const WINDOW_BYTES = 256 * 1024

type Events = {
  /** There is room (again). */
  onRoom: () => void
  /** The one who reads has gone. */
  onGone: () => void
}

/**
 * The body of one viewer's answer. Headers and first bytes go through the framework; once they are out, what follows is
 * written to Node's own answer where that is known (`nodeResponse` says why), else through the framework too.
 */
export class Outlet {
  readonly body: ReadableStream<Uint8Array>
  readonly #response: ServerResponse | undefined
  readonly #onRoom: () => void
  #controller!: ReadableStreamDefaultController<Uint8Array> // set by start(), which the stream's constructor calls
  /** Waits for the headers: through the framework it might come out behind what is written directly. */
  #early: Buffer[] = []
  #isDirect = false
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
    return this.#isDirect && this.#response.writableLength < WINDOW_BYTES
  }

  write(parts: readonly Buffer[]): void {
    if (this.#isOver) return
    if (!this.#response) for (const part of parts) this.#controller.enqueue(part)
    else if (!this.#isDirect) this.#early.push(...parts)
    else if (!this.#response.destroyed) for (const part of parts) this.#response.write(part)
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
    this.#response?.off('drain', this.#onRoom)
  }

  #goDirect(response: ServerResponse): void {
    if (this.#isDirect || this.#isOver) return
    // The headers leave together with the first bytes, a moment after these were taken.
    if (!response.headersSent) {
      setImmediate(() => this.#goDirect(response))
      return
    }
    this.#isDirect = true
    response.on('drain', this.#onRoom)
    this.write(this.#early.splice(0))
    this.#onRoom()
  }
}
