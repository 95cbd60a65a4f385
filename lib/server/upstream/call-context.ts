import 'server-only'
import { type AnyInput, isAtLeast, type Operation, type Role } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { type Actor, isOutOfScope, roleOf, sessionActor } from '../access/actor'
import { type Workspace, workspace } from '../access/workspaces'
import { recordDenial } from '../audit/trail'
import { newRequestId } from '../process/result'

export type CallOptions = {
  /** The user whose role is checked; the session's user when absent. */
  actor?: Actor
  signal?: AbortSignal
  /** Deadline of the exchange with the upstream; zero for none, as for `join`. */
  timeoutMs?: number
  /** A key of the response whose value is passed on as JsonText, unparsed. */
  asText?: string
}

export type CallContext = { actor: Actor; role: Role; workspace: Workspace; requestId: string }

const NEEDS: Record<Role, string> = { viewer: 'a viewer', developer: 'a developer', admin: 'an admin' }

/**
 * Identifies the caller and checks their role before anything is sent. A denial is audited before it is thrown;
 * a user without a role gets `not_found`, so that workspaces cannot be probed.
 */
export async function authorize(op: Operation, input: OperationPlace & AnyInput, given?: Actor): Promise<CallContext> {
  const requestId = newRequestId()
  const actor = given ?? (await sessionActor())
  const role = await roleOf(actor, input.workspace)
  const isForeign = deploymentsOf(input).some((one) => isOutOfScope(actor, one))
  if (role && isAtLeast(role, op.role) && !isForeign)
    return { actor, role, workspace: await workspace(input.workspace), requestId }
  const outcome = isForeign ? 'outside the deployments of the token' : `needs ${op.role}`
  await recordDenial({ ...entryOf(op, input), actor, role, requestId, outcome })
  if (!role)
    throw new AppError('not_found', 'This workspace does not exist, or you are not a member of it.', { requestId })
  if (isForeign)
    throw new AppError('not_found', 'This does not exist, or it is outside the deployments of the token.', {
      requestId,
    })
  throw new AppError('forbidden', `This needs ${NEEDS[op.role]} of the workspace; you are ${NEEDS[role]}.`, {
    requestId,
  })
}

/** The deployments that an input names; undefined stands for the whole workspace. */
function deploymentsOf({ deploymentId, params, query }: OperationPlace & AnyInput): (string | undefined)[] {
  const asked = isRecord(query) && typeof query.deployment_id === 'string' ? query.deployment_id : undefined
  const named = [deploymentId, params?.deployment_id, asked].filter((one) => one !== undefined)
  return named.length > 0 ? named : [undefined]
}

/** What the audit trail stores about an operation's input: its target and the names of its fields, never their values. */
export function entryOf(op: Operation, { workspace, deploymentId, params, body }: OperationPlace & AnyInput) {
  const fields = isRecord(body) ? Object.keys(body) : []
  const where = { ...(deploymentId !== undefined && { deployment: deploymentId }), ...params }
  return { workspace, operation: `${op.api}.${op.id}`, params: where, fields }
}
