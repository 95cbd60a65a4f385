import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type AnyInput, isAtLeast, type Operation, type Role } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { deploymentsWith, highestRole, lowest, type Rights, roleAt } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { type Actor, rightsOf, sessionActor } from '../access/actor'
import { type Workspace, workspace } from '../access/workspaces'
import { recordDenial } from '../audit/trail'
import { newRequestId } from '../process/result'
import { deploymentsNamed, reachOf } from './reach'

export type CallOptions = {
  /** The user whose role is checked; the session's user when absent. */
  actor?: Actor
  signal?: AbortSignal
  /** Deadline of the exchange with the upstream; zero for none, as for `join`. */
  timeoutMs?: number
  /** A key of the response whose value is passed on as JsonText, unparsed. */
  asText?: string
  /** What the audit trail calls the target of a write by, where the input has only its id. */
  name?: string
}

export type CallContext = {
  actor: Actor
  /** At the deployment that the input names, else in the workspace; for a limited actor the lowest that suffices. */
  role: Role
  /** The only deployments whose data may be returned; null: all. */
  limit: string[] | null
  workspace: Workspace
  requestId: string
}

const MOST_NAME = 200

/** The fields that name what is created. */
const NAME_FIELDS: Record<string, string> = {
  [controlPlane.createDeployment.id]: 'name',
  [controlPlane.createListener.id]: 'compute_id',
}

const NEEDS: Record<Role, string> = { viewer: 'a viewer', developer: 'a developer', admin: 'an admin' }

/**
 * Identifies the caller and checks their role before anything is sent. A denial is audited before it is thrown;
 * a user without a role gets `not_found`, so that workspaces and deployments cannot be probed.
 */
export async function authorize(op: Operation, input: OperationPlace & AnyInput, given?: Actor): Promise<CallContext> {
  const requestId = newRequestId()
  const actor = given ?? (await sessionActor())
  const rights = await rightsOf(actor, input.workspace)
  const named = deploymentsNamed(op, input)
  const { role, limit } = grantedTo(op, rights, named)
  if (role && isAtLeast(role, op.role))
    return { actor, role, limit, workspace: await workspace(input.workspace), requestId }
  const refusal = refusalOf(op, rights, role, named)
  await recordDenial({ ...entryOf(op, input), actor, role, requestId, outcome: refusal.outcome })
  throw new AppError(refusal.code, refusal.message, { requestId })
}

function grantedTo(op: Operation, rights: Rights, named: string[]): Pick<CallContext, 'limit'> & { role: Role | null } {
  if (named.length > 0) return { role: lowest(named.map((id) => roleAt(rights, id))), limit: null }
  if (reachOf(op) === 'workspace') return { role: rights.role, limit: null }
  const limit = deploymentsWith(rights, op.role)
  if (limit === null) return { role: rights.role, limit }
  return { role: limit.length > 0 ? op.role : rights.role, limit }
}

function refusalOf(op: Operation, rights: Rights, role: Role | null, named: string[]) {
  const where = named.length > 0 || rights.role === null ? 'the deployment' : 'the workspace'
  if (highestRole(rights) === null)
    return {
      ...{ code: 'not_found' as const, outcome: `needs ${op.role}` },
      message: 'This workspace does not exist, or you are not a member of it.',
    }
  // With a role elsewhere only.
  if (role === null && (named.length > 0 || reachOf(op) === 'workspace'))
    return {
      ...{ code: 'not_found' as const, outcome: 'outside the allowed deployments' },
      message: 'This does not exist, or it is outside the deployments that you have access to.',
    }
  const has = NEEDS[role ?? (highestRole(rights) as Role)]
  return {
    ...{ code: 'forbidden' as const, outcome: `needs ${op.role}` },
    message: `This needs ${NEEDS[op.role]} of ${where}; you are ${has}.`,
  }
}

/**
 * What the audit trail stores about an operation's input: its target and the names of its fields, never their values. What is
 * created has no id yet, so its name is stored.
 */
export function entryOf(
  op: Operation,
  { workspace, deploymentId, params, body }: OperationPlace & AnyInput,
  name?: string,
) {
  const fields = isRecord(body) ? Object.keys(body) : []
  const nameField = NAME_FIELDS[op.id]
  const created = name ?? (nameField && isRecord(body) ? body[nameField] : undefined)
  const where = {
    ...(deploymentId !== undefined && { deployment: deploymentId }),
    ...params,
    ...(typeof created === 'string' && { name: created.slice(0, MOST_NAME) }),
  }
  return { workspace, operation: `${op.api}.${op.id}`, params: where, fields }
}
