import { setTimeout as sleep } from 'node:timers/promises'

/** How long a request waits for an agent server that takes none. */
const WAIT_MS = 5000
/** One that has taken none for longer is not waited for. */
const ABSENT_MS = 30_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 400

/** Since when the agent servers of deployments take no requests, as far as requests have shown. */
export class Absences {
  readonly #since = new Map<string, number>()

  constructor(
    private readonly waitMs = WAIT_MS,
    private readonly absentMs = ABSENT_MS,
  ) {}

  /** Call when an agent server has taken a request. */
  end(deploymentId: string): void {
    this.#since.delete(deploymentId)
  }

  /** For one request: resolves with true after a pause, or at once with false if it should wait no longer. */
  waiter(deploymentId: string): () => Promise<boolean> {
    let end: number | undefined
    let pause = FIRST_PAUSE_MS
    return async () => {
      const now = performance.now()
      const since = this.#since.get(deploymentId) ?? now
      this.#since.set(deploymentId, since)
      end ??= now + this.waitMs
      if (now >= end || now - since >= this.absentMs) return false
      await sleep(pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      return true
    }
  }
}
