'use server'
import { z } from 'zod'
import { LINK_DAYS } from '@/lib/contracts/public-link'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/public-links'

const workspace = z.string().min(1).max(80)
const Allow = z.strictObject({ workspace, isAllowed: z.boolean() })
const Create = z.strictObject({ workspace, recording: z.uuid(), days: z.literal(LINK_DAYS) })
const Revoke = z.strictObject({ workspace, id: z.uuid() })

/** Turns public links of a workspace on or off. */
export async function allowPublicLinks(given: z.input<typeof Allow>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await records.allowPublicLinks(actor, parseInput(Allow, given), requestId)
    return null
  })
}

/** Creates a public link to a recording. `token` is shown only once. */
export async function createPublicLink(given: z.input<typeof Create>): Promise<Result<{ id: string; token: string }>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Create, given)
    return await records.createPublicLink(actor, input, requestId)
  })
}

/** Revokes a public link. It is refused from now on. */
export async function revokePublicLink(given: z.input<typeof Revoke>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await records.revokePublicLink(actor, parseInput(Revoke, given), requestId)
    return null
  })
}
