import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { traces } from '@/lib/contracts/traces'
import type { TracingProject } from '@/lib/contracts/traces/projects'
import type { InputOf } from '@/lib/contracts/wire/api'
import type { StoredPrice } from '@/lib/traces/cost'
import { LIGHT_FIELDS } from '@/lib/traces/light-run'
import { apiQuery, LIVE_MS } from './api-query'
import { consoleFetch, type RelayError, relayFetch } from './relay-fetch'

type RunsBody = InputOf<typeof traces.queryTraceRuns>['body']
type TotalsBody = InputOf<typeof traces.getTraceTotals>['body']

/** Projects hardly change, but where there is none the first run makes one at any time. */
const PROJECTS_MS = {
  staleTime: ({ state }: { state: { data?: unknown[] } }) => (state.data?.length ? 60_000 : 0),
  refetchInterval: ({ state }: { state: { data?: unknown[] } }) =>
    state.data?.length === 0 ? LIVE_MS : (false as const),
}

/** A deployment's tracing project, which has the deployment's name. */
export const tracingProjectQuery = (workspace: string, name: string) => ({
  ...apiQuery(traces.listTracingProjects, { workspace, query: { name, limit: '1' } }),
  ...PROJECTS_MS,
})

/** How many tracing projects a list of the whole workspace covers. */
export const MAX_PROJECTS = 1_000
const PROJECTS_PAGE = 100

/** The tracing projects of a workspace, up to `MAX_PROJECTS`. */
export const tracingProjectsQuery = (workspace: string) =>
  queryOptions<TracingProject[], RelayError>({
    queryKey: ['tracing-projects', workspace],
    queryFn: async ({ signal }) => {
      const found: TracingProject[] = []
      while (found.length < MAX_PROJECTS) {
        const query = { limit: String(PROJECTS_PAGE), offset: String(found.length) }
        const page = await relayFetch(traces.listTracingProjects, { workspace, query }, signal)
        found.push(...(page as TracingProject[])) // the relay has parsed it
        if ((page as TracingProject[]).length < PROJECTS_PAGE) break
      }
      return found
    },
    ...PROJECTS_MS,
  })

/** A page of tracing projects with their figures. */
export const projectPageQuery = (workspace: string, search: { name: string; offset: number; limit: number }) => ({
  ...apiQuery(traces.listTracingProjects, {
    workspace,
    query: {
      ...{ limit: String(search.limit), offset: String(search.offset), include_stats: 'true' },
      ...(search.name && { name_contains: search.name }),
    },
  }),
  placeholderData: keepPreviousData,
})

/** One tracing project. */
export const projectQuery = (workspace: string, project: string) => ({
  ...apiQuery(traces.getTracingProject, { workspace, params: { session_id: project } }),
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

/** What the runs of projects can be filtered by, and the models that they called. */
export const traceFacetsQuery = (workspace: string, body: TotalsBody) => ({
  ...apiQuery(traces.getTraceTotals, { workspace, body: { ...body, facets: true } }),
  staleTime: 60_000,
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

/** The failed runs of a trace in order, with their errors and inputs. */
export const failedRunsQuery = (workspace: string, trace: string) => ({
  ...apiQuery(traces.queryTraceRuns, {
    workspace,
    body: { trace, error: true, limit: 100, order: 'asc', select: ['id', 'name', 'error', 'inputs'] },
  }),
  gcTime: 30_000,
  structuralSharing: false,
})

/** The model calls of a trace in order: the first hundred. */
export const modelCallsQuery = (workspace: string, trace: string) =>
  apiQuery(traces.queryTraceRuns, {
    workspace,
    body: { trace, is_model: true, limit: 100, order: 'asc', select: LIGHT_FIELDS },
  })

/** The workspace's model prices, applied whenever a cost is shown. */
export const pricesQuery = (workspace: string) =>
  queryOptions<StoredPrice[], RelayError>({
    queryKey: ['prices', workspace],
    queryFn: async ({ signal }) =>
      (await consoleFetch(`/api/prices/${encodeURIComponent(workspace)}`, { signal })) as StoredPrice[],
    staleTime: 60_000,
  })
