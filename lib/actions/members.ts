'use server'
import { z } from 'zod'
import { ROLES, type Role } from '@/lib/contracts/wire/api'
import { AppError, type Result } from '@/lib/errors'
import { Email, endSessions } from '@/lib/server/access/accounts'
import { type Actor, EVERYWHERE, sessionActor } from '@/lib/server/access/actor'
import { workspace as findWorkspace } from '@/lib/server/access/workspaces'
import { audited, guardAction } from '@/lib/server/audit/guard-action'
import { db } from '@/lib/server/process/db'
import { parseInput } from '@/lib/server/process/result'
import { addMember, changeRole, resetPassword, setDisabled } from '@/lib/server/records/members'

/** A workspace's slug, or `*` for the whole console. */
const Scope = z.string().min(1).max(80)
const Account = z.uuid()
const ofConsole = { workspace: EVERYWHERE, role: 'admin' } as const

const notSelf = (actor: Actor, account: string, what: string) => {
  if (actor.id === account) throw new AppError('conflict', `You cannot ${what} yourself. Ask another administrator.`)
}

/** Makes someone a member of a workspace (`*`: of all of them). `password` is that of a new account, shown this once. */
export async function inviteMember(given: {
  workspace: string
  email: string
  role: Role
}): Promise<Result<{ account: string; password: string | null }>> {
  return guardAction(async (requestId) => {
    const input = parseInput(z.strictObject({ workspace: Scope, email: Email, role: z.enum(ROLES) }), given)
    const fields = ['email', 'role']
    return audited(
      { workspace: input.workspace, role: 'admin', operation: 'inviteMember', fields, requestId },
      async () => {
        if (input.workspace !== EVERYWHERE) await findWorkspace(input.workspace) // not_found
        return addMember(input.workspace, input.email, input.role)
      },
    )
  })
}

/** Gives a member another role, or none with null. Acts on their next request. */
export async function setRole(given: { workspace: string; account: string; role: Role | null }): Promise<Result<null>> {
  return guardAction(async (requestId) => {
    const input = parseInput(
      z.strictObject({ workspace: Scope, account: Account, role: z.enum(ROLES).nullable() }),
      given,
    )
    const { workspace, account, role } = input
    return audited(
      { workspace, role: 'admin', operation: 'setRole', params: { account }, fields: ['role'], requestId },
      async () => {
        await changeRole(workspace, account, role)
        return null
      },
    )
  })
}

/** Ends an account's sessions at once and lets it sign in no more; `isDisabled: false` lets it in again. */
export async function disableMember(given: { account: string; isDisabled: boolean }): Promise<Result<null>> {
  return guardAction(async (requestId) => {
    const { account, isDisabled } = parseInput(z.strictObject({ account: Account, isDisabled: z.boolean() }), given)
    const operation = isDisabled ? 'disableMember' : 'enableMember'
    return audited({ ...ofConsole, operation, params: { account }, requestId }, async (actor) => {
      notSelf(actor, account, 'disable')
      await setDisabled(account, isDisabled)
      return null
    })
  })
}

/** A new password for someone who lost theirs, shown this once. */
export async function resetMemberPassword(given: { account: string }): Promise<Result<{ password: string }>> {
  return guardAction(async (requestId) => {
    const { account } = parseInput(z.strictObject({ account: Account }), given)
    return audited(
      { ...ofConsole, operation: 'resetMemberPassword', params: { account }, requestId },
      async (actor) => {
        notSelf(actor, account, 'reset the password of')
        return resetPassword(account)
      },
    )
  })
}

/** Ends every session of an account, one's own when none is named. */
export async function signOutEverywhere(given: { account?: string } = {}): Promise<Result<null>> {
  return guardAction(async (requestId) => {
    const input = parseInput(z.strictObject({ account: Account.optional() }), given)
    const self = (await sessionActor()).id
    const account = input.account ?? self
    const role = account === self ? null : ('admin' as const)
    return audited(
      { workspace: EVERYWHERE, role, operation: 'signOutEverywhere', params: { account }, requestId },
      async () => {
        await endSessions(await db(), account)
        return null
      },
    )
  })
}
