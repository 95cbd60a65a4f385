import 'server-only'
import { type SseEvent, SseParser } from '@/lib/stream/sse'
import { type ByteSource, sourceOf } from '../../transport/gathered-stream'
import type { RecorderTiming } from '../log/timing'

export type Ending =
  /** The server closed the stream, which does not mean that the run is over. */
  { how: 'closed' } | { how: 'broken' | 'refused'; reason: string } | { how: 'stopped' }

/** A read below this size is a trickle. A larger one is followed by the next read without waiting. */
const TRICKLE_BYTES = 4096

type Options = {
  onEvents: (events: SseEvent[]) => void
  /** Milliseconds until the current frame is sent. A trickle gathers in the connection until then. */
  frameRest: () => number
  /** Awaited before the next read, so that a full store slows down the upstream. */
  room: () => Promise<void> | undefined
  /** Called after a silence if the server sends no heartbeats. */
  isRunOver: () => Promise<boolean>
  signal: AbortSignal
  timing: RecorderTiming
}

/** Reads one upstream stream to its end. Never throws because of the upstream. */
export function drain(body: ReadableStream<Uint8Array>, options: Options): Promise<Ending> {
  return new Promise((resolve) => new Drain(body, options, resolve).read())
}

class Drain {
  readonly #source: ByteSource
  readonly #options: Options
  readonly #onEnd: (how: Ending) => void
  readonly #parser: SseParser
  readonly #watch: NodeJS.Timeout
  readonly #heartbeat = { last: 0, interval: 0, count: 0 }
  #rest: NodeJS.Timeout | undefined
  #heardAt = performance.now()
  #askAfter: number
  #isAsking = false
  #isOver = false

  constructor(body: ReadableStream<Uint8Array>, options: Options, onEnd: (how: Ending) => void) {
    this.#source = sourceOf(body)
    this.#options = options
    this.#onEnd = onEnd
    this.#askAfter = options.timing.quietMs
    this.#parser = new SseParser({ onComment: () => this.#beat() })
    this.#watch = setInterval(() => this.#listen(), options.timing.watchMs)
    options.signal.addEventListener('abort', this.#stop)
    if (options.signal.aborted) this.#stop()
  }

  // Calls instead of promises: this runs for each frame of each run.
  read = (): void => {
    if (this.#isOver) return
    this.#heardAt = performance.now()
    this.#source.read(this.#take)
  }

  #take = (bytes: Uint8Array | undefined, failure?: unknown): void => {
    if (this.#isOver) return
    if (failure) this.#fail(failure)
    else if (bytes) this.#pass(bytes)
    else this.#end({ how: 'closed' })
  }

  #pass(bytes: Uint8Array): void {
    const { onEvents, room, timing } = this.#options
    this.#heardAt = performance.now()
    this.#askAfter = timing.quietMs
    try {
      const events = this.#parser.push(bytes)
      if (events.length > 0) onEvents(events)
    } catch (error) {
      this.#fail(error)
      return
    }
    const wait = room()
    if (wait) void wait.then(() => this.#pause(bytes))
    else this.#pause(bytes)
  }

  #pause({ length }: Uint8Array): void {
    const rest = length < TRICKLE_BYTES ? this.#options.frameRest() : 0
    if (rest > 0 && !this.#isOver) this.#rest = setTimeout(this.read, rest)
    else this.read()
  }

  #stop = (): void => this.#end({ how: 'stopped' })

  #fail(error: unknown): void {
    // Compared by name, because another copy of the module may have thrown it.
    if (error instanceof Error && error.name === 'SseTooLargeError')
      this.#end({ how: 'refused', reason: error.message })
    else this.#end({ how: 'broken', reason: `The connection broke (${textOf(error)}).` })
  }

  #end(how: Ending): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#watch)
    clearTimeout(this.#rest)
    this.#options.signal.removeEventListener('abort', this.#stop)
    this.#parser.end()
    this.#source.cancel(how.how)
    this.#onEnd(how)
  }

  #beat(): void {
    const beat = this.#heartbeat
    const now = performance.now()
    if (beat.count++ > 0) beat.interval = Math.max(beat.interval, now - beat.last)
    beat.last = now
  }

  /** Ends a stream whose heartbeats have stopped; of one without heartbeats, asks whether the run is over. */
  #listen(): void {
    const { timing, isRunOver } = this.#options
    const silence = performance.now() - this.#heardAt
    if (this.#heartbeat.count >= 2) {
      const limit = Math.min(Math.max(this.#heartbeat.interval * 3, timing.heartbeatMinMs), timing.heartbeatMaxMs)
      if (silence > limit)
        this.#end({ how: 'broken', reason: `The server's heartbeats stopped for ${Math.round(silence / 1000)} s.` })
    } else if (silence > this.#askAfter && !this.#isAsking) {
      this.#isAsking = true
      this.#askAfter = Math.min(this.#askAfter * 2, timing.quietMs * 4)
      isRunOver()
        .then(
          (isOver) => isOver && this.#end({ how: 'closed' }),
          () => {},
        )
        .finally(() => {
          this.#isAsking = false
        })
    }
  }
}

const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error'
  const { cause } = error
  return cause instanceof Error && cause.message ? cause.message : error.message
}
