import { isEstimated, type Step, type Steps, shownTime, type Track } from '@/lib/stream/steps'
import type { ModelCall } from './model-calls'

export type TrackSummary = {
  failed: number
  running: number
  busyMs: number
  /** The time of at least one step is estimated. */
  isAbout: boolean
}
/** A row of the list: a track, a step of an open track, or a model call of its trace. `calls`: how many the track made. */
export type StepRow =
  | { kind: 'track'; key: string; track: Track; summary: TrackSummary; isOpen: boolean; calls: number }
  | { kind: 'step'; key: string; track: Track; step: Step }
  | { kind: 'call'; key: string; track: Track; call: ModelCall }

/** Tracks by first start, with their steps if open. `now` is the end of steps that are still running. */
export function stepRows(
  steps: Steps,
  isOpen: (track: Track) => boolean,
  now: number,
  calls: ReadonlyMap<string, readonly ModelCall[]> = new Map(),
): StepRow[] {
  const callsOf = ({ task }: Step) => (task && calls.get(task)) || []
  const rows: StepRow[] = []
  const tracks = [...steps.tracks.values()].sort(
    (a, b) => (a.steps[0]?.startedSeq ?? 0) - (b.steps[0]?.startedSeq ?? 0),
  )
  for (const track of tracks) {
    const opened = isOpen(track)
    const made = track.steps.reduce((sum, step) => sum + callsOf(step).length, 0)
    rows.push({ kind: 'track', key: track.key, track, summary: summaryOf(track, now), isOpen: opened, calls: made })
    if (!opened) continue
    for (const [at, step] of track.steps.entries()) {
      const key = `${track.key}\u001f${at}`
      rows.push({ kind: 'step', key, track, step })
      for (const call of callsOf(step)) rows.push({ kind: 'call', key: `${key}\u001f${call.id}`, track, call })
    }
  }
  return rows
}

function summaryOf(track: Track, now: number): TrackSummary {
  let failed = 0
  let busyMs = 0
  let isAbout = false
  for (const step of track.steps) {
    busyMs += (step.endedAt ?? now) - step.startedAt
    if (step.status === 'error') failed++
    isAbout ||= isEstimated(step)
  }
  return { failed, running: track.running.length, busyMs, isAbout }
}

/** Whether a step was running at a log entry. */
export const covers = (step: Step, seq: number): boolean =>
  step.startedSeq <= seq && (step.endedSeq === undefined || step.endedSeq >= seq)

/** The row for a moment: the innermost running step, which is the one that started last. */
export function rowAt(rows: readonly StepRow[], seq: number): number {
  let best = -1
  let bestRank = [-1, -1, -1]
  for (const [index, row] of rows.entries()) {
    if (row.kind === 'call') continue
    const found =
      row.kind === 'step'
        ? covers(row.step, seq)
          ? row.step
          : undefined
        : row.track.steps.findLast((step) => covers(step, seq))
    if (!found) continue
    const rank = [row.track.namespace.length, found.startedSeq, row.kind === 'step' ? 1 : 0]
    const differs = rank.findIndex((value, at) => value !== bestRank[at])
    if (differs !== -1 && (rank[differs] ?? 0) > (bestRank[differs] ?? 0)) {
      best = index
      bestRank = rank
    }
  }
  return best
}

export type Bar = { from: number; to: number; status: Step['status']; count: number }

/**
 * The steps of a track as at most `columns` bars between 0 and 1. Steps in the same column share a bar, which shows the worst
 * status. Steps that began before `known` have no bar.
 */
export function trackBars(track: Track, start: number, end: number, known = -Infinity, columns = 200): Bar[] {
  const span = Math.max(1, end - start)
  const bars: Bar[] = []
  for (const step of track.steps) {
    if (step.startedAt < known) continue
    const shown = shownTime(step)
    const from = (shown.from - start) / span
    const to = ((shown.to ?? end) - start) / span
    const last = bars.at(-1)
    // In the same column, or overlapping like the steps of a fan-out.
    if (last && (to - last.from <= 1 / columns || from < last.to)) {
      last.to = Math.max(last.to, to)
      last.count++
      if (RANK[step.status] > RANK[last.status]) last.status = step.status
    } else bars.push({ from, to, status: step.status, count: 1 })
  }
  return bars
}

const RANK: Record<Step['status'], number> = { done: 0, unknown: 1, interrupted: 2, running: 3, error: 4 }
