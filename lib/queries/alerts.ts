import { queryOptions } from '@tanstack/react-query'
import type { AlertsView } from '@/lib/contracts/alerts/alerts'
import { consoleFetch, type RelayError } from './relay-fetch'

const EVERY_MS = 10_000

/** The rules, channels, alerts and their history, read again every 10 s. */
export const alertsQuery = (workspace: string) =>
  queryOptions<AlertsView, RelayError>({
    queryKey: ['alerts', workspace],
    queryFn: async ({ signal }) =>
      // Our own server wrote the response; only the type is lost.
      (await consoleFetch(`/api/alerts/${encodeURIComponent(workspace)}`, { signal })) as AlertsView,
    refetchInterval: EVERY_MS,
  })
