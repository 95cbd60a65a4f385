import { keepPreviousData, queryOptions, replaceEqualDeep } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import { RUN_ROWS, type RunHistogram, type RunRowsPage } from '@/lib/contracts/agents/run-row'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import { apiQuery, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type ListQuery = InputOf<typeof agentServer.listRuns>['query']

/** A thread's runs in the server's order: newest first on most servers, oldest first on some. */
export const runsQuery = (workspace: string, deploymentId: string, threadId: string, query: ListQuery = {}) =>
  apiQuery(agentServer.listRuns, { workspace, deploymentId, params: { thread_id: threadId }, query })

export const runQuery = (workspace: string, deploymentId: string, threadId: string, runId: string) =>
  apiQuery(agentServer.getRun, { workspace, deploymentId, params: { thread_id: threadId, run_id: runId } })

/** The runs that a deployment's overview shows. */
export const recentRuns = (deploymentId: string) => ({ deployment: deploymentId, limit: 20 })

/**
 * A page of recordings and other runs, in one request. Its key begins like that of a thread's runs, so that
 * invalidating those includes it.
 */
export const runRowsQuery = (workspace: string, query: Record<string, string | number | boolean>) =>
  queryOptions<RunRowsPage, RelayError>({
    queryKey: [...operationKey(agentServer.listRuns, workspace), 'rows', query],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/runs/${encodeURIComponent(workspace)}?${buildQuery(query)}`, {
        signal,
      })) as RunRowsPage,
    placeholderData: keepPreviousData,
    structuralSharing: (before, now) =>
      replaceEqualDeep(
        before,
        keepElsewhere(before as RunRowsPage | undefined, now as RunRowsPage, Number(query.limit ?? RUN_ROWS)),
      ),
  })

const HISTOGRAM_MS = { usual: 15_000, pending: 3_000 }

/** How many runs of a list started when. Read again now and then, as the list is live. */
export const runHistogramQuery = (workspace: string, query: Record<string, string | number>) =>
  queryOptions<RunHistogram, RelayError>({
    queryKey: [...operationKey(agentServer.listRuns, workspace), 'histogram', query],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/runs/${encodeURIComponent(workspace)}/histogram?${buildQuery(query)}`, {
        signal,
      })) as RunHistogram,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.looked?.isPending ? HISTOGRAM_MS.pending : HISTOGRAM_MS.usual),
  })

/** While the servers have not responded, the runs that they reported before stay in the list. */
export function keepElsewhere(before: RunRowsPage | undefined, now: RunRowsPage, limit: number): RunRowsPage {
  if (!before || !now.looked?.isPending) return now
  const listed = new Set(now.rows.map(({ run, id }) => run ?? id))
  const kept = before.rows.filter(({ recording, run, id }) => recording === null && !listed.has(run ?? id))
  if (kept.length === 0) return now
  const rows = [...now.rows, ...kept].sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
  return {
    rows: rows.slice(0, limit),
    next: now.next ?? before.next,
    looked: { ...now.looked, isKept: true },
  }
}
