import { keepPreviousData } from '@tanstack/react-query'
import { traces } from '@/lib/contracts/traces'
import type { InputOf } from '@/lib/contracts/wire/api'
import { apiQuery } from './api-query'

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

/** What was logged beside a run; it never changes under its name, and may be large. */
export const traceAttachmentQuery = (workspace: string, runId: string, name: string) => ({
  ...apiQuery(traces.getTraceAttachment, { workspace, params: { run_id: runId }, query: { name } }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 30_000,
  structuralSharing: false,
})

/** One logged run with all of it. It may be large, so it is not kept for long. */
export const traceRunQuery = (workspace: string, runId: string) => ({
  ...apiQuery(traces.getTraceRun, { workspace, params: { run_id: runId } }),
  gcTime: 30_000,
  structuralSharing: false,
})
