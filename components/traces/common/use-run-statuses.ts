import { useQuery } from '@tanstack/react-query'
import { isRowActive, type RunRowStatus } from '@/lib/contracts/agents/run-row'
import type { TracesPlace } from '@/lib/contracts/wire/places'
import { runRowsQuery } from '@/lib/queries/runs'
import { isLongAgo, type LightRun } from '@/lib/traces/light-run'

/** Less often than an unfinished trace is read, because a hosted tracing server limits how often its runs are searched. */
const ACTIVE_MS = 5_000

type Traced = Pick<LightRun, 'id' | 'trace' | 'run'>

/** The agent server run that a root run of a trace stands for; in the embedded platform it has the trace's id. */
const runOf = ({ id, trace, run }: Traced): string | undefined =>
  trace === null || trace === id ? (run ?? id) : undefined

/**
 * The status of a trace's run as in the list of runs, because a trace knows neither a cancel nor a question. Undefined where that
 * list does not reach: then the trace's own status is all there is.
 */
export function useRunStatuses(
  { workspace, deploymentId, project }: TracesPlace,
  traced: readonly Traced[],
): (one: Traced) => RunRowStatus | undefined {
  const ids = traced.flatMap((one) => runOf(one) ?? [])
  const { data } = useQuery({
    ...runRowsQuery(workspace, { ...(deploymentId && { deployment: deploymentId }), runs: ids.join(','), limit: 100 }),
    // A project with a name of its own has no agent server.
    enabled: ids.length > 0 && (deploymentId !== undefined || project === undefined),
    refetchInterval: ({ state }) => (state.data?.rows.some(isRowActive) ? ACTIVE_MS : false),
  })
  const statuses = new Map(data?.rows.map(({ run, status }) => [run, status]))
  return (one) => statuses.get(runOf(one) ?? null)
}

/** Whether a logged run is over: by its end, by the status of its agent server's run, or as its trace has been silent for long. */
export function isRunOver(
  status: LightRun['status'],
  outcome: RunRowStatus | undefined,
  lastAt: number | null,
): boolean {
  if (status !== 'pending') return true
  return outcome === undefined || outcome === 'unknown' ? isLongAgo(lastAt) : !isRowActive({ status: outcome })
}
