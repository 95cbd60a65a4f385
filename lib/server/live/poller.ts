import 'server-only'
import { printJson } from '@/lib/json/lossless'
import { errorView } from '../process/result'

/** How a record or list is watched. */
export type Watched<T> = {
  read: (signal: AbortSignal) => Promise<T>
  /** Something in it is on its way, so it is looked at often. */
  isMoving: (value: T) => boolean
  /** Calls back when it may have changed, where somebody tells. */
  onHint?: (listener: () => void) => () => void
  /** A short form, for those who want no more of it. */
  brief?: (value: T) => unknown
}

/** Milliseconds between looks. An object, so that tests can shorten them. */
export const PACE = { movingMs: 2_000, settledMs: 6_000, errorMaxMs: 30_000, hintMs: 300 }

export type Seen = { version: number } & (
  | { kind: 'nothing' }
  | { kind: 'value'; text: string; brief: string | undefined; at: number }
  | { kind: 'error'; code: string; message: string; at: number }
)

/** Looks at one thing for all who watch it, in every browser; the interval follows what it sees. Stops when nobody watches. */
export class Poller<T> {
  seen: Seen = { version: 0, kind: 'nothing' }
  readonly #watched: Watched<T>
  readonly #onIdle: () => void
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #isReading = false
  #lookedAt = 0
  #unhint: () => void = () => {}

  constructor(watched: Watched<T>, onIdle: () => void) {
    this.#watched = watched
    this.#onIdle = onIdle
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#unhint =
        this.#watched.onHint?.(() => this.#schedule(Math.max(0, this.#lookedAt + PACE.hintMs - Date.now()))) ??
        (() => {})
      void this.#look()
    }
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      clearTimeout(this.#timer)
      this.#unhint()
      this.#stop.abort(new Error('Nobody watches any more.'))
      this.#onIdle()
    }
  }

  #schedule(ms: number): void {
    if (this.#isReading || this.#stop.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), ms)
  }

  async #look(): Promise<void> {
    if (this.#isReading || this.#stop.signal.aborted) return
    this.#isReading = true
    this.#lookedAt = Date.now()
    const pause = await this.#read()
    this.#isReading = false
    this.#schedule(pause)
  }

  async #read(): Promise<number> {
    try {
      const value = await this.#watched.read(this.#stop.signal)
      const text = printJson(value)
      this.#failures = 0
      if (this.seen.kind !== 'value' || this.seen.text !== text)
        this.#see({
          kind: 'value',
          text,
          brief: this.#watched.brief && printJson(this.#watched.brief(value)),
          at: Date.now(),
          version: this.seen.version + 1,
        })
      return this.#watched.isMoving(value) ? PACE.movingMs : PACE.settledMs
    } catch (error) {
      if (this.#stop.signal.aborted) return 0
      this.#failures++
      const { code, message, retryAfterMs = 0 } = errorView(error)
      // Told each time: a viewer may have read it by other means in between.
      this.#see({ kind: 'error', code, message, at: Date.now(), version: this.seen.version + 1 })
      return Math.max(retryAfterMs, Math.min(PACE.movingMs * 2 ** (this.#failures - 1), PACE.errorMaxMs))
    }
  }

  #see(seen: Seen): void {
    this.seen = seen
    for (const listener of this.#listeners) listener()
  }
}
