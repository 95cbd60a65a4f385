'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as writes from '@/lib/server/resources/revision-writes'

const name = z.string().min(1).max(300)
const place = {
  workspace: name,
  deploymentId: name,
  revision: name,
  /** The idempotency key, created once per dialog: a repeat gets the first result. */
  key: z.string().min(8).max(100),
}

const Verb = z.strictObject(place)
export type RevisionVerbInput = z.input<typeof Verb>

/** Redeploys a revision as it was built. */
export async function redeployRevision(given: RevisionVerbInput): Promise<Result<writes.VerbResult>> {
  return guardAction(async ({ actor }) => await writes.redeployRevision(parseInput(Verb, given), actor))
}

/** Interrupts a revision in progress. */
export async function interruptRevision(given: RevisionVerbInput): Promise<Result<writes.VerbResult>> {
  return guardAction(async ({ actor }) => await writes.interruptRevision(parseInput(Verb, given), actor))
}

const Restore = z.strictObject({ ...place, latest: name.nullable(), reviewed: z.string().max(20_000) })

/** Creates a new revision from an old one, exactly as reviewed. */
export async function restoreRevision(given: z.input<typeof Restore>): Promise<Result<writes.VerbResult>> {
  return guardAction(async ({ actor }) => await writes.restoreRevision(parseInput(Restore, given), actor))
}
