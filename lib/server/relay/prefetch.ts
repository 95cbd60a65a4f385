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
import { callAny } from '../upstream/call'

const TABLES: Record<string, ApiTable> = { 'control-plane': controlPlane, 'agent-server': agentServer, traces }

/** A page shows its skeleton rather than wait longer than this for an upstream; the browser then asks by itself. */
const PATIENCE_MS = 2_500

const requestClient = cache(makeQueryClient)

// biome-ignore lint/suspicious/noExplicitAny: query options are invariant in their data; any options of `apiQuery` will do
type Prefetchable = Pick<FetchQueryOptions<any, any, any, any>, 'staleTime'> & { queryKey: ApiQueryKey }

/**
 * Fills the queries that a page is about to show, all at once, through `call` instead of the relay.
 * Failures are left to the browser, which asks again and shows them where they belong; a record that is missing becomes `notFound()`.
 */
export async function prefetch(...queries: Prefetchable[]): Promise<void> {
  const client = requestClient()
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const failures = await Promise.all(queries.map((query) => fill(client, query.queryKey, patience)))
  if (failures.some((error, index) => isMissing(error, queries[index]?.queryKey))) notFound()
}

/** As `prefetch`, for a reading of ours that is no single operation. */
export async function prefetchRead(queryKey: QueryKey, read: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const error = await requestClient()
    .fetchQuery({ queryKey, queryFn: () => read(patience), retry: false })
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (isMissing(error, undefined)) notFound()
}

/** Not there, or with an id of a form that nothing can have: the server then refuses the path's parameter. */
function isMissing(error: unknown, key: ApiQueryKey | undefined): boolean {
  if (!(error instanceof AppError)) return false
  const params = key?.[4].params ?? {}
  return error.code === 'not_found' || error.view.fields.some(({ path }) => Object.hasOwn(params, String(path.at(-1))))
}

async function fill(client: QueryClient, queryKey: ApiQueryKey, signal: AbortSignal): Promise<unknown> {
  // Layouts and pages ask for the same: what failed once in a request has failed for all of it.
  const failure = client.getQueryState(queryKey)?.error
  if (failure) return failure
  const [api, id, workspace, deployment, input] = queryKey
  const op = TABLES[api]?.[id]
  if (!op) throw new TypeError(`There is no operation ${api}.${id}.`)
  const queryFn = () => callAny(op, { ...input, workspace, deployment: deployment ?? undefined }, { signal })
  return client.fetchQuery({ queryKey, queryFn, retry: false }).then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** What this request prefetched, ready for `HydrationBoundary`. */
export const dehydratedQueries = () => dehydrate(requestClient())
