import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@/lib/errors'

/** At most `count` requests in any `windowMs`. Without it the limit is unknown, and the queue reacts to refusals only. */
export type RequestRate = { count: number; windowMs: number }

/** How long a request may wait in all, and the first wait after a refusal. */
export type Patience = { waitMs: number; backOffMs: number }
const MAX_BACK_OFF_MS = 30_000

/** `at`: when it was sent and, once it was answered, when that was: the server counted it at some moment between the two. */
type Sent = { at: number; isAnswered: boolean }

/**
 * Queues requests that share one rate limit. A 429 is retried after `Retry-After` and spaces later requests out until they
 * succeed; a request that would wait longer than `patience.waitMs` fails with AppError rate_limited and the time to retry.
 */
export class RequestQueue {
  #sent: Sent[] = []
  #blockedUntil = 0
  #gapMs = 0
  #refusals = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly patience: Patience,
    private readonly limit?: RequestRate,
  ) {}

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const giveUpAt = Date.now() + this.patience.waitMs
    for (;;) {
      const turn = this.#turn.then(() => this.#slot(giveUpAt, signal))
      this.#turn = turn.catch(() => undefined)
      const sent = await turn
      try {
        const value = await work().finally(() => {
          sent.at = Date.now()
          sent.isAnswered = true
        })
        this.#refusals = 0
        this.#gapMs = this.#gapMs < 50 ? 0 : this.#gapMs * 0.7
        return value
      } catch (error) {
        if (!(error instanceof AppError && error.view.upstreamStatus === 429)) throw error
        this.#onRefusal(error.view.retryAfterMs)
        if (this.#blockedUntil > giveUpAt) throw error
      }
    }
  }

  #onRefusal(retryAfterMs: number | undefined): void {
    const own = Math.min(MAX_BACK_OFF_MS, this.patience.backOffMs * 2 ** this.#refusals)
    // Some servers count refused requests, so a retry exactly on time would be refused again.
    const backOff = Math.max(retryAfterMs ?? 0, own)
    this.#refusals++
    // Jitter: other requests with the same key were refused at the same moment.
    const wait = backOff * (1 + Math.random() / 5)
    this.#blockedUntil = Math.max(this.#blockedUntil, Date.now() + wait)
    this.#gapMs = Math.max(this.#gapMs, Math.min(wait, 10_000) / 2)
  }

  async #slot(giveUpAt: number, signal: AbortSignal | undefined): Promise<Sent> {
    for (;;) {
      signal?.throwIfAborted()
      const now = Date.now()
      const at = this.#freeAt(now)
      if (at <= now) {
        const sent = { at: now, isAnswered: false }
        this.#sent.push(sent)
        return sent
      }
      if (at > giveUpAt)
        throw new AppError('rate_limited', 'The tracing server limits requests, and too many are already waiting.', {
          retryAfterMs: at - now,
        })
      await pause(at - now, undefined, { signal })
    }
  }

  #freeAt(now: number): number {
    const last = this.#sent.at(-1)?.at ?? 0
    const afterLast = Math.max(this.#blockedUntil, this.#gapMs > 0 ? last + this.#gapMs : 0)
    if (!this.limit) {
      this.#sent = this.#sent.slice(-1)
      return afterLast
    }
    const { count, windowMs } = this.limit
    this.#sent = this.#sent
      .filter(({ at, isAnswered }) => !isAnswered || at > now - windowMs)
      .toSorted((a, b) => a.at - b.at)
    // One without an answer may be counted only now.
    const counted = this.#sent.map(({ at, isAnswered }) => (isAnswered ? at : now)).toSorted((a, b) => a - b)
    return Math.max(afterLast, (counted.at(-count) ?? -windowMs) + windowMs)
  }
}
