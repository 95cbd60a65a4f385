import type { Db } from './db'
import { HttpError } from './errors'
import type { RunStopper } from './run-stopper'

const EVERY_MS = 30_000
/** How long events of a run can be read again. */
const EVENTS_KEPT = `interval '1 hour'`
const PAGE = 100

/** Removes what has outlived its time: kept events, and threads with a time to live. */
export class Sweeper {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(
    private readonly db: Db,
    private readonly stopper: Pick<RunStopper, 'removeThread'>,
    private readonly complain: (line: string) => void,
  ) {}

  start(): void {
    this.#timer = setTimeout(() => {
      void this.sweep()
        .catch((error: Error) => {
          if (!this.#isStopped) this.complain(`What is old could not be removed: ${error.message}`)
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
    // Of runs that go on, everything stays.
    await this.db.query(
      `delete from run_events e where created_at < now() - ${EVENTS_KEPT}
       and not exists (select from runs r where r.run_id = e.run_id and r.status in ('pending', 'running'))`,
    )
    const expired = await this.db.query<{ thread_id: string }>(
      `select thread_id from threads where expires_at < now() and status <> 'busy' limit ${PAGE}`,
    )
    for (const { thread_id } of expired)
      await this.stopper.removeThread(thread_id).catch((error) => {
        // Another process has removed it first.
        if (!(error instanceof HttpError)) throw error
      })
  }
}
