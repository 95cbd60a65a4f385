import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { isRecord } from '@/lib/json/guards'

/**
 * What an operation reaches: one deployment, whose roles count; all deployments, of which a limited member gets their own
 * (`narrowed.ts`); or the workspace, which needs a role for all of it.
 */
export type Reach = 'deployment' | 'deployments' | 'workspace'

const NARROWED = new Set([
  `control-plane ${controlPlane.listDeployments.id}`,
  ...[traces.getTracingInfo, traces.queryTraceRuns, traces.getTraceTotals, traces.listTraceTree].map(nameOf),
  ...[traces.getTraceRun, traces.getTraceAttachment, traces.listTracingProjects, traces.getTracingProject].map(nameOf),
  nameOf(traces.createFeedback),
])

function nameOf({ api, id }: Operation): string {
  return `${api} ${id}`
}

/** A new operation that names no deployment is of the workspace, until it is narrowed. */
export function reachOf(op: Operation): Reach {
  if (NARROWED.has(nameOf(op))) return 'deployments'
  if (op.api === 'agent-server' || op.path.includes('{deployment_id}') || isLogSearch(op)) return 'deployment'
  return 'workspace'
}

/** Its query needs the deployment. */
const isLogSearch = (op: Operation) => nameOf(op) === nameOf(controlPlane.searchDeploymentLogs)

/** The deployments that an input names: none for a check before anything is sent. */
export function deploymentsNamed(op: Operation, { deploymentId, params, query }: OperationPlace & AnyInput): string[] {
  if (reachOf(op) !== 'deployment') return []
  const asked = isLogSearch(op) && isRecord(query) ? [query.deployment_id].flat().map(String) : []
  return [deploymentId, params?.deployment_id, ...asked].filter((one) => one !== undefined)
}
