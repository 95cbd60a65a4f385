import type { Route } from 'next'
import type { TracesPlace } from '@/lib/contracts/wire/places'
import { routes } from '@/lib/routes'

// A trace of a deployment's project has its page below the deployment, every other one below its project.

type Query = Record<string, string | undefined>

export const tracesHref = ({ workspace, deploymentId, project }: TracesPlace, query?: Query): Route =>
  project
    ? routes.projectTraces(workspace, project, query)
    : deploymentId
      ? routes.traces(workspace, deploymentId, query)
      : routes.allTraces(workspace, query)

/** A list of the whole workspace passes the run's own project. */
export const traceHref = (
  { workspace, deploymentId, project }: TracesPlace,
  trace: string,
  query: { run?: string | undefined } = {},
): Route =>
  project
    ? routes.projectTrace(workspace, project, trace, query)
    : deploymentId
      ? routes.trace(workspace, deploymentId, trace, query)
      : routes.tracingProjects(workspace)

export const compareHref = ({ workspace, deploymentId, project }: TracesPlace, a?: string, b?: string): Route =>
  project
    ? routes.compareProjectTraces(workspace, project, a, b)
    : routes.compareTraces(workspace, deploymentId ?? '', a, b)
