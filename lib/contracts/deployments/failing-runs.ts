import type { Health } from '../wire/state'

/** Below these, one unlucky run would count as a trouble of the deployment. */
const LEAST = { runs: 5, failed: 3, share: 0.1 }
const HOUR_MS = 3_600_000

/** Runs that fail now: since when (the hour's start in epoch ms), how many of how many. */
export type FailingRuns = { since: number; runs: number; failed: number }

/** Per clock hour, the oldest first. */
type Hours = readonly { runs: number; failed: number }[]

/**
 * Whether a deployment's runs fail: in each hour from `since` to the last one, a tenth or more of its runs failed. Hours that
 * are better end this only together with `LEAST.runs` runs, because one run that succeeds or still runs is no recovery.
 * Undefined if that is not so, or if there are too few runs to say.
 */
export function failingRuns(hours: Hours | null, now: number): FailingRuns | undefined {
  if (!hours) return undefined
  const last = Math.floor(now / HOUR_MS)
  let found: FailingRuns | undefined
  let better = { runs: 0, failed: 0 }
  for (const [n, { runs, failed }] of [...hours].reverse().entries()) {
    if (runs === 0) continue
    better = { runs: better.runs + runs, failed: better.failed + failed }
    if (failed / runs < LEAST.share) {
      if (better.runs >= LEAST.runs) break
      continue
    }
    found = {
      since: (last - n) * HOUR_MS,
      runs: (found?.runs ?? 0) + better.runs,
      failed: (found?.failed ?? 0) + better.failed,
    }
    better = { runs: 0, failed: 0 }
  }
  return found && found.runs >= LEAST.runs && found.failed >= LEAST.failed ? found : undefined
}

/** `failing`: why, where its runs make it fail. */
export type RunsHealth = Health & { failing?: FailingRuns }

export const RUNS_FAIL = 'Runs fail'

/** A successful roll-out says nothing of the runs. What is already known to be wrong, or in progress, comes first. */
export function healthWithRuns(health: Health, failing: FailingRuns | null | undefined): RunsHealth {
  if (!failing || (health.level !== 'ok' && health.level !== 'unknown')) return health
  const since = new Date(failing.since).toISOString()
  const share = Math.round((100 * failing.failed) / failing.runs)
  const detail = `${share}% of ${failing.runs.toLocaleString('en')} runs failed since ${since}.`
  return { level: 'error', label: RUNS_FAIL, detail, since, failing }
}
