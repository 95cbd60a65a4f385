import 'server-only'
import { DEPTHS, type RunHistogram, statusGroupOf } from '@/lib/contracts/agents/run-row'
import { queryInt } from '@/lib/contracts/wire/fields'
import type { Actor } from '../../access/actor'
import { parseInput } from '../../process/result'
import { type RowsFilter, recordedAmong, recordedCounts, waitingRuns } from '../../records/recorded-runs'
import { serveRead } from '../../relay/serve-read'
import { intervalOf, intervalsOf } from './intervals'
import { fits, lookFor, RunRowsQuery, readFilter } from './list'

/** The span of a query that names no start. */
const USUAL_MS = 7 * 86_400_000
/** How many traces are read, at most, for runs without a recording. */
const MOST_TRACED = 300

const HistogramQuery = RunRowsQuery.omit({ after: true, limit: true }).extend({
  /** How many minutes the reader's clock is ahead of UTC. */
  zone: queryInt(-14 * 60, 14 * 60).default(0),
})

/**
 * How many runs of a list started when, by status: of the same runs as `readRunRows` with the same query, without its
 * pages. Throws AppError.
 */
export async function readRunHistogram(workspace: string, query: unknown, actor: Actor): Promise<RunHistogram> {
  const { source, depth, zone, ...asked } = parseInput(HistogramQuery, query)
  const { filter: given, only } = await readFilter(workspace, asked, actor)
  const end = given.until ?? Date.now()
  const since = given.since ?? end - USUAL_MS
  const filter: RowsFilter = { ...given, since }
  const intervals = intervalsOf(since, end, zone)
  const page = { depth: depth ?? DEPTHS[0], after: undefined, limit: MOST_TRACED, deployments: only }
  const [seen, recorded] = await Promise.all([
    source === 'recorded' ? null : lookFor(workspace, filter, page),
    source === 'elsewhere' ? [] : recordedCounts(actor, workspace, filter, intervals),
  ])
  const counts: RunHistogram['counts'] = Array.from({ length: intervals.counts }, () => ({}))
  const add = (interval: number, status: string, runs: number) => {
    const one = counts[interval]
    const group = statusGroupOf(status)
    if (one) one[group] = (one[group] ?? 0) + runs
  }
  for (const { at, status, runs } of recorded) add(intervalOf(at.getTime(), intervals), status, runs)
  const isSomeWaiting = recorded.some(({ status }) => status === 'waiting')
  for (const { startedAt, outcome } of isSomeWaiting ? await waitingRuns(actor, workspace, filter) : []) {
    if (outcome !== 'continued') continue
    const interval = intervalOf(startedAt.getTime(), intervals)
    // One may have begun to wait since the others were counted.
    if (!counts[interval]?.waiting) continue
    add(interval, 'waiting', -1)
    if (filter.status !== 'waiting') add(interval, 'continued', 1)
  }
  if (filter.status === 'success') for (const one of counts) delete one.waiting
  const isRecorded = await recordedAmong(actor, workspace, seen?.runs ?? [])
  const others = (seen?.runs ?? []).filter((one) => !isRecorded(one) && fits(one, filter))
  for (const { startedAt, status } of others) add(intervalOf(Date.parse(startedAt), intervals), status, 1)
  return {
    since,
    until: given.until ?? null,
    first: intervals.first,
    step: intervals.step,
    counts,
    elsewhere: others.length,
    looked: seen?.looked ?? null,
  }
}

/** Serves `GET /api/runs/{workspace}/histogram` with `readRunHistogram`. */
export const serveRunHistogram = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, { actor }) => readRunHistogram(workspace, query, actor))
