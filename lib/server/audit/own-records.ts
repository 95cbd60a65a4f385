import 'server-only'
import type { RecordOperation } from '@/lib/contracts/console-records'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { type Actor, EVERYWHERE, roleOf } from '../access/actor'
import { recordDenial, withAudit } from './trail'

/**
 * Returns the actor's role if it may read these records of the workspace. Throws AppError not_found without a role, as if the
 * workspace did not exist, and forbidden if the role is too low.
 */
export const authorizeRead = async (op: RecordOperation, actor: Actor, workspace: string): Promise<Role> =>
  checkRole(op, await roleOf(actor, workspace))

/** Like `authorizeRead`, for a role that was just looked up. */
export function checkRole({ role: needed, refusal }: RecordOperation, role: Role | null): Role {
  if (role && (!needed || isAtLeast(role, needed))) return role
  if (refusal) throw new AppError('forbidden', refusal)
  if (!role) throw new AppError('not_found', 'This workspace does not exist, or you are not a member of it.')
  throw new AppError('forbidden', `This needs the role ${needed}. Ask an administrator.`)
}

export type RecordWrite = {
  actor: Actor
  /** The workspace named in the audit trail. */
  workspace: string
  params?: Record<string, string>
  fields?: string[]
  requestId: string
}

/**
 * Writes to the console's own records: checks the role, records the intent, makes the change and records the outcome.
 * A denial is recorded before it is thrown, and nothing changes if the intent cannot be recorded.
 */
export async function audited<T>(op: RecordOperation, write: RecordWrite, effect: () => Promise<T>): Promise<T> {
  const { actor, workspace, params = {}, fields = [], requestId } = write
  const isOfConsole = op.scope === 'console'
  const role = await roleOf(actor, isOfConsole ? EVERYWHERE : workspace)
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
