'use client'

import { useQuery } from '@tanstack/react-query'
import { useReasons } from '@/components/shared/layout/rights'
import type { RunRowsPage } from '@/lib/contracts/agents/run-row'
import { runRowsQuery } from '@/lib/queries/runs'
import type { RecordingSummary } from '@/lib/stream/log'
import { timesOf } from '@/lib/stream/run-times'
import { ModelFigures } from './model-figures'
import type { RunStore } from './run-store'

const MINUTE_MS = 60_000
const REFRESH_MS = 3_000
/** Reads after the end of a run, because its trace may arrive later. */
const MOST_READS = 10

type Props = {
  summary: RecordingSummary
  store: RunStore
  /** What the recording tells, for want of a trace. */
  recorded: { tokens: number; tokensTitle: string }
}

/** What the models of a run took that was started elsewhere: from its trace, as in the list of runs. */
export function TracedFigures({ summary, store: { view }, recorded }: Props) {
  const { workspace, deployment } = summary
  const run = view.run.id ?? summary.run ?? undefined
  const { startedAt, endedAt } = timesOf(view, summary)
  const { hasTraces } = useReasons()
  const { data, error, isPending } = useQuery({
    // The times narrow down which traces are searched. The end is part of the key, so that they are read again after it.
    ...runRowsQuery(workspace, {
      ...{ deployment, runs: run ?? '', depth: 1, limit: 1, since: minuteOf(startedAt, -1) },
      ...(endedAt !== undefined && { until: minuteOf(endedAt, 2) }),
    }),
    enabled: hasTraces && run !== undefined,
    refetchInterval: ({ state }) =>
      endedAt !== undefined && (state.dataUpdateCount >= MOST_READS || isSettled(state.data, endedAt))
        ? false
        : REFRESH_MS,
  })
  const row = data?.rows.find((one) => one.run === run)
  if (hasTraces && run !== undefined && isPending)
    return <ModelFigures unknown="…" firstTokenTitle={READING} tokensTitle={READING} />
  const problem = error?.view.message ?? data?.looked?.problems[0]?.message
  const unknown = problem ? `Unknown: the trace could not be read. ${problem}` : UNKNOWN
  const tokens =
    row?.tokens !== undefined
      ? { tokens: row.tokens, tokensTitle: 'From the trace.' }
      : recorded.tokens > 0
        ? recorded
        : { tokensTitle: unknown }
  return (
    <ModelFigures
      firstToken={row?.firstTokenMs}
      firstTokenTitle={row?.firstTokenMs === undefined ? unknown : 'Time to the first model output, from the trace.'}
      {...tokens}
    />
  )
}

const READING = 'Reading the trace.'
const UNKNOWN = 'Unknown: neither a recording nor a trace tells it.'

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
