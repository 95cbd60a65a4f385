import 'server-only'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Of an answer's head: a stream may stay open for hours. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Counter({
      name: 'pilothouse_http_requests_total',
      help: 'Requests to the console by route, method and status; 499 if the client left before the answer',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'pilothouse_http_request_duration_seconds',
      help: 'Time until the head of the response was sent',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    }),
    upstreamSeconds: new Histogram({
      name: 'pilothouse_upstream_request_duration_seconds',
      help: 'Requests to upstreams by operation and outcome: a status class, or why no response came. Until the head for streams',
      labelNames: ['operation', 'outcome'],
      buckets: SECONDS,
      registers,
    }),
    liveConnections: new Gauge({
      name: 'pilothouse_live_connections',
      help: 'Open live connections of browsers',
      registers,
    }),
    eventsReceived: new Counter({
      name: 'pilothouse_events_received_total',
      help: 'Run events taken into recordings here',
      registers,
    }),
    eventsSent: new Counter({
      name: 'pilothouse_events_sent_total',
      help: 'Recording entries sent to live connections, once per connection',
      registers,
    }),
    storeSeconds: new Histogram({
      name: 'pilothouse_recorder_store_seconds',
      help: 'Time from an entry being queued to its commit, of the oldest entry in each batch',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers,
    }),
  }
}

// On globalThis: pages, route handlers and instrumentation each have their own copy of this module.
const shared = globalThis as { pilothouseMetrics?: ReturnType<typeof createMetrics> }

/** The metrics of this process. Labels have a bounded number of values, and no ids. */
export function metrics(): ReturnType<typeof createMetrics> {
  shared.pilothouseMetrics ??= createMetrics()
  return shared.pilothouseMetrics
}
