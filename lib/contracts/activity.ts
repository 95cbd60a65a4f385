import type { RecentChange } from './audit/audit-row'

/** How many hours the sparkline of a row covers. */
export const ACTIVITY_HOURS = 24

/**
 * The runs of a deployment in the last 24 hours. Traces have the runs of every starter, recordings only those that this
 * console started or joined, so that without any recording the runs are unknown.
 */
export type RunActivity = {
  source: 'traces' | 'recordings'
  runs: number
  failed: number
  /** Per hour, the oldest first. Null: the server has no figures over time. */
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
  /** The last change through this console; null if none is known. */
  change: RecentChange | null
}

/** By deployment id; deployments that could not be read are missing. */
export type FleetActivity = Record<string, DeploymentActivity>
