import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { ListenerRowsPage, ListenerStateName } from '@/lib/contracts/deployments/listener-row'
import { buildQuery } from '@/lib/contracts/wire/api'
import { LIVE_MS, operationKey } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

export type ListenerRowsQuery = { q?: string; state?: ListenerStateName; id?: string; limit: number; offset: number }

/**
 * Listeners joined with their deployments. Its key begins like that of `listListeners`, so that invalidating the list
 * includes it.
 */
export const listenerRowsQuery = (workspace: string, query: ListenerRowsQuery) =>
  queryOptions<ListenerRowsPage, RelayError>({
    queryKey: [...operationKey(controlPlane.listListeners, workspace), 'rows', query],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/deployments/${encodeURIComponent(workspace)}/listeners?${buildQuery(query)}`, {
        signal,
      })) as ListenerRowsPage,
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  })
