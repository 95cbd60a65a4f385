import { isRecord } from '@/lib/json/guards'
import { isStartedHere, type RecordingSummary } from './log'
import type { RunView } from './run-view'

/** Epoch ms. `endedAt` is undefined until the end is known. */
export type RunTimes = { startedAt: number; endedAt: number | undefined }
type EndedTimes = { startedAt: number; endedAt: number }

const timeOf = (text: unknown): number | undefined => {
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** When a server created a run; undefined if it does not say. */
export const createdAt = (run: { created_at?: unknown }): number | undefined => timeOf(run.created_at)

/**
 * When an ended run began and ended: by its server's record, which is the same for every reader, else as the console saw
 * it. Both times are from one clock.
 */
export function endedTimes(run: unknown, seen: EndedTimes): EndedTimes {
  const startedAt = isRecord(run) ? createdAt(run) : undefined
  const endedAt = isRecord(run) ? timeOf(run.updated_at) : undefined
  // Equal times are those of a server that does not update its records.
  if (startedAt !== undefined && endedAt !== undefined && endedAt > startedAt) return { startedAt, endedAt }
  return { startedAt: seen.startedAt, endedAt: Math.max(seen.startedAt, seen.endedAt) }
}

/** When a recorded run began and ended, equal to its row in every list. */
export function timesOf({ final }: Pick<RunView, 'final'>, summary: RecordingSummary): RunTimes {
  return {
    startedAt: final?.startedAt ?? Date.parse(summary.startedAt),
    endedAt: final ? (final.endedAt ?? final.at) : timeOf(summary.endedAt),
  }
}

/** A reader that joins within this time counts as there from the start; what a late one missed arrives within it. */
const JOINING_MS = 1_000

/**
 * Until when the log's times are those of a replay and not of the run: Infinity for a run that was recorded after its end,
 * -Infinity for one that was followed from its start.
 */
export function replayedUntil(view: Pick<RunView, 'final' | 'startedAt'>, summary: RecordingSummary): number {
  const { startedAt, endedAt } = timesOf(view, summary)
  const first = view.startedAt
  if (first === undefined || isStartedHere(summary) || first - startedAt <= JOINING_MS) return -Infinity
  return endedAt !== undefined && first >= endedAt ? Infinity : first + JOINING_MS
}
