import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunRowsPage } from '@/lib/contracts/agents/run-row'
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
  })
