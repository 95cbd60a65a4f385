import type { Threads } from '../threads/threads'
import type { RunReaders } from './run-readers'
import { type CancelAction, isInProgress, type RunRow } from './run-record'
import type { Runs } from './runs'

/** How long a deletion waits for the run to stop; only a graph that blocks its process takes longer. */
const STOP_MS = 5000

/** Stops runs, and deletes threads and runs in progress. */
export class RunStopper {
  constructor(
    private readonly runs: Runs,
    private readonly threads: Threads,
    private readonly readers: RunReaders,
  ) {}

  /** Resolves when the run has stopped, or when `signal` aborts. */
  async waitForEnd(run: RunRow, signal: AbortSignal): Promise<void> {
    // A pending run ends at once, without an event.
    const now = await this.runs.find(run.run_id)
    if (now && isInProgress(now.status)) await this.readers.ended(now, signal)
  }

  async cancelAll(ids: readonly string[], action: CancelAction): Promise<void> {
    // Newest first: otherwise the end of one run would start the next.
    for (const id of [...ids].reverse()) await this.runs.cancel(id, action)
  }

  async removeRun(run: RunRow): Promise<void> {
    await this.#stop([run.run_id])
    await this.runs.remove(run.run_id)
  }

  /** Throws a 404. */
  async removeThread(threadId: string): Promise<void> {
    const thread = await this.threads.get(threadId)
    const ids = await this.runs.inProgress({ threadId: thread.thread_id })
    await this.#stop(ids)
    await this.threads.remove(thread.thread_id)
    this.runs.announceEnded(ids)
    this.runs.announceThreadDeleted(thread.thread_id)
  }

  async #stop(ids: readonly string[]): Promise<void> {
    await this.cancelAll(ids, 'interrupt')
    const signal = AbortSignal.timeout(STOP_MS)
    for (const id of ids) {
      const run = await this.runs.find(id)
      if (run && isInProgress(run.status)) await this.readers.ended(run, signal)
    }
  }
}
