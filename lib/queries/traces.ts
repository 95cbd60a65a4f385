import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { traces } from '@/lib/contracts/traces'
import type { InputOf } from '@/lib/contracts/wire/api'
import type { StoredPrice } from '@/lib/traces/cost'
import { apiQuery } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type RunsBody = InputOf<typeof traces.queryTraceRuns>['body']
type TotalsBody = InputOf<typeof traces.getTraceTotals>['body']

/** How often a visible list of logged runs is read again. */
const LIVE_MS = 10_000

/** A deployment's tracing project, which has the deployment's name. */
export const tracingProjectQuery = (workspace: string, name: string) => ({
  ...apiQuery(traces.listTracingProjects, { workspace, query: { name, limit: '1' } }),
  staleTime: 60_000,
})

/** The first 100 tracing projects of a workspace. */
export const tracingProjectsQuery = (workspace: string) => ({
  ...apiQuery(traces.listTracingProjects, { workspace, query: { limit: '100' } }),
  staleTime: 60_000,
})

/** A page of logged runs. The previous page stays visible while the next one loads. `isLive`: it is the newest page. */
export const traceRunsQuery = (workspace: string, body: RunsBody, isLive = false) => ({
  ...apiQuery(traces.queryTraceRuns, { workspace, body }),
  placeholderData: keepPreviousData,
  refetchInterval: isLive ? LIVE_MS : (false as const),
})

export const traceTotalsQuery = (workspace: string, body: TotalsBody) => ({
  ...apiQuery(traces.getTraceTotals, { workspace, body }),
  placeholderData: keepPreviousData,
  refetchInterval: LIVE_MS,
})

/** A run's attachment. It never changes under its name, and may be large. */
export const traceAttachmentQuery = (workspace: string, runId: string, name: string) => ({
  ...apiQuery(traces.getTraceAttachment, { workspace, params: { run_id: runId }, query: { name } }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 30_000,
  structuralSharing: false,
})

/** One complete logged run. It may be large, so it is not cached for long. */
export const traceRunQuery = (workspace: string, runId: string) => ({
  ...apiQuery(traces.getTraceRun, { workspace, params: { run_id: runId } }),
  gcTime: 30_000,
  structuralSharing: false,
})

/** The workspace's model prices, applied whenever a cost is shown. */
export const pricesQuery = (workspace: string) =>
  queryOptions<StoredPrice[], RelayError>({
    queryKey: ['prices', workspace],
    queryFn: async ({ signal }) =>
      (await consoleFetch(`/api/prices/${encodeURIComponent(workspace)}`, { signal })) as StoredPrice[],
    staleTime: 60_000,
  })
