import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'

type Watched = { readers: number; changes: Promise<unknown> }

/** Tells other processes which threads are read here, so that they store and announce the runs they create on them. */
export class ThreadWatch {
  readonly #threads = new Map<string, Watched>()

  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly logError: (line: string) => void,
  ) {
    // Another process may have removed the rows of this one while it was away.
    bus.on('reconnected', () => {
      for (const id of this.#threads.keys()) this.#insert(id).catch((error: Error) => this.#report(error))
    })
  }

  /** Resolves once every later run of the thread is announced here. Call the result when the reader leaves. */
  async add(threadId: string): Promise<() => void> {
    const watched = this.#threads.get(threadId) ?? { readers: 0, changes: Promise.resolve() }
    this.#threads.set(threadId, watched)
    watched.readers += 1
    if (watched.readers === 1) watched.changes = watched.changes.catch(() => {}).then(() => this.#insert(threadId))
    try {
      await watched.changes
    } catch (error) {
      this.#remove(threadId, watched)
      throw error
    }
    return () => this.#remove(threadId, watched)
  }

  #remove(threadId: string, watched: Watched): void {
    watched.readers -= 1
    if (watched.readers > 0) return
    watched.changes = watched.changes
      .catch(() => {})
      .then(async () => {
        if (watched.readers > 0) return
        this.#threads.delete(threadId)
        await this.db.query('delete from thread_readers where thread_id = $1 and instance = $2', [
          threadId,
          this.bus.instance,
        ])
      })
      .catch((error: Error) => this.#report(error))
  }

  /** The lock waits for runs that are being created: those that do not see the row yet can be read afterwards. */
  #insert(threadId: string): Promise<unknown> {
    return this.db.query(
      `insert into thread_readers select thread_id, $2 from threads where thread_id = $1 for key share
       on conflict do nothing`,
      [threadId, this.bus.instance],
    )
  }

  #report(error: Error): void {
    this.logError(`The readers of a thread cannot be listed: ${error.message}`)
  }
}
