import { HttpError } from './kernel/errors'
import { type Db, removeAll } from './persistence/db'
import type { RunStopper } from './runs/run-stopper'
import type { ItemStore } from './store/items'
import type { Threads } from './threads/threads'

const EVERY_MS = 30_000
/** How long events of a run can be read again. */
const EVENTS_KEPT = `interval '1 hour'`
const PAGE = 100

type Services = {
  db: Db
  stopper: Pick<RunStopper, 'removeThread'>
  threads: Pick<Threads, 'keepLatest'>
  store: Pick<ItemStore, 'sweep'>
  logError(line: string): void
  /** How often items are swept; expired items are hidden in any case. */
  itemMinutes?: number | null | undefined
  /** Rows that one statement removes. */
  portion?: number
}

/** Removes expired data: stored events, items and threads with a time to live. */
export class Sweeper {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #itemsSweptAt = Number.NEGATIVE_INFINITY

  constructor(private readonly services: Services) {}

  start(): void {
    this.#timer = setTimeout(() => {
      void this.sweep()
        .catch((error: Error) => {
          if (!this.#isStopped) this.services.logError(`Expired data could not be removed: ${error.message}`)
        })
        .finally(() => {
          if (!this.#isStopped) this.start()
        })
    }, EVERY_MS)
    this.#timer.unref()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async sweep(): Promise<void> {
    const { db, stopper, threads, store, itemMinutes } = this.services
    if (performance.now() - this.#itemsSweptAt >= (itemMinutes ?? 0) * 60_000) {
      await store.sweep()
      this.#itemsSweptAt = performance.now()
    }
    // Keeps all events of runs in progress.
    await removeAll(
      db.query,
      `delete from run_events where ctid = any(array(select ctid from run_events e where created_at < now() - ${EVENTS_KEPT}
       and not exists (select from runs r where r.run_id = e.run_id and r.status in ('pending', 'running')) limit $1))`,
      this.services.portion,
    )
    const expired = await db.query<{ thread_id: string; ttl_strategy: string | null }>(
      `select thread_id, ttl_strategy from threads where expires_at < now() and status <> 'busy' limit ${PAGE}`,
    )
    for (const { thread_id, ttl_strategy } of expired) {
      const isOver = ttl_strategy === 'keep_latest' ? threads.keepLatest(thread_id) : stopper.removeThread(thread_id)
      await isOver.catch((error) => {
        // Another process removed it first, or it has a run by now.
        if (!(error instanceof HttpError)) throw error
      })
    }
  }
}
