import 'server-only'
import type { RecordOperation } from '@/lib/contracts/console-records'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { deploymentsWith, highestRole, isLimited, lowest, type Rights, roleAt } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { type Actor, EVERYWHERE, rightsOf } from '../access/actor'
import { recordDenial, withAudit } from './trail'

/** The deployments that records are about; undefined: the whole workspace. */
export type About = string | readonly string[] | undefined

/**
 * Returns the actor's role if it may read these records of the workspace or of deployments. Throws AppError not_found without
 * a role, as if there were no such workspace or deployment, and forbidden if the role is too low.
 */
export const authorizeRead = async (
  op: RecordOperation,
  actor: Actor,
  workspace: string,
  deployments?: About,
): Promise<Role> => checkRights(op, await rightsOf(actor, workspace), deployments)

/** Like `authorizeRead`, for rights that were just looked up. */
export function checkRights(op: RecordOperation, rights: Rights, deployments?: About): Role {
  const role = roleFor(op, rights, deployments)
  if (role && isSufficient(op, role)) return role
  throw refusalOf(op, rights, role, deployments)
}

/**
 * For records of many deployments: those that the actor may have, null for all. Throws AppError like `authorizeRead` if it
 * may have none.
 */
export async function authorizeWithin(op: RecordOperation, actor: Actor, workspace: string): Promise<string[] | null> {
  const rights = await rightsOf(actor, workspace)
  const limit = op.reach === 'deployments' && op.role ? deploymentsWith(rights, op.role) : []
  if (limit === null || limit.length > 0) return limit
  throw refusalOf(op, rights, rights.role, undefined)
}

const isSufficient = ({ role: needed }: RecordOperation, role: Role) => !needed || isAtLeast(role, needed)

function roleFor({ reach }: RecordOperation, rights: Rights, deployments: About): Role | null {
  if (reach === 'own') return highestRole(rights)
  if (reach === 'workspace' || deployments === undefined) return rights.role
  const named = [deployments].flat()
  return named.length > 0 ? lowest(named.map((id) => roleAt(rights, id))) : rights.role
}

function refusalOf(
  { role: needed, refusal }: RecordOperation,
  rights: Rights,
  role: Role | null,
  about: About,
): AppError {
  if (refusal) return new AppError('forbidden', refusal)
  if (highestRole(rights) === null)
    return new AppError('not_found', 'This workspace does not exist, or you are not a member of it.')
  if (isLimited(rights) && role === null)
    return about === undefined
      ? new AppError('forbidden', 'This is for members of the whole workspace. You have access to some deployments.')
      : new AppError('not_found', 'This does not exist, or it is outside the deployments that you have access to.')
  return new AppError('forbidden', `This needs the role ${needed}. Ask an administrator.`)
}

export type RecordWrite = {
  actor: Actor
  /** The workspace named in the audit trail. */
  workspace: string
  /** What the records are about, where the operation reaches deployments. */
  about?: About
  params?: Record<string, string>
  fields?: string[]
  requestId: string
}

/**
 * Writes to the console's own records: checks the role, records the intent, makes the change and records the outcome.
 * A denial is recorded before it is thrown, and nothing changes if the intent cannot be recorded.
 */
export async function audited<T>(op: RecordOperation, write: RecordWrite, effect: () => Promise<T>): Promise<T> {
  const { actor, workspace, about, params = {}, fields = [], requestId } = write
  const isOfConsole = op.scope === 'console'
  const role = roleFor(op, await rightsOf(actor, isOfConsole ? EVERYWHERE : workspace), about)
  const entry = { actor, role, workspace, operation: op.id, params, fields, requestId }
  if (op.role && !(role && isAtLeast(role, op.role))) {
    await recordDenial({ ...entry, outcome: `needs ${op.role}` })
    throw new AppError(
      'forbidden',
      `This needs the role ${op.role}${isOfConsole ? ' of the whole console' : ''}. Ask an administrator.`,
    )
  }
  return await withAudit(entry, async () => ({ value: await effect() }))
}
