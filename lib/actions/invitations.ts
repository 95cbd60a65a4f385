'use server'
import { z } from 'zod'
import { INVITATION_DAYS } from '@/lib/contracts/invitation'
import { ROLES } from '@/lib/contracts/wire/api'
import type { Result } from '@/lib/errors'
import { Email } from '@/lib/server/access/accounts'
import { GivenDeploymentRoles } from '@/lib/server/access/given-rights'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/invitations'

const Workspace = z.string().min(1).max(80)
const Create = z.strictObject({
  workspace: Workspace,
  email: Email,
  role: z.enum(ROLES).nullable(),
  deployments: GivenDeploymentRoles.optional(),
  days: z.literal(INVITATION_DAYS),
})
const Revoke = z.strictObject({ workspace: Workspace, id: z.uuid() })

/** Invites a person by a link. Its token is shown only once. */
export async function createInvitation(given: z.input<typeof Create>): Promise<Result<{ id: string; token: string }>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Create, given)
    return await records.createInvitation(actor, input, requestId)
  })
}

/** Ends an invitation. Its link works no more. */
export async function revokeInvitation(given: z.input<typeof Revoke>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Revoke, given)
    await records.revokeInvitation(actor, input, requestId)
    return null
  })
}
