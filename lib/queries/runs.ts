import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunRowsPage } from '@/lib/contracts/agents/run-row'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import { apiQuery, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type ListQuery = InputOf<typeof agentServer.listRuns>['query']

/** The runs of one thread, in the server's own order: newest first on most, oldest first on some. */
export const runsQuery = (workspace: string, deploymentId: string, threadId: string, query: ListQuery = {}) =>
  apiQuery(agentServer.listRuns, { workspace, deploymentId, params: { thread_id: threadId }, query })

export const runQuery = (workspace: string, deploymentId: string, threadId: string, runId: string) =>
  apiQuery(agentServer.getRun, { workspace, deploymentId, params: { thread_id: threadId, run_id: runId } })

/**
 * A page of recordings and runs of elsewhere, as one reading of the console's server. Its key begins as that of the runs of a
 * thread, so that what makes those stale makes this one stale too.
 */
export const runRowsQuery = (workspace: string, query: Record<string, string | number | boolean>) =>
  queryOptions<RunRowsPage, RelayError>({
    queryKey: [...operationKey(agentServer.listRuns, workspace), 'rows', query],
    queryFn: async ({ signal }) =>
      // Made by the same server; only its type is lost on the way.
      (await consoleFetch(`/api/runs/${encodeURIComponent(workspace)}?${buildQuery(query)}`, {
        signal,
      })) as RunRowsPage,
    placeholderData: keepPreviousData,
  })
