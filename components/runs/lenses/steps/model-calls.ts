import { useQuery } from '@tanstack/react-query'
import { useContext, useMemo } from 'react'
import { RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useReasons } from '@/components/shared/layout/rights'
import type { TraceRunsPage } from '@/lib/contracts/traces/run-queries'
import { isRecord } from '@/lib/json/guards'
import { modelCallsQuery } from '@/lib/queries/traces'
import type { RecordingSummary } from '@/lib/stream/log'
import { timesOf } from '@/lib/stream/run-times'
import type { Steps } from '@/lib/stream/steps'
import { parseNamespace } from '@/lib/stream/wire/namespaces'
import { type LightRun, lightRun } from '@/lib/traces/light-run'

/** A model call of a trace, with the tasks that it was made in, the innermost last. */
export type ModelCall = LightRun & { tasks: readonly string[] }

/** A trace may arrive later than the end of its run. */
const REFRESH_MS = 3_000
const MOST_READS = 5
const MINUTE_MS = 60_000

/** The model calls of an ended run, from its trace. None where there are more than one page has, because some would be missing. */
export function useModelCalls(summary: RecordingSummary, { view }: RunStore): readonly ModelCall[] {
  const { hasTraces } = useReasons()
  const isHere = useContext(RunPlace) !== undefined
  const run = view.run.id ?? summary.run
  const { endedAt } = timesOf(view, summary)
  const { data } = useQuery({
    ...modelCallsQuery(summary.workspace, run ?? ''),
    enabled: hasTraces && isHere && run !== null && endedAt !== undefined,
    retry: false,
    refetchInterval: ({ state }) =>
      state.dataUpdateCount >= MOST_READS || Date.now() - (endedAt ?? 0) > MINUTE_MS ? false : REFRESH_MS,
  })
  return useMemo(() => callsIn(data), [data])
}

/** The calls that a page of runs tells of, unless there are more. */
export function callsIn(page: TraceRunsPage | undefined): ModelCall[] {
  if (!page || page.cursors?.next) return []
  return page.runs.map((run) => {
    const metadata = isRecord(run.extra?.metadata) ? run.extra.metadata : {}
    const path = metadata.graph_checkpoint_ns
    return { ...lightRun(run), tasks: parseNamespace(typeof path === 'string' ? path : '').map(({ task }) => task) }
  })
}

/** Calls by the step that made them: the innermost that the stream has told of. */
export function callsByTask(steps: Steps, calls: readonly ModelCall[]): ReadonlyMap<string, readonly ModelCall[]> {
  const known = new Set([...steps.tracks.values()].flatMap((track) => track.steps.map(({ task }) => task)))
  const found = new Map<string, ModelCall[]>()
  for (const call of calls) {
    const task = call.tasks.findLast((one) => known.has(one))
    if (task) found.set(task, [...(found.get(task) ?? []), call])
  }
  return found
}
