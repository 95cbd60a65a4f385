import { useQuery } from '@tanstack/react-query'
import { useReasons } from '@/components/shared/layout/rights'
import type { RunRow, RunRowsPage } from '@/lib/contracts/agents/run-row'
import { runRowsQuery } from '@/lib/queries/runs'
import type { RecordingSummary } from '@/lib/stream/log'
import { timesOf } from '@/lib/stream/run-times'
import type { RunStore } from './run-store'

const MINUTE_MS = 60_000
const REFRESH_MS = 3_000
/** While the run goes on, when its recording tells the figures too. */
const LIVE_MS = 10_000
/** Reads after the end of a run, because its trace may arrive later. */
const MOST_READS = 10

/** What the list of runs tells of a recorded run from its trace. `problem`: why it could not be read. */
export function useTracedRun(
  summary: RecordingSummary,
  { view }: RunStore,
): { row: RunRow | undefined; isReading: boolean; problem: string | undefined } {
  const { workspace, deployment } = summary
  const run = view.run.id ?? summary.run ?? undefined
  const { startedAt, endedAt } = timesOf(view, summary)
  const { hasTraces } = useReasons()
  const isTraced = hasTraces && run !== undefined
  const { data, error, isPending } = useQuery({
    // The times narrow down which traces are searched. The end is part of the key, so that they are read again after it.
    ...runRowsQuery(workspace, {
      ...{ deployment, runs: run ?? '', depth: 1, limit: 1, since: minuteOf(startedAt, -1) },
      ...(endedAt !== undefined && { until: minuteOf(endedAt, 2) }),
    }),
    enabled: isTraced,
    refetchInterval: ({ state }) => {
      if (endedAt === undefined) return LIVE_MS
      return state.dataUpdateCount >= MOST_READS || isSettled(state.data, endedAt) ? false : REFRESH_MS
    },
  })
  return {
    row: isTraced ? data?.rows.find((one) => one.run === run) : undefined,
    isReading: isTraced && isPending,
    problem: error?.view.message ?? data?.looked?.problems[0]?.message,
  }
}

/** Whether another read would show nothing new. */
function isSettled(page: RunRowsPage | undefined, endedAt: number): boolean {
  const [row] = page?.rows ?? []
  if (row?.trace) return row.trace === 'ended'
  return (
    page !== undefined && !page.looked?.isPending && !page.looked?.problems.length && Date.now() - endedAt > MINUTE_MS
  )
}

/** A whole minute, because the recording and its summary may differ by milliseconds. */
const minuteOf = (at: number, more: number) => new Date((Math.floor(at / MINUTE_MS) + more) * MINUTE_MS).toISOString()
