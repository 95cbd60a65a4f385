import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { Gauge } from 'prom-client'
import { waitingMessages } from '../alerts/deliver'
import { db } from '../process/db'
import { env } from '../process/env'
import { metrics } from '../process/metrics'
import { SharedReads } from '../process/shared-reads'
import { within } from '../process/within'
import { recorderHub } from '../recorder/shared-hub'
import { waitingStarts } from '../recorder/source/stream-places'
import { openStreams } from '../upstream/request'
import { gatheredMetrics, shareMetrics } from './gathered-metrics'

/** The launcher leaves out a process that takes longer than a second. */
const READ_MS = 500
/** Some metrics of one scrape come from one read. */
const queue = new SharedReads<{ count: number; oldestSeconds: number }>({
  keptMs: () => 0,
  waitMs: 0,
  staleMs: 0,
  most: 1,
})
const NO_STORE = { 'cache-control': 'no-store' }

/** Answers a scrape with the bearer token METRICS_TOKEN. Without that setting there is nothing to scrape. */
export async function serveMetrics(request: Request): Promise<Response> {
  const { METRICS_TOKEN: token } = env()
  if (token === undefined)
    return new Response('Set METRICS_TOKEN to turn metrics on.\n', { status: 404, headers: NO_STORE })
  if (!isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`))
    return new Response('Send METRICS_TOKEN as a bearer token.\n', {
      status: 401,
      headers: { ...NO_STORE, 'www-authenticate': 'Bearer' },
    })
  const { registry } = measured()
  const all = await gatheredMetrics(registry)
  return new Response(await all.metrics(), { headers: { ...NO_STORE, 'content-type': registry.contentType } })
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted))

/** Lets other processes of this console include the metrics of this one in theirs. */
export const startMetrics = (): void => shareMetrics(() => measured().registry.getMetricsAsJSON())

/** With what is read at each scrape, because it changes without an event. */
function measured(): ReturnType<typeof metrics> {
  const all = metrics()
  const { registry } = all
  const gauge = (name: string, help: string, read: () => number | Promise<number>, failed = Number.NaN) => {
    if (registry.getSingleMetric(name)) return
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // An outage of the database must not take the rest of the scrape with it.
        const value = Promise.resolve().then(read)
        this.set(await within(READ_MS, value, failed).catch(() => failed))
      },
    })
  }
  gauge('pilothouse_recordings_live', 'Runs recorded here', () => recorderHub().recorders.size)
  gauge(
    'pilothouse_recorder_lag_seconds',
    'Age of the oldest entry that is not stored yet',
    () => recorderHub().writer.lagMs / 1000,
  )
  gauge(
    'pilothouse_recorder_backlog_bytes',
    'Recorded text that is not stored yet',
    () => recorderHub().writer.waitingBytes,
  )
  gauge('pilothouse_upstream_streams', 'Open streams to upstreams', openStreams)
  gauge('pilothouse_starts_waiting', 'Starts that wait for a free stream', waitingStarts)
  gauge(
    'pilothouse_database_connections',
    'Database connections in the pool',
    async () => (await db()).$client.totalCount,
  )
  gauge(
    'pilothouse_database_connections_idle',
    'Database connections not in use',
    async () => (await db()).$client.idleCount,
  )
  gauge(
    'pilothouse_database_waiting',
    'Queries waiting for a database connection',
    async () => (await db()).$client.waitingCount,
  )
  // All instances share the queue, and each tells all of it.
  const waiting = () => queue.get('alerts', waitingMessages)
  gauge(
    'pilothouse_alert_messages_waiting',
    'Alert messages that wait to be delivered, of all instances',
    async () => (await waiting()).count,
  )
  gauge(
    'pilothouse_alert_oldest_waiting_seconds',
    'Age of the oldest alert message that waits to be delivered',
    async () => (await waiting()).oldestSeconds,
  )
  gauge(
    'pilothouse_database_up',
    'Whether the database answers: 1, or 0 after half a second',
    () => waiting().then(() => 1),
    0,
  )
  gauge('pilothouse_processes', 'Console processes that share the port: 1 for each that answered this scrape', () => 1)
  return all
}
