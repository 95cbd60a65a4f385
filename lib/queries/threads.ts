import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { HistoryPage } from '@/lib/contracts/agents/thread-edit'
import { buildQuery, type InputOf } from '@/lib/contracts/wire/api'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { apiQuery, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type Search = NonNullable<InputOf<typeof agentServer.searchThreads>['body']>

/** A page of threads. The previous page stays visible while the next one loads. */
export const threadsQuery = (workspace: string, deploymentId: string, body: Search = {}) => ({
  ...apiQuery(agentServer.searchThreads, { workspace, deploymentId, body }),
  placeholderData: keepPreviousData,
})

/** The columns of lists: never the values, which may be megabytes each. */
export const LIGHT_COLUMNS = ['thread_id', 'status', 'created_at', 'updated_at', 'metadata']

/** The thread without its values. Uses a search by id, because only searches can omit them. */
export const lightThreadQuery = ({ workspace, deploymentId, thread }: ThreadPlace) =>
  threadsQuery(workspace, deploymentId, { ids: [thread], select: LIGHT_COLUMNS, limit: 1 })

export const threadQuery = (workspace: string, deploymentId: string, threadId: string) =>
  apiQuery(agentServer.getThread, { workspace, deploymentId, params: { thread_id: threadId } })

type HistoryQuery = { limit?: number; before?: string; ns?: string }

/**
 * A page of checkpoints without their values, in one request. Its key begins like that of the history search, so that
 * invalidating histories includes it.
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
      // Our own server wrote the response; only the type is lost.
      return (await consoleFetch(`/api/history/${place}?${buildQuery(query)}`, { signal })) as HistoryPage
    },
  })
