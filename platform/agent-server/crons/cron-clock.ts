import { randomUUID } from 'node:crypto'
import { HttpError } from '../kernel/errors'
import type { Db, Query } from '../persistence/db'
import type { RunStarter } from '../runs/run-starter'
import { CATCH_UP_MS, isStillDue } from './cron-schedule'
import { AlreadyFired, type CronRow, type Crons, runOfCron } from './crons'

/** How often to poll: another process may have created or changed a cron. */
const POLL_MS = 10_000
const RETRY_MS = 2000
const PAGE = 100

type Services = {
  db: Db
  crons: Crons
  starter: Pick<RunStarter, 'for'>
  log(level: 'info' | 'error', message: string): void
  now?: (() => Date) | undefined
}

/**
 * Creates the runs of due crons. A firing is claimed in the transaction that creates its run, so several processes
 * never fire it twice, even if one of them dies.
 */
export class CronClock {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #ticking: Promise<void> | undefined
  #needsRerun = false

  constructor(private readonly services: Services) {}

  /** Call after a cron was created or changed here, or when one is due. */
  wake(): void {
    if (this.#isStopped) return
    clearTimeout(this.#timer)
    this.#needsRerun = true
    this.#ticking ??= this.#run().finally(() => {
      this.#ticking = undefined
    })
  }

  /** Stops firing. Resolves when firings in progress are done. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#ticking
  }

  /** Fires all due crons. Rejects if the store does not respond; the rest are picked up the next time. */
  async tick(): Promise<void> {
    const { crons } = this.services
    while (!this.#isStopped) {
      const now = this.#now()
      const due = await crons.due(now, PAGE)
      let failure: { error: unknown } | undefined
      for (const row of due) {
        if (this.#isStopped) return
        // One failing cron must not block the others.
        await this.#fire(row, now).catch((error: unknown) => {
          failure ??= { error }
        })
      }
      if (failure) throw failure.error
      if (due.length < PAGE) return
    }
  }

  #now(): Date {
    return this.services.now?.() ?? new Date()
  }

  async #run(): Promise<void> {
    let delay = POLL_MS
    while (this.#needsRerun) {
      this.#needsRerun = false
      try {
        await this.tick()
        const next = await this.services.crons.nextDue()
        delay = next ? Math.min(POLL_MS, Math.max(0, next.getTime() - this.#now().getTime())) : POLL_MS
      } catch (error) {
        delay = RETRY_MS
        if (!this.#isStopped) this.services.log('error', `Crons cannot be fired: ${(error as Error).message}`)
      }
    }
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.wake(), delay)
    this.#timer.unref()
  }

  async #fire(row: CronRow, now: Date): Promise<void> {
    const { crons, starter, db, log } = this.services
    try {
      // A due cron always has a next_run_date.
      if (!isStillDue(row, row.next_run_date as Date, now)) {
        await crons.claim(db.query, row, now)
        log('info', `A firing of cron ${row.cron_id} was missed more than ${CATCH_UP_MS / 60_000} minutes ago.`)
        return
      }
      const claim = (query: Query) => crons.claim(query, row, now)
      await starter.for(row.user).create(row.thread_id ?? undefined, runOfCron(row), randomUUID(), claim)
    } catch (error) {
      if (error instanceof AlreadyFired) return
      if (!(error instanceof HttpError)) throw error
      log('error', `Cron ${row.cron_id} could not start its run: ${error.message}`)
      await this.#skip(row, now)
    }
  }

  /** Skips a refused firing, since a retry a minute later would fail too. The next firing still happens. */
  async #skip(row: CronRow, now: Date): Promise<void> {
    await this.services.crons.claim(this.services.db.query, row, now).catch((error: Error) => {
      if (!(error instanceof AlreadyFired)) throw error
    })
  }
}
