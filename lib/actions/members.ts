'use server'
import { z } from 'zod'
import { ROLES } from '@/lib/contracts/wire/api'
import type { Result } from '@/lib/errors'
import { Email } from '@/lib/server/access/accounts'
import { GivenDeploymentRoles } from '@/lib/server/access/given-rights'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/members'

/** A workspace's slug, or `*` for the whole console. */
const Scope = z.string().min(1).max(80)
const Account = z.uuid()
const rights = { role: z.enum(ROLES).nullable(), deployments: GivenDeploymentRoles.optional() }
const Invite = z.strictObject({ workspace: Scope, email: Email, ...rights })
const RoleChange = z.strictObject({ workspace: Scope, account: Account, ...rights })
const Disable = z.strictObject({ account: Account, isDisabled: z.boolean() })
const OfAccount = z.strictObject({ account: Account })
const SignOut = z.strictObject({ account: Account.optional() })

/** Adds a member to a workspace (`*` for all). `password` is set for a new account and shown only once. */
export async function inviteMember(
  given: z.input<typeof Invite>,
): Promise<Result<{ account: string; password: string | null }>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Invite, given)
    return await records.inviteMember(actor, input, requestId)
  })
}

/**
 * Sets a member's role in the workspace and their roles for deployments, or removes the member without both. Takes effect on their
 * next request.
 */
export async function setRole(given: z.input<typeof RoleChange>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(RoleChange, given)
    await records.setRole(actor, input, requestId)
    return null
  })
}

/** Disables an account and ends its sessions immediately, or enables it with `isDisabled: false`. */
export async function disableMember(given: { account: string; isDisabled: boolean }): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Disable, given)
    await records.disableMember(actor, input, requestId)
    return null
  })
}

/** Sets a new random password, which is shown only once. */
export async function resetMemberPassword(given: { account: string }): Promise<Result<{ password: string }>> {
  return guardAction(async ({ actor, requestId }) => {
    const { account } = parseInput(OfAccount, given)
    return await records.resetMemberPassword(actor, account, requestId)
  })
}

/** Ends all sessions of an account, by default the user's own. */
export async function signOutEverywhere(given: { account?: string } = {}): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const { account } = parseInput(SignOut, given)
    await records.signOutEverywhere(actor, account ?? actor.id, requestId)
    return null
  })
}
