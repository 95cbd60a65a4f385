import type { ApiQueryKey } from './api-query'

// Keys for pages that only look for a name in what others have read. Written out, so that those pages need not load the
// operations of the servers.

/** The key of `projectQuery`. */
export const projectKey = (workspace: string, project: string): ApiQueryKey => [
  'traces',
  'getTracingProject',
  workspace,
  null,
  { params: { session_id: project } },
]

/** The key of `deploymentQuery`. */
export const deploymentKey = (workspace: string, deploymentId: string): ApiQueryKey => [
  'control-plane',
  'getDeployment',
  workspace,
  null,
  { params: { deployment_id: deploymentId } },
]
