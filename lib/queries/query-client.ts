import { isServer, QueryClient } from '@tanstack/react-query'
import { parseJson, printJson } from '@/lib/contracts/json'
import { HTTP_STATUS } from '@/lib/errors'
import { RelayError } from './relay-fetch'

const MAX_RETRIES = 2

/** Whether asking again can help: never after a refusal (4xx), except after being told to wait. */
export function shouldRetry(failures: number, error: Error): boolean {
  if (isServer || failures >= MAX_RETRIES) return false
  if (!(error instanceof RelayError)) return false
  const status = HTTP_STATUS[error.code]
  return error.code === 'rate_limited' || (status >= 500 && status !== 501 && error.code !== 'upstream_shape')
}

/** One client for the browser's life, or for one request on the server. */
export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: shouldRetry,
        retryDelay: (failures, error) =>
          (error instanceof RelayError ? error.view.retryAfterMs : undefined) ?? Math.min(1_000 * 2 ** failures, 10_000),
      },
      // As text, because numbers too large for a double are objects that cannot cross from server to client components.
      dehydrate: { serializeData: printJson, shouldRedactErrors: () => true },
      hydrate: { deserializeData: (data: unknown) => parseJson(String(data)) },
    },
  })
