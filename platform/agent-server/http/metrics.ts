import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { IgnoredFields } from '../../kernel/ignored-fields'
import type { Db } from '../persistence/db'

/** In ms. The timer's own resolution, which is subtracted from the measured delay. */
const LAG_RESOLUTION = 20

export type Sources = {
  db: Db
  /** Runs that are executed here. */
  active(): number
  /** Streams and waits that are open here. */
  readers(): number
  /** WebSockets that are open here. */
  sockets(): number
}

/**
 * Metrics of this process and of the deployment's queue. Each event costs one addition, a scrape two lookups in
 * partial indexes; labels are rows of the operation table, statuses and methods only, so their number is bounded.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Counter<'method' | 'route' | 'status'>
  readonly #runs: Counter<'status'>
  readonly ignoredFields: IgnoredFields
  readonly #duration: Histogram<'status'>
  readonly #firstEvent: Histogram
  readonly #lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION })
  #busy = performance.eventLoopUtilization()

  constructor(sources: Sources) {
    const registers = [this.#registry]
    this.#requests = new Counter({
      name: 'agent_http_requests_total',
      help: 'HTTP requests by operation path',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.ignoredFields = new IgnoredFields('agent_ignored_fields_total', this.#registry)
    this.#runs = new Counter({
      name: 'agent_runs_total',
      help: 'Runs that ended in this process, by outcome',
      labelNames: ['status'],
      registers,
    })
    this.#duration = new Histogram({
      name: 'agent_run_duration_seconds',
      help: 'Duration of runs in this process',
      labelNames: ['status'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800],
      registers,
    })
    this.#firstEvent = new Histogram({
      name: 'agent_run_first_event_seconds',
      help: 'Delay between when a run was due and its first event',
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 300],
      registers,
    })
    this.#addQueue(sources)
    this.#addProcess()
    this.#lag.enable()
  }

  request(method: string, route: string, status: number): void {
    this.#requests.inc({ method, route, status })
  }

  /** `dueMs`: when the run could have started, in epoch milliseconds. */
  runBegan(dueMs: number): void {
    this.#firstEvent.observe(Math.max(0, Date.now() - dueMs) / 1000)
  }

  runEnded(status: string, ms: number): void {
    this.#runs.inc({ status })
    this.#duration.observe({ status }, ms / 1000)
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  json(): Promise<object[]> {
    return this.#registry.getMetricsAsJSON()
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  stop(): void {
    this.#lag.disable()
  }

  #gauge(name: string, help: string, collect: (gauge: Gauge) => void | Promise<void>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        return collect(this)
      },
    })
  }

  #addQueue({ db, active, readers, sockets }: Sources): void {
    const count = async (status: string) => {
      const [row] = await db.query<{ count: number }>(
        // The status is a literal, so that its partial index is used.
        `select count(*)::int as count from runs where status = '${status}'`,
      )
      return row?.count ?? 0
    }
    this.#gauge('agent_queue_pending', 'Queued runs of the deployment', async (gauge) =>
      gauge.set(await count('pending')),
    )
    this.#gauge('agent_queue_running', 'Runs of the deployment in progress, in any process', async (gauge) =>
      gauge.set(await count('running')),
    )
    this.#gauge('agent_queue_active', 'Runs in progress in this process', (gauge) => gauge.set(active()))
    this.#gauge('agent_streams_open', 'Open streams and waits in this process', (gauge) => gauge.set(readers()))
    this.#gauge('agent_websockets_open', 'Open WebSockets in this process', (gauge) => gauge.set(sockets()))
    const { pool } = db
    this.#gauge('agent_database_connections', 'Database connections of this process', (gauge) =>
      gauge.set(pool.totalCount),
    )
    this.#gauge('agent_database_connections_idle', 'Idle database connections of this process', (gauge) =>
      gauge.set(pool.idleCount),
    )
    this.#gauge('agent_database_waiting', 'Queries waiting for a database connection', (gauge) =>
      gauge.set(pool.waitingCount),
    )
  }

  #addProcess(): void {
    const lag = (ns: number) => Math.max(0, ns / 1e6 - LAG_RESOLUTION) / 1000 || 0
    this.#gauge('agent_event_loop_lag_seconds', 'Median delay of the event loop since the last scrape', (gauge) =>
      gauge.set(lag(this.#lag.percentile(50))),
    )
    this.#gauge(
      'agent_event_loop_lag_p99_seconds',
      '99th percentile of the event loop delay since the last scrape',
      (gauge) => gauge.set(lag(this.#lag.percentile(99))),
    )
    // Collected last of the three, so it ends the period.
    this.#gauge('agent_event_loop_lag_max_seconds', 'The longest one', (gauge) => {
      gauge.set(lag(this.#lag.max))
      this.#lag.reset()
    })
    this.#gauge(
      'agent_event_loop_utilization',
      'Share of the time since the last scrape that the event loop was busy',
      (gauge) => {
        const now = performance.eventLoopUtilization()
        gauge.set(performance.eventLoopUtilization(now, this.#busy).utilization)
        this.#busy = now
      },
    )
    this.#gauge('process_resident_memory_bytes', 'Resident memory of the process', (gauge) =>
      gauge.set(process.memoryUsage.rss()),
    )
    this.#gauge('nodejs_heap_size_used_bytes', 'Used heap memory', (gauge) => gauge.set(process.memoryUsage().heapUsed))
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time',
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage()
        this.reset()
        this.inc((user + system) / 1e6)
      },
    })
    this.#gauge('process_uptime_seconds', 'Time since the process started', (gauge) => gauge.set(process.uptime()))
  }
}
