import 'server-only'
import { dehydrate, type FetchQueryOptions, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { ApiTable } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import type { ApiQueryKey } from '@/lib/queries/api-query'
import { makeQueryClient } from '@/lib/queries/query-client'
import { raceAbort } from '../process/signals'
import { callAny } from '../upstream/call'

const TABLES: Record<string, ApiTable> = { 'control-plane': controlPlane, 'agent-server': agentServer, traces }

/** A page waits this long for an upstream. After that it renders its skeleton and the browser fetches. */
const PATIENCE_MS = 2_500

const requestClient = cache(makeQueryClient)

// biome-ignore lint/suspicious/noExplicitAny: query options are invariant in their data; this accepts any `apiQuery`
type Prefetchable = Pick<FetchQueryOptions<any, any, any, any>, 'staleTime'> & { queryKey: ApiQueryKey }

/**
 * Fetches a page's queries in parallel, through `call` instead of the relay. The browser retries failures and shows them in
 * place; a missing record becomes `notFound()`.
 */
export async function prefetch(...queries: Prefetchable[]): Promise<void> {
  const client = requestClient()
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const failures = await Promise.all(queries.map((query) => fill(client, query.queryKey, patience)))
  if (failures.some((error, index) => isMissing(error, queries[index]?.queryKey))) notFound()
}

/** Like `prefetch`, for one of our own reads that is not a single operation. Gives what was read, if it was in time. */
export async function prefetchRead<T>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const patience = AbortSignal.timeout(PATIENCE_MS)
  try {
    // Not every read ends with the signal.
    const queryFn = () => raceAbort(read(patience), patience)
    return await requestClient().fetchQuery({ queryKey, queryFn, retry: false })
  } catch (error) {
    if (isMissing(error, undefined)) notFound()
    return undefined
  }
}

/** Not found, or an id in an impossible form: the server then refuses the path parameter. */
function isMissing(error: unknown, key: ApiQueryKey | undefined): boolean {
  if (!(error instanceof AppError)) return false
  const params = key?.[4].params ?? {}
  return error.code === 'not_found' || error.view.fields.some(({ path }) => Object.hasOwn(params, String(path.at(-1))))
}

async function fill(client: QueryClient, queryKey: ApiQueryKey, signal: AbortSignal): Promise<unknown> {
  // Layouts and pages request the same query; a failed one is not repeated within a request.
  const failure = client.getQueryState(queryKey)?.error
  if (failure) return failure
  const [api, id, workspace, deploymentId, input] = queryKey
  const op = TABLES[api]?.[id]
  if (!op) throw new TypeError(`There is no operation ${api}.${id}.`)
  const queryFn = () => callAny(op, { ...input, workspace, deploymentId: deploymentId ?? undefined }, { signal })
  return client.fetchQuery({ queryKey, queryFn, retry: false }).then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** This request's prefetched queries, ready for `HydrationBoundary`. */
export const dehydratedQueries = () => dehydrate(requestClient())
