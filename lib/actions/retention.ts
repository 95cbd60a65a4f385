'use server'
import { z } from 'zod'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type PlatformRetention, RetentionPatch } from '@/lib/contracts/deployments/retention'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/retention'
import { call } from '@/lib/server/upstream/call'

const DAYS = 'Enter a whole number of days from 1 to 3650.'
const SIZE = 'Enter a size of at least 1 MB, or leave it empty for no limit.'
const Save = z.strictObject({
  workspace: z.string().min(1).max(300),
  days: z.int(DAYS).min(1, DAYS).max(3650, DAYS),
  maxBytes: z.int(SIZE).min(1_000_000, SIZE).max(1e15, SIZE).nullable(),
})

/** Sets how long recordings of a workspace are kept. Returns what they use now. */
export async function saveRetention(
  given: z.input<typeof Save>,
): Promise<Result<Awaited<ReturnType<typeof records.readRetention>>>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Save, given)
    return await records.saveRetention(actor, input, requestId)
  })
}

const SavePlatform = z.strictObject({ workspace: z.string().min(1).max(300), patch: RetentionPatch })

/** Sets how long the platform keeps traces or runs. Returns what they use now. */
export async function savePlatformRetention(given: z.input<typeof SavePlatform>): Promise<Result<PlatformRetention>> {
  return guardAction(async ({ actor }) => {
    const { workspace, patch } = parseInput(SavePlatform, given)
    return await call(controlPlane.updateRetention, { workspace, body: patch }, { actor })
  })
}
