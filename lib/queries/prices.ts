import { queryOptions } from '@tanstack/react-query'
import type { StoredPrice } from '@/lib/traces/cost'
import { consoleFetch, type RelayError } from './relay-fetch'

/** The workspace's model prices, applied whenever a cost is shown. */
export const pricesQuery = (workspace: string) =>
  queryOptions<StoredPrice[], RelayError>({
    queryKey: ['prices', workspace],
    queryFn: async ({ signal }) =>
      (await consoleFetch(`/api/prices/${encodeURIComponent(workspace)}`, { signal })) as StoredPrice[],
    staleTime: 60_000,
  })
