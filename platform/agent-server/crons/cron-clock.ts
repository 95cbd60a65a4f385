import { randomUUID } from 'node:crypto'
import { HttpError } from '../kernel/errors'
import type { Db } from '../persistence/db'
import type { RunStarter } from '../runs/run-starter'
import { CATCH_UP_MS, isStillDue } from './cron-schedule'
import { AlreadyFired, type CronRow, type Crons, runOfCron } from './crons'

/** Looks without being told to: another process may have made or changed a cron. */
const POLL_MS = 10_000
const RETRY_MS = 2000
const PAGE = 100

type Services = {
  db: Db
  crons: Crons
  starter: Pick<RunStarter, 'create'>
  log(level: 'info' | 'error', message: string): void
  now?: (() => Date) | undefined
}

/**
 * Makes the runs of crons when their time comes. Several processes may do so at once: a firing is claimed in the
 * transaction that makes its run, so it is made once or not at all, also when a process dies in between.
 */
export class CronClock {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #ticking: Promise<void> | undefined
  #needsRerun = false

  constructor(private readonly services: Services) {}

  /** A cron was made or changed here, or it is time to look. */
  wake(): void {
    if (this.#isStopped) return
    clearTimeout(this.#timer)
    this.#needsRerun = true
    this.#ticking ??= this.#run().finally(() => {
      this.#ticking = undefined
    })
  }

  /** Fires nothing from now on. Resolves when what was being fired is done. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#ticking
  }

  /** Fires everything whose time has come. Rejects where the store does not answer; what is left is found the next time. */
  async tick(): Promise<void> {
    const { crons } = this.services
    while (!this.#isStopped) {
      const now = this.#now()
      const due = await crons.due(now, PAGE)
      let failure: { error: unknown } | undefined
      for (const row of due) {
        if (this.#isStopped) return
        // One that cannot be fired does not keep the others from it.
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
      // Due ones have the time at which they are.
      if (!isStillDue(row, row.next_run_date as Date, now)) {
        await crons.claim(db.query, row, now)
        log('info', `A firing of cron ${row.cron_id} was missed more than ${CATCH_UP_MS / 60_000} minutes ago.`)
        return
      }
      await starter.create(row.thread_id ?? undefined, runOfCron(row), randomUUID(), (query) =>
        crons.claim(query, row, now),
      )
    } catch (error) {
      if (error instanceof AlreadyFired) return
      if (!(error instanceof HttpError)) throw error
      log('error', `Cron ${row.cron_id} could not start its run: ${error.message}`)
      await this.#skip(row, now)
    }
  }

  /** A run that is refused today is refused in a minute too; the next firing has its own chance. */
  async #skip(row: CronRow, now: Date): Promise<void> {
    await this.services.crons.claim(this.services.db.query, row, now).catch((error: Error) => {
      if (!(error instanceof AlreadyFired)) throw error
    })
  }
}
