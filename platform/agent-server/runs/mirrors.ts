import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import type { Entry, RunLog } from './events'
import { isInProgress } from './run-record'

/** How many runs are looked up at once, and how many of their events together. */
const RUNS_PER_PAGE = 100
const EVENTS_PER_PAGE = 2000
/** Finds events whose notification was lost. */
const POLL_MS = 1000

/** Copies stored events of runs that other processes execute into local logs, many runs with one query. */
export class Mirrors {
  readonly #logs = new Map<string, RunLog>()
  readonly #due = new Set<string>()
  #isCopying = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly db: Db,
    bus: Bus,
    private readonly logError: (line: string) => void,
  ) {
    bus.on('events', (runIds) => this.wake(runIds))
    bus.on('reconnected', () => this.wake(this.#logs.keys()))
  }

  has(runId: string): boolean {
    return this.#logs.has(runId)
  }

  /** Copies what follows the log's last event, until the run ends or `stop`. */
  start(log: RunLog): void {
    this.#logs.set(log.runId, log)
    this.wake([log.runId])
    this.#timer ??= setInterval(() => this.wake(this.#logs.keys()), POLL_MS).unref()
  }

  stop(runId: string): void {
    this.#logs.delete(runId)
    if (this.#logs.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  wake(runIds: Iterable<string>): void {
    for (const id of runIds) if (this.#logs.has(id)) this.#due.add(id)
    if (this.#isCopying || this.#due.size === 0) return
    this.#isCopying = true
    void this.#copyAll()
      .catch((error: Error) => this.logError(`Runs of other processes cannot be followed: ${error.message}`))
      .finally(() => {
        this.#isCopying = false
      })
  }

  async #copyAll(): Promise<void> {
    while (this.#due.size > 0) {
      const page = [...this.#due].slice(0, RUNS_PER_PAGE)
      for (const id of page) this.#due.delete(id)
      await this.#copy(page.flatMap((id) => this.#logs.get(id) ?? []))
    }
  }

  async #copy(logs: readonly RunLog[]): Promise<void> {
    if (!logs.length) return
    const ids = logs.map(({ runId }) => runId)
    const limit = Math.ceil(EVENTS_PER_PAGE / logs.length)
    // Read the status first: all events of an ended run are stored.
    const rows = await this.db.query<{ run_id: string; status: string }>(
      'select run_id, status from runs where run_id = any($1)',
      [ids],
    )
    const isOver = new Set(ids)
    for (const { run_id, status } of rows) if (isInProgress(status)) isOver.delete(run_id)
    const events = await this.db.query<Entry & { run_id: string }>(
      `select w.run_id, e.* from unnest($1::text[], $2::bigint[]) w (run_id, after) cross join lateral (
         select id::float8 as id, event, data, floor(extract(epoch from created_at) * 1000)::float8 as at
         from run_events where run_id = w.run_id and id > w.after order by id limit ${limit}) e
       order by w.run_id, e.id`,
      [ids, logs.map(({ lastId }) => lastId)],
    )
    const counts = new Map<string, number>()
    const byId = new Map(logs.map((log) => [log.runId, log]))
    for (const { run_id, ...entry } of events) {
      const log = byId.get(run_id)
      counts.set(run_id, (counts.get(run_id) ?? 0) + 1)
      // Stopped, or claimed by this process meanwhile.
      if (log && this.#logs.get(run_id) === log) log.relay(entry)
    }
    for (const log of logs) {
      if (this.#logs.get(log.runId) !== log) continue
      if (counts.get(log.runId) === limit) this.#due.add(log.runId)
      else if (isOver.has(log.runId)) {
        this.stop(log.runId)
        log.end()
      }
    }
  }
}
