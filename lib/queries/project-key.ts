import type { ApiQueryKey } from './api-query'

/**
 * The key of `projectQuery`, for pages that only look for its name. Written out, so that those pages need not load the
 * operations of traces.
 */
export const projectKey = (workspace: string, project: string): ApiQueryKey => [
  'traces',
  'getTracingProject',
  workspace,
  null,
  { params: { session_id: project } },
]
