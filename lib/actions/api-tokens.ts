'use server'
import { z } from 'zod'
import { MAX_TOKEN_DEPLOYMENTS, TOKEN_DAYS } from '@/lib/contracts/api-token'
import { ROLES } from '@/lib/contracts/wire/api'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/api-tokens'

const Workspace = z.string().min(1).max(80)
/** It is part of log lines and of the audit trail. */
const Name = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(60, 'Use at most 60 characters.')
  .regex(/^[\p{L}\p{N} ._:/@-]*$/u, 'Use letters, digits, spaces and . _ : / @ -')
const Create = z.strictObject({
  workspace: Workspace,
  name: Name,
  kind: z.enum(['personal', 'service']),
  role: z.enum(ROLES),
  deployments: z
    .array(z.string().min(1).max(300))
    .min(1, 'Choose at least one deployment.')
    .max(MAX_TOKEN_DEPLOYMENTS, `Choose at most ${MAX_TOKEN_DEPLOYMENTS} deployments.`)
    .nullable(),
  days: z.literal(TOKEN_DAYS),
})
const Revoke = z.strictObject({ workspace: Workspace, id: z.uuid() })

/** Creates a token of the HTTP API. `token` is shown only once. */
export async function createToken(given: z.input<typeof Create>): Promise<Result<{ id: string; token: string }>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Create, given)
    return await records.createToken(actor, input, requestId)
  })
}

/** Revokes a token. Its next request is refused. */
export async function revokeToken(given: z.input<typeof Revoke>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Revoke, given)
    await records.revokeToken(actor, input, requestId)
    return null
  })
}
