import { QueryClient } from '@tanstack/react-query'
import type { ErrorCode } from '@/lib/errors'
import type { LargeJson } from '@/lib/json/large-json'
import { parseJson, printJson } from '@/lib/json/lossless'
import { RelayError } from './relay-fetch'

const MAX_RETRIES = 2
/** Failures that may be temporary. */
const PASSING: readonly ErrorCode[] = ['upstream_unreachable', 'upstream_failed', 'rate_limited', 'internal']

/** A page waits this long for an automatic retry; after that, the error with its time to retry says more than a skeleton. */
const MAX_WAIT_MS = 10_000

/** Whether a retry can help: never after a 4xx, except when told to wait for a short time. */
export const shouldRetry = (failures: number, error: Error): boolean =>
  failures < MAX_RETRIES &&
  error instanceof RelayError &&
  PASSING.includes(error.code) &&
  (error.view.retryAfterMs ?? 0) <= MAX_WAIT_MS

const AWAY_MS = 3_000
const MOST_AWAY_MS = 30_000

type Asked = { error: RelayError | null; errorUpdateCount: number }

/**
 * For what a form needs: a server that could not be asked is asked again, because it may be starting. One that fails over the
 * question itself (500) may do so for long, so it is asked less and less often.
 */
export const untilBack = {
  refetchInterval: ({ state: { error, errorUpdateCount } }: { state: Asked }): number | false => {
    if (!error || !PASSING.includes(error.code)) return false
    if (error.view.upstreamStatus !== 500) return AWAY_MS
    return Math.min(AWAY_MS * 2 ** (errorUpdateCount - 1), MOST_AWAY_MS)
  },
}

/** One client for the browser's life, or for one request on the server. */
export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: shouldRetry,
        retryDelay: (failures, error) =>
          (error instanceof RelayError ? error.view.retryAfterMs : undefined) ??
          Math.min(1_000 * 2 ** failures, 10_000),
      },
      // As text, because LosslessNumber objects cannot cross from server to client components.
      dehydrate: { serializeData: printJson, shouldRedactErrors: () => true },
      hydrate: { deserializeData: (data: unknown) => parseJson(String(data)) },
    },
  })
  // A query's document in the worker is released with the query.
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'removed') (query.state.data as { large?: Partial<LargeJson> } | null | undefined)?.large?.release?.()
  })
  return client
}
