import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { call } from '../upstream/call'

/** How long a page waits for this; after that the trace opens where the link said. */
const PATIENCE_MS = 2_500

/**
 * The id of a trace's project if it is not the deployment's, because then the trace must not appear under its heading. Undefined
 * if it is, or if a server does not tell.
 */
export async function foreignProject(
  { workspace, deploymentId }: DeploymentPlace,
  trace: string,
  actor: Actor,
): Promise<string | undefined> {
  const options = { actor, signal: AbortSignal.timeout(PATIENCE_MS) }
  const readProject = async () => {
    const { runs } = await call(traces.queryTraceRuns, { workspace, body: { trace, limit: 1 } }, options)
    return runs[0]?.session_id ?? undefined
  }
  const readDeployment = () =>
    call(controlPlane.getDeployment, { workspace, params: { deployment_id: deploymentId } }, options)
  try {
    const [project, deployment] = await Promise.all([readProject(), readDeployment()])
    if (!project || project === deployment.tracing_project_id) return undefined
    if (deployment.tracing_project_id) return project
    const { name } = await call(traces.getTracingProject, { workspace, params: { session_id: project } }, options)
    return name === deployment.name ? undefined : project
  } catch (error) {
    if (error instanceof AppError || options.signal.aborted) return undefined
    throw error
  }
}
