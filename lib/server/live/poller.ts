import 'server-only'
import type { ErrorCode } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { onAnswer, type Server } from '../process/answers'
import { errorView } from '../process/result'
import { type Reader, readAlone } from './cluster-read'
import type { LiveTiming } from './timing'

/** How a record or list is watched. */
export type Watched<T> = {
  /** Who is asked, for messages. */
  upstream: string
  /** After a failure it is read again as soon as this one answers anything. */
  server?: Server
  /** A read of many servers, which takes this long if one of them does not answer. */
  lateMs?: number
  read: (signal: AbortSignal) => Promise<T>
  /** Whether it is about to change, and so should be read often. */
  isMoving: (value: T) => boolean
  /** Calls the listener when it may have changed. */
  onHint?: (listener: () => void) => () => void
  /** A short form for subscribers that ask for it. */
  brief?: (value: T) => unknown
}

export type Seen = { version: number } & (
  | { kind: 'nothing' }
  | { kind: 'value'; text: string; brief: string | undefined; at: number }
  | { kind: 'error'; code: ErrorCode; message: string; since: number | undefined; at: number }
)

/** Of what another instance has read. Below `movingMs`, so that a lone reader keeps its pace. */
const FRESH_SHARE = 0.9

/** Reads one record or list for all its subscribers, more often while it changes. Stops with the last subscriber. */
export class Poller<T> {
  seen: Seen = { version: 0, kind: 'nothing' }
  readonly #watched: Watched<T>
  readonly #timing: LiveTiming['poll']
  readonly #onIdle: () => void
  readonly #reader: Reader<T>
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #isReading = false
  #readAt = Number.NEGATIVE_INFINITY
  #answeredAt: number | undefined
  #isHinted = false
  #unhint: () => void = () => {}
  #unwait: () => void = () => {}
  /** Whether it waits after a failure, and may be asked before that wait is over. */
  #isWaiting = false

  constructor(watched: Watched<T>, timing: LiveTiming['poll'], onIdle: () => void, reader: Reader<T> = readAlone) {
    this.#watched = watched
    this.#timing = timing
    this.#onIdle = onIdle
    this.#reader = reader
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      const { onHint, server } = this.#watched
      this.#unhint = onHint?.(() => this.#hurry(this.#timing.hintMs)) ?? (() => {})
      // No sooner: another read that fails in part would wake this one, and this one the other.
      const hurry = () => this.#isWaiting && this.#hurry(this.#timing.movingMs)
      this.#unwait = server ? onAnswer(server, hurry) : () => {}
      void this.#poll()
    }
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      clearTimeout(this.#timer)
      this.#unhint()
      this.#unwait()
      this.#stop.abort(new Error('No subscribers are left.'))
      this.#onIdle()
    }
  }

  /** Reads again, this long after the last read. */
  #hurry(afterMs: number): void {
    this.#isHinted = true
    this.#schedule(Math.max(0, this.#readAt + afterMs - performance.now()))
  }

  #schedule(ms: number): void {
    if (this.#isReading || this.#stop.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#poll(), ms)
  }

  async #poll(): Promise<void> {
    if (this.#isReading || this.#stop.signal.aborted) return
    this.#isReading = true
    this.#readAt = performance.now()
    const pause = await this.#read()
    this.#isReading = false
    this.#schedule(pause)
  }

  /** How old an answer may be: newer than the last one, and than a hint. */
  get #freshMs(): number {
    const isHinted = this.#isHinted
    this.#isHinted = false
    const since = Date.now() - (this.#answeredAt ?? 0)
    return isHinted ? 0 : Math.min(since, this.#timing.movingMs * FRESH_SHARE)
  }

  async #read(): Promise<number> {
    const { upstream, lateMs = this.#timing.lateMs } = this.#watched
    const message = `The ${upstream} did not respond within ${lateMs / 1000} seconds.`
    const late = setTimeout(() => this.#fail('upstream_unreachable', message), lateMs)
    try {
      const { value, at } = await this.#reader(this.#watched.read, this.#freshMs, this.#stop.signal)
      const text = printJson(value)
      this.#failures = 0
      this.#isWaiting = false
      this.#answeredAt = at
      if (this.seen.kind !== 'value' || this.seen.text !== text)
        this.#see({
          kind: 'value',
          text,
          brief: this.#watched.brief && printJson(this.#watched.brief(value)),
          at,
          version: this.seen.version + 1,
        })
      return this.#watched.isMoving(value) ? this.#timing.movingMs : this.#timing.idleMs
    } catch (error) {
      if (this.#stop.signal.aborted) return 0
      this.#failures++
      const { code, message, retryAfterMs = 0 } = errorView(error)
      this.#fail(code, message)
      this.#isWaiting = retryAfterMs === 0
      return Math.max(
        retryAfterMs,
        Math.min(this.#timing.movingMs * 2 ** (this.#failures - 1), this.#timing.errorMaxMs),
      )
    } finally {
      clearTimeout(late)
    }
  }

  /** Sent every time: a viewer may have loaded the data by other means in between. */
  #fail(code: ErrorCode, message: string): void {
    if (this.#stop.signal.aborted) return
    const since = this.#answeredAt
    this.#see({ kind: 'error', code, message, since, at: Date.now(), version: this.seen.version + 1 })
  }

  #see(seen: Seen): void {
    this.seen = seen
    for (const listener of this.#listeners) listener()
  }
}
