import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { buildQuery, type InputOf } from '@/lib/contracts/api'
import { traces } from '@/lib/contracts/traces'
import type { LightRun } from '@/lib/traces/light-run'
import { apiQuery } from './api-query'
import { consoleFetch, type RelayError } from './relay-fetch'

type RunsBody = InputOf<typeof traces.queryTraceRuns>['body']
type TotalsBody = InputOf<typeof traces.getTraceTotals>['body']

/** While it is looked at, a list of logged runs is read again this often. */
const LIVE_MS = 10_000

/** The tracing project that a deployment logs to: it has the deployment's name. */
export const tracingProjectQuery = (workspace: string, name: string) => ({
  ...apiQuery(traces.listTracingProjects, { workspace, query: { name, limit: '1' } }),
  staleTime: 60_000,
})

/** A page of logged runs; the last page stays on screen while the next loads. `isLive`: it is the newest page. */
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

/** One logged run with all of it. It may be large, so it is not kept for long. */
export const traceRunQuery = (workspace: string, runId: string) => ({
  ...apiQuery(traces.getTraceRun, { workspace, params: { run_id: runId } }),
  gcTime: 30_000,
  structuralSharing: false,
})

export type TreePage = { runs: LightRun[]; next: string | null }

const treePath = (workspace: string, trace: string, query: unknown) =>
  `/api/traces/${encodeURIComponent(workspace)}/${encodeURIComponent(trace)}?${buildQuery(query)}`

/** A page of a trace's runs without what was said in them, made by the console's server. */
export const fetchTreePage = async (
  workspace: string,
  trace: string,
  query: { cursor?: string; limit: number },
  signal: AbortSignal,
): Promise<TreePage> => (await consoleFetch(treePath(workspace, trace, query), { signal })) as TreePage

/** The first page of a trace, for pages that show it before the rest has come. */
export const treeStartQuery = (workspace: string, trace: string) =>
  queryOptions<TreePage, RelayError>({
    queryKey: ['trace-tree', workspace, trace],
    queryFn: ({ signal }) => fetchTreePage(workspace, trace, { limit: TREE_START }, signal),
  })

/** Few, so that they are there at once. */
export const TREE_START = 200
