'use server'
import { z } from 'zod'
import type { AuditKept } from '@/lib/contracts/audit/limits'
import { controlPlane } from '@/lib/contracts/control-plane'
import { type PlatformRetention, RetentionPatch } from '@/lib/contracts/deployments/retention'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as trail from '@/lib/server/records/audit-retention'
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

const AUDIT_DAYS = 'Enter a whole number of days from 30 to 3650, or leave it empty.'
const AUDIT_SIZE = 'Enter a size of at least 1 MB, or leave it empty.'
const SaveAudit = z.strictObject({
  workspace: z.string().min(1).max(300),
  days: z.int(AUDIT_DAYS).min(30, AUDIT_DAYS).max(3650, AUDIT_DAYS).nullable(),
  maxBytes: z.int(AUDIT_SIZE).min(1_000_000, AUDIT_SIZE).max(1e15, AUDIT_SIZE).nullable(),
})

/** Sets how much of the audit trail is kept where a workspace has no limits of its own. Returns what is kept now. */
export async function saveAuditRetention(given: z.input<typeof SaveAudit>): Promise<Result<AuditKept>> {
  return guardAction(async ({ actor, requestId }) =>
    trail.saveAuditRetention(actor, parseInput(SaveAudit, given), requestId),
  )
}

/** Sets how much of the audit trail of a workspace is kept. Returns what is kept now. */
export async function saveAuditLimits(given: z.input<typeof SaveAudit>): Promise<Result<AuditKept>> {
  return guardAction(async ({ actor, requestId }) =>
    trail.saveAuditLimits(actor, parseInput(SaveAudit, given), requestId),
  )
}

const CHECKSUM = 'Enter the SHA-256 of the file: 64 hexadecimal digits.'
const Confirm = z.strictObject({
  workspace: z.string().min(1).max(300),
  // What `sha256sum` prints: the name of the file may follow.
  sha256: z
    .string()
    .trim()
    .toLowerCase()
    .max(1_000)
    .regex(/^[0-9a-f]{64}(\s|$)/, CHECKSUM)
    .transform((text) => text.slice(0, 64)),
})

/** Confirms that the user holds an export of the audit trail. Returns what is kept now. */
export async function confirmAuditExport(given: z.input<typeof Confirm>): Promise<Result<AuditKept>> {
  return guardAction(async ({ actor, requestId }) =>
    trail.confirmAuditExport(actor, parseInput(Confirm, given), requestId),
  )
}

const SavePlatform = z.strictObject({ workspace: z.string().min(1).max(300), patch: RetentionPatch })

/** Sets how long the platform keeps traces or runs. Returns what they use now. */
export async function savePlatformRetention(given: z.input<typeof SavePlatform>): Promise<Result<PlatformRetention>> {
  return guardAction(async ({ actor }) => {
    const { workspace, patch } = parseInput(SavePlatform, given)
    return await call(controlPlane.updateRetention, { workspace, body: patch }, { actor })
  })
}
