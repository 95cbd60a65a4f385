import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Db } from './database'
import { IgnoredFields } from './ignored-fields'

/** Which part of the platform answers. */
export type Area = 'control-plane' | 'agents' | 'traces'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const LEFT = 499
/** An outage of the database must not take the rest of the scrape with it. */
const READ_MS = 500

/** Metrics of the platform's own process; each agent server has its own. Labels have few values, and no ids. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Counter<'area' | 'method' | 'status'>
  readonly #seconds: Histogram<'area'>
  readonly #open: Gauge<'area'>
  readonly ignoredFields: IgnoredFields

  /** `db` is that of the platform; a gateway that runs apart has none. */
  constructor(
    private readonly token: string | undefined,
    db?: Db,
  ) {
    const registers = [this.#registry]
    this.#requests = new Counter({
      name: 'platform_http_requests_total',
      help: 'Requests to the platform; 499 if the client left before the answer',
      labelNames: ['area', 'method', 'status'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'platform_http_request_duration_seconds',
      help: 'Time until the head of the response was sent',
      labelNames: ['area'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
    this.#open = new Gauge({
      name: 'platform_http_requests_open',
      help: 'Requests whose response has not ended, such as streams',
      labelNames: ['area'],
      registers,
    })
    this.ignoredFields = new IgnoredFields('platform_traces_ignored_fields_total', this.#registry)
    if (token === undefined) return
    collectDefaultMetrics({ register: this.#registry })
    if (!db) return
    this.#addRevisions(db)
    this.#addPool((db as unknown as { $client: Pool }).$client)
  }

  measure(request: IncomingMessage, response: ServerResponse, area: Area): void {
    if (this.token === undefined) return
    const began = performance.now()
    const method = METHODS.find((one) => one === request.method) ?? 'other'
    let isCounted = false
    const count = (status: number) => {
      if (isCounted) return
      isCounted = true
      this.#requests.inc({ area, method, status })
      this.#seconds.observe({ area }, (performance.now() - began) / 1000)
    }
    const { writeHead } = response
    response.writeHead = ((status: number, ...rest: unknown[]) => {
      count(status)
      return Reflect.apply(writeHead, response, [status, ...rest])
    }) as typeof writeHead
    this.#open.inc({ area })
    response.once('close', () => {
      count(LEFT)
      this.#open.dec({ area })
    })
  }

  /** Answers a scrape that has the bearer token. Without that setting there is nothing to scrape. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const respond = (status: number, text: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store', ...headers }).end(text)
    if (this.token === undefined) respond(404, 'Set METRICS_TOKEN to turn metrics on.\n')
    else if (!isSame(request.headers.authorization ?? '', `Bearer ${this.token}`))
      respond(401, 'Send METRICS_TOKEN as a bearer token.\n', { 'www-authenticate': 'Bearer' })
    else respond(200, await this.#registry.metrics(), { 'content-type': this.#registry.contentType })
  }

  #addRevisions(db: Db): void {
    let coming: Promise<{ status: string; count: number }[]> | undefined
    /** Both metrics of a scrape come from one read, and so do those of later scrapes while the database is silent. */
    const read = () => {
      coming ??= db
        .execute<{ status: string; count: number }>(
          sql`select status, count(*)::int as count from platform.revisions group by status`,
        )
        .then(({ rows }) => rows)
        .finally(() => {
          coming = undefined
        })
      return Promise.race([coming, sleep(READ_MS, undefined, { ref: false })]).catch(() => undefined)
    }
    new Gauge({
      name: 'platform_revisions',
      help: 'Revisions by status',
      labelNames: ['status'],
      registers: [this.#registry],
      async collect() {
        const rows = await read()
        this.reset()
        for (const { status, count } of rows ?? []) this.set({ status }, count)
      },
    })
    new Gauge({
      name: 'platform_database_up',
      help: 'Whether the database answers: 1, or 0 after half a second',
      registers: [this.#registry],
      async collect() {
        this.set((await read()) ? 1 : 0)
      },
    })
  }

  #addPool(pool: Pool): void {
    this.addGauge('platform_database_connections', 'Database connections in the pool', () => pool.totalCount)
    this.addGauge('platform_database_connections_idle', 'Database connections not in use', () => pool.idleCount)
    this.addGauge('platform_database_waiting', 'Queries waiting for a database connection', () => pool.waitingCount)
  }

  addGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted))
