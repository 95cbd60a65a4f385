import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { HistoryPage } from '@/lib/contracts/agents/thread-edit'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import { apiQuery, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type Search = NonNullable<InputOf<typeof agentServer.searchThreads>['body']>

/** A page of threads; the last page stays on screen while the next loads. */
export const threadsQuery = (workspace: string, deploymentId: string, body: Search = {}) => ({
  ...apiQuery(agentServer.searchThreads, { workspace, deploymentId, body }),
  placeholderData: keepPreviousData,
})

export const threadQuery = (workspace: string, deploymentId: string, threadId: string) =>
  apiQuery(agentServer.getThread, { workspace, deploymentId, params: { thread_id: threadId } })

type HistoryQuery = { limit?: number; before?: string; ns?: string }

/**
 * A page of checkpoints without their values, as one reading of the console's server. Its key begins as that of the search for
 * them, so that what makes histories stale makes this one stale too.
 */
export const lightHistoryQuery = (
  workspace: string,
  deploymentId: string,
  threadId: string,
  query: HistoryQuery = {},
) =>
  queryOptions<HistoryPage, RelayError>({
    queryKey: [...operationKey(agentServer.searchThreadHistory, workspace), deploymentId, threadId, 'light', query],
    queryFn: async ({ signal }) => {
      const place = [workspace, deploymentId, threadId].map(encodeURIComponent).join('/')
      // Made by the same server; only its type is lost on the way.
      return (await consoleFetch(`/api/history/${place}?${buildQuery(query)}`, { signal })) as HistoryPage
    },
  })
