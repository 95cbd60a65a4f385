import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { Gauge } from 'prom-client'
import { db } from '../process/db'
import { env } from '../process/env'
import { metrics } from '../process/metrics'
import { recorderHub } from '../recorder/shared-hub'
import { waitingStarts } from '../recorder/stream-places'
import { openStreams } from '../upstream/request'

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
  addGauges()
  const { registry } = metrics()
  return new Response(await registry.metrics(), { headers: { ...NO_STORE, 'content-type': registry.contentType } })
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted))

/** What is read at each scrape, because it changes without an event. */
function addGauges(): void {
  const { registry } = metrics()
  const gauge = (name: string, help: string, read: () => number | Promise<number>) => {
    if (registry.getSingleMetric(name)) return
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read())
      },
    })
  }
  gauge('pilothouse_recordings_live', 'Runs recorded by this process', () => recorderHub().recorders.size)
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
}
