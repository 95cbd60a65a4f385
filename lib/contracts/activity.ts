import type { RecentChange } from './audit/audit-row'

/** What the runs of a row cover, like `24h` elsewhere. */
export const ACTIVITY_MS = 24 * 3_600_000

/**
 * The runs of a deployment in the last 24 hours. Traces have the runs of every starter, recordings only those that this
 * console started or joined, so that without any recording the runs are unknown.
 */
export type RunActivity = {
  source: 'traces' | 'recordings'
  runs: number
  failed: number
  /** Per clock hour, the oldest first, so that the first and the last are cut off. Null: the server has no figures over time. */
  hours: { runs: number; failed: number }[] | null
  /** Seconds; null if unknown. */
  p95: number | null
}

export type DeploymentActivity = {
  /** Null: unknown. `problem` says why if its source failed. */
  runs: RunActivity | null
  problem: string | null
  /** When the last run began, from the source of `runs`, however long ago. */
  lastRun: { at: string; source: RunActivity['source'] } | null
  /** The last change through this console, and what it did, to follow its author's name; null if none is known. */
  change: (RecentChange & { did: string }) | null
}

/** By deployment id; deployments that could not be read are missing. */
export type FleetActivity = Record<string, DeploymentActivity>
