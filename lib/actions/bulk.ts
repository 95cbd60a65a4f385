'use server'
import { z } from 'zod'
import { type BulkResult, MAX_BULK } from '@/lib/contracts/wire/bulk'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import { parseInput } from '@/lib/server/process/result'
import { bulkDelete } from '@/lib/server/resources/deployments-bulk'

const Input = z.strictObject({
  workspace: z.string().min(1).max(300),
  ids: z
    .array(z.string().min(1).max(300))
    .min(1)
    .max(MAX_BULK)
    .transform((ids) => [...new Set(ids)]),
  /** The idempotency key, created once per dialog: a repeat gets the first result. */
  key: z.string().min(8).max(100),
})

/** Deletes each deployment separately: some may fail while others succeed. */
export async function deleteDeployments(given: z.input<typeof Input>): Promise<Result<BulkResult[]>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(Input, given)
    return await withIdempotencyKey({ actor, key, operation: 'deleteDeployments', input }, () =>
      bulkDelete(input, actor),
    )
  })
}
