import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { SecretRow, SecretsView } from '@/lib/contracts/deployments/secrets-view'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { type Actor, roleOf } from '../access/actor'
import { workspace as workspaceOf } from '../access/workspaces'
import { type SecretHistory, secretHistory } from '../records/changes'
import { call } from '../upstream/call'
import { mayNameSecrets } from '../upstream/secret-names'
import { readRaw } from './raw-deployment'
import { HIDDEN, secretsSnapshot } from './secret-fingerprints'

/** A deployment's secrets for a page: with fingerprints for users who may change them, for others names at most. */
export async function readSecrets(place: DeploymentPlace, actor: Actor): Promise<SecretsView> {
  const role = await roleOf(actor, place.workspace, place.deploymentId)
  if (!role || !isAtLeast(role, 'admin')) return await readNames(place, actor, role)
  const [raw, history] = await Promise.all([readRaw(place, { actor }), secretHistory(actor, place)])
  const snapshot = secretsSnapshot(place)(raw)
  const rows = snapshot.fingerprints.map(
    ({ name, hash }): SecretRow => ({
      name,
      fingerprint: hash === HIDDEN ? null : hash,
      isHidden: hash === HIDDEN,
      changed: lastChange(history, name),
    }),
  )
  const here = new Set(rows.map(({ name }) => name))
  const missing = [...history].filter(([name, { isGone }]) => !isGone && !here.has(name)).map(([name]) => name)
  return { rows, snapshot, source: raw.source, isListed: raw.secrets !== null, isWithheld: false, missing }
}

async function readNames(
  { workspace, deploymentId }: DeploymentPlace,
  actor: Actor,
  role: Role | null,
): Promise<SecretsView> {
  const params = { deployment_id: deploymentId }
  // First, so that a denial is audited before it is thrown.
  const { secrets, source } = await call(controlPlane.getDeployment, { workspace, params }, { actor })
  const history = await secretHistory(actor, { workspace, deploymentId })
  const isWithheld = !role || !mayNameSecrets(role, await workspaceOf(workspace))
  const rows = (isWithheld ? [] : secrets).map(
    ({ name }): SecretRow => ({
      name,
      fingerprint: null,
      isHidden: false,
      changed: lastChange(history, name),
    }),
  )
  return { rows, snapshot: null, source, isListed: true, isWithheld, missing: [] }
}

function lastChange(history: SecretHistory, name: string): SecretRow['changed'] {
  const found = history.get(name)
  return found && !found.isGone ? { who: found.who, at: found.at } : null
}
