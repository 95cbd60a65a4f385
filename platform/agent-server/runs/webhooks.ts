import { Agent, fetch } from 'undici'
import type { WebhookRules } from '../kernel/webhook-rules'
import { type Db, iso } from '../persistence/db'
import { RefusedTarget, webhookConnector } from './webhook-target'

/** Delays before the second attempt, the third and so on; after the last one the webhook is dropped. */
const BACK_OFF_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]
const CONCURRENCY = 8
const POLL_MS = 2000
const TIMEOUT_MS = 10_000
/** When to resend a webhook whose process died while sending it. */
const LEASE = `interval '1 minute'`

/** A notice of a task for another agent; its body is written when it is sent. */
export type PushNotice = { run_id: string; push_task: string; push_config: string }
export type PushRequest = { headers: Record<string, string>; body: string }
type Notice = { id: number; run_id: string; url: string; body: string; attempts: number } & (
  | PushNotice
  | { push_task: null }
)
type Services = {
  db: Db
  rules: Pick<WebhookRules, 'ranges' | 'headers'>
  log(level: 'info' | 'error', message: string, runId?: string): void
  /** What to send for a push notification; undefined if there is no longer anything to tell. */
  pushRequest?(notice: PushNotice): Promise<PushRequest | undefined>
  backOffMs?: readonly number[] | undefined
}

/**
 * Delivers the webhooks and push notifications of ended runs at least once: until the receiver responds with a success, or after
 * six attempts in an hour and a quarter. They are queued in the store, so a restart loses none.
 */
export class Webhooks {
  readonly #agent: Agent
  readonly #abort = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #claiming: Promise<void> | undefined
  #needsCheck = false

  constructor(private readonly services: Services) {
    this.#agent = new Agent({
      connect: webhookConnector(services.rules.ranges),
      connections: CONCURRENCY,
      pipelining: 1,
    })
  }

  start(): void {
    this.wake()
  }

  /** Checks for webhooks to send. */
  wake(): void {
    if (this.#abort.signal.aborted) return
    clearTimeout(this.#timer)
    this.#needsCheck = true
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined
      if (this.#abort.signal.aborted) return
      this.#timer = setTimeout(() => this.wake(), POLL_MS)
      this.#timer.unref()
    })
  }

  /** Aborts deliveries in progress; the next process sends them again. */
  async stop(): Promise<void> {
    this.#abort.abort()
    clearTimeout(this.#timer)
    await this.#claiming
    await Promise.all(this.#sending)
    await this.#agent.destroy()
  }

  async #claimAll(): Promise<void> {
    try {
      while (this.#needsCheck && this.#sending.size < CONCURRENCY && !this.#abort.signal.aborted) {
        this.#needsCheck = false
        const [notice] = await this.services.db.query<Notice>(
          `update webhooks set attempts = attempts + 1, next_attempt_at = now() + ${LEASE}
           where id = (select id from webhooks where next_attempt_at <= now() order by next_attempt_at limit 1
             for update skip locked) returning id, run_id, url, body, attempts, push_task, push_config`,
        )
        if (!notice) continue
        this.#needsCheck = true
        const sending = this.#deliver(notice).finally(() => {
          this.#sending.delete(sending)
          this.wake()
        })
        this.#sending.add(sending)
      }
    } catch (error) {
      if (!this.#abort.signal.aborted)
        this.services.log('error', `Webhooks cannot be read from the store: ${(error as Error).message}`)
    }
  }

  async #deliver(notice: Notice): Promise<void> {
    const { db, log } = this.services
    const failure = await this.#send(notice)
    const { origin } = new URL(notice.url)
    try {
      if (failure && this.#abort.signal.aborted) {
        await db.query('update webhooks set attempts = attempts - 1, next_attempt_at = now() where id = $1', [
          notice.id,
        ])
        return
      }
      const delay = failure?.isFinal ? undefined : (this.services.backOffMs ?? BACK_OFF_MS)[notice.attempts - 1]
      if (!failure || delay === undefined) await db.query('delete from webhooks where id = $1', [notice.id])
      else
        await db.query(
          `update webhooks set next_attempt_at = now() + $2::float8 * interval '1 millisecond' where id = $1`,
          [notice.id, delay],
        )
      if (!failure) return
      if (delay !== undefined && delay < POLL_MS) setTimeout(() => this.wake(), delay).unref()
      // Log only this part: the rest of the URL may be secret.
      const what = delay === undefined ? 'giving up' : `retrying in ${Math.ceil(delay / 1000)} s`
      log('error', `The webhook to ${origin} failed (${failure.reason}), ${what}.`, notice.run_id)
    } catch (error) {
      // The lease expires, and the webhook is sent again.
      if (!this.#abort.signal.aborted)
        log(
          'error',
          `The outcome of a webhook to ${origin} cannot be stored: ${(error as Error).message}`,
          notice.run_id,
        )
    }
  }

  /** Returns the reason of a failure, or undefined. Redirects are failures, because they could lead anywhere. */
  async #send(notice: Notice): Promise<{ reason: string; isFinal?: boolean } | undefined> {
    try {
      const request = await this.#requestOf(notice)
      if (!request) return undefined
      const response = await fetch(notice.url, {
        method: 'POST',
        headers: { 'user-agent': 'pilothouse-agent-server', ...request.headers },
        body: request.body,
        redirect: 'manual',
        dispatcher: this.#agent,
        signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : { reason: `HTTP ${response.status}` }
    } catch (error) {
      const cause = ((error as Error).cause ?? error) as Error
      return { reason: cause.message || cause.name, isFinal: cause instanceof RefusedTarget }
    }
  }

  async #requestOf(notice: Notice): Promise<PushRequest | undefined> {
    if (notice.push_task !== null) return this.services.pushRequest?.(notice)
    return {
      headers: { ...this.services.rules.headers, 'content-type': 'application/json' },
      body: `${notice.body.slice(0, -1)},"webhook_sent_at":${JSON.stringify(iso(new Date()))}}`,
    }
  }
}
