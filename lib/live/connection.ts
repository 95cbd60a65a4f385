import type { LiveFrame, Subscription } from '@/lib/contracts/wire/live'
import { readEntries } from '@/lib/stream/entry-text'
import { SseParser } from '@/lib/stream/sse'
import type { LiveEnvironment, LiveWaits } from './environment'
/** `ended`: the session has; `refused`: the page, for another reason, until it is reloaded. Neither is tried again. */
export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'offline' | Refusal
type Refusal = 'ended' | { refused: string }
/** A frame that belongs to one subscription. */
export type OwnFrame = Extract<LiveFrame, { id: string }>

type Options = {
  environment: LiveEnvironment
  /** The current subscriptions with their cursors. Called for each post. */
  subscriptions: () => Subscription[]
  /** False if the frame does not follow what came before; then the connection is reopened. */
  onFrame: (frame: OwnFrame, text: string) => boolean
  onState: (state: ConnectionState) => void
}

/**
 * The browser's only stream. It posts again with the current cursors when subscriptions change and when the stream
 * ends, breaks or falls silent, so nothing is lost or repeated.
 */
export class Connection {
  state: ConnectionState = 'connecting'
  readonly #options: Options
  readonly #waits: LiveWaits
  #abort: AbortController | undefined
  #postTimer: ReturnType<typeof setTimeout> | undefined
  #postAt = Infinity
  #watch: ReturnType<typeof setInterval> | undefined
  #unwake: (() => void) | undefined
  #heardAt = 0
  #tries = 0
  #wasLive = false

  constructor(options: Options) {
    this.#options = options
    this.#waits = options.environment.waits
  }

  /** The subscriptions have changed. */
  change(how: 'added' | 'removed'): void {
    this.#unwake ??= this.#options.environment.onWake(() => this.#wake())
    // The subscriber may be in a visible tab, while a hidden tab's timers are slow.
    const addedMs = this.#options.environment.isHidden() ? 0 : this.#waits.addedMs
    this.#schedule(how === 'added' ? addedMs : this.#waits.removedMs)
  }

  close(): void {
    clearTimeout(this.#postTimer)
    clearInterval(this.#watch)
    this.#unwake?.()
    this.#unwake = undefined
    this.#abort?.abort()
    this.#abort = undefined
  }

  #schedule(ms: number): void {
    const at = Date.now() + ms
    if (at >= this.#postAt) return
    clearTimeout(this.#postTimer)
    this.#postAt = at
    this.#postTimer = setTimeout(() => {
      this.#postAt = Infinity
      void this.#post()
    }, ms)
  }

  /** Reopens the stream if it has been dead for a while, which a hidden tab's slow timers may not have noticed. */
  check(): void {
    if (this.#abort && Date.now() - this.#heardAt >= this.#waits.silenceMs) this.#schedule(0)
  }

  #wake(): void {
    const { isOnline } = this.#options.environment
    if (this.#abort && Date.now() - this.#heardAt < this.#waits.silenceMs) {
      if (this.state === 'offline' && isOnline()) this.#set('live')
      return
    }
    if (!isOnline()) this.#set('offline')
    else if (this.#options.subscriptions().length > 0) this.#schedule(0)
  }

  async #post(): Promise<void> {
    this.#abort?.abort()
    clearInterval(this.#watch)
    const subscriptions = this.#options.subscriptions()
    if (subscriptions.length === 0) {
      this.#abort = undefined
      return
    }
    const abort = new AbortController()
    this.#abort = abort
    if (this.state !== 'live') this.#set(this.#wasLive ? 'reconnecting' : 'connecting')
    this.#heardAt = Date.now()
    this.#watch = setInterval(() => {
      if (Date.now() - this.#heardAt > this.#waits.silenceMs) abort.abort()
    }, this.#waits.watchMs)
    const next = await this.#read(subscriptions, abort.signal)
    // A newer post has taken over, or the connection was closed.
    if (this.#abort !== abort) return
    clearInterval(this.#watch)
    this.#abort = undefined
    abort.abort() // an old stream may still deliver its end
    if (typeof next !== 'number') return this.#set(next)
    this.#set(this.#options.environment.isOnline() ? 'reconnecting' : 'offline')
    this.#schedule(next)
  }

  /** Reads one stream to its end. Returns the wait before the next one in milliseconds, or why there is none. */
  async #read(subscriptions: Subscription[], signal: AbortSignal): Promise<number | Refusal> {
    const { environment } = this.#options
    try {
      const response = await environment.fetch(environment.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ subscriptions }),
        cache: 'no-store',
        signal,
      })
      if (response.status === 401 || response.status === 403) return (await refusalOf(response)) ?? this.#backOff()
      if (!response.ok || !response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
        await response.body?.cancel()
        return Math.max(this.#backOff(), Number(response.headers.get('retry-after') ?? 0) * 1000 || 0)
      }
      this.#wasLive = true
      this.#set('live')
      return await this.#follow(response.body.getReader(), signal)
    } catch {
      return this.#backOff()
    }
  }

  async #follow(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): Promise<number | Refusal> {
    const parser = new SseParser()
    for (;;) {
      const { done, value } = await reader.read()
      if (signal.aborted || done) return this.#backOff()
      this.#heardAt = Date.now()
      for (const { data } of parser.push(value)) {
        const frame = decodeFrame(data)
        if ('ended' in frame) return 'ended'
        // All viewers of a stopping server reconnect, so they spread out.
        if ('resume' in frame) return this.#waits.retryFirstMs * (0.2 + 2 * this.#options.environment.random())
        this.#tries = 0
        if (!this.#options.onFrame(frame, data)) return this.#backOff()
        // The frame's handler may have changed the subscriptions, which a newer post then carries.
        if (signal.aborted) return 0
      }
    }
  }

  #backOff(): number {
    const full = Math.min(this.#waits.retryFirstMs * 2 ** Math.min(this.#tries++, 10), this.#waits.retryMaxMs)
    return full * (0.5 + this.#options.environment.random() / 2)
  }

  #set(state: ConnectionState): void {
    if (this.state === state) return
    this.state = state
    this.#options.onState(state)
  }
}

/** Why the console refuses; undefined if it is what stands before it, such as a gateway, which may refuse for a while only. */
async function refusalOf(response: Response): Promise<Refusal | undefined> {
  const { code, message } = (await response.json().catch(() => undefined)) ?? {}
  if (code === 'unauthenticated') return 'ended'
  return code === 'forbidden' ? { refused: String(message) } : undefined
}

const ENTRIES = '"entries":['

/** Parses a frame: JSON, except for a recording's entries, which have their own form. */
export function decodeFrame(text: string): LiveFrame {
  if (!text.includes('\u001e')) return JSON.parse(text)
  const from = text.indexOf(ENTRIES) + ENTRIES.length
  const frame = JSON.parse(`${text.slice(0, from)}]}`)
  frame.entries = readEntries(text.slice(from, -2))
  return frame
}
