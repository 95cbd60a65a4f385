import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { hasServer, whyNoServer } from '@/lib/contracts/deployments/has-server'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { directServer } from '../access/direct-servers'
import type { Workspace } from '../access/workspaces'
import { raceAbort } from '../process/signals'
import { agentDestination, controlPlaneDestination, type Destination, directDestination } from './destination'
import { type ExchangeOptions, exchange, prepare } from './exchange'

const KEPT_MS = 15_000
const MAX_KEPT = 2_000

// Not on globalThis: a failed lookup throws this module copy's AppError, and `instanceof` fails in another copy.
const known = new Map<string, { address: Promise<string>; until: number }>()
const keyOf = (workspace: string, deploymentId: string) => JSON.stringify([workspace, deploymentId])

/** After a failure the next call looks the address up again: a deployment may have moved. */
export const forgetAgentAddress = (workspace: string, deploymentId: string) =>
  known.delete(keyOf(workspace, deploymentId))

/**
 * Where a deployment's agent server is. The address is cached for 15 seconds; reach and key are
 * computed from the current workspace for every request.
 */
export async function agentServerOf(
  workspace: Workspace,
  deploymentId: string,
  options: ExchangeOptions,
): Promise<Destination> {
  if (workspace.kind === 'direct') return directDestination(await directServer(workspace.slug, deploymentId))
  const key = keyOf(workspace.slug, deploymentId)
  let entry = known.get(key)
  if (!entry || entry.until < Date.now()) {
    if (known.size >= MAX_KEPT) known.clear()
    entry = { address: lookUp(workspace, deploymentId, options), until: Date.now() + KEPT_MS }
    known.set(key, entry)
    entry.address.catch(() => known.delete(key))
  }
  return agentDestination(workspace, await raceAbort(entry.address, options.signal))
}

async function lookUp(workspace: Workspace, deploymentId: string, { requestId }: ExchangeOptions): Promise<string> {
  // Without the caller's signal: other callers wait for the same response.
  const ask = async (op: Operation, params: Record<string, string>) =>
    (await exchange(op, controlPlaneDestination(workspace), prepare(op, { params }), { workspace, requestId })).value
  const params = { deployment_id: deploymentId }
  // The outputs of these rows' schemas.
  const deployment = (await ask(controlPlane.getDeployment, params)) as Deployment
  const { custom_url: address } = deployment.source_config
  if (address && hasServer(deployment)) return address
  throw new AppError('upstream_unreachable', await whyNone(deployment))

  async function whyNone({ latest_revision_id: latest, active_revision_id: active }: Deployment): Promise<string> {
    if (active !== null) return 'This deployment has no address yet. It gets one when its first revision is deployed.'
    if (!latest) return whyNoServer(null)
    return whyNoServer(((await ask(controlPlane.getRevision, { ...params, revision_id: latest })) as Revision).status)
  }
}
