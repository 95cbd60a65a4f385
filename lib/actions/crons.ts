'use server'
import { z } from 'zod'
import type { Cron, CronCreate, CronPatch } from '@/lib/contracts/agents/crons'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import { parseJsonInput } from '@/lib/server/process/json-input'
import { parseInput } from '@/lib/server/process/result'
import * as write from '@/lib/server/resources/crons'
import type { RecordingSummary } from '@/lib/stream/log'

const name = z.string().min(1).max(300)
/** The idempotency key, created once per submitted form: a repeat gets the first result. */
const key = z.string().min(8).max(100)
const Place = z.strictObject({ workspace: name, deploymentId: name, cron: name })
/** JSON text, so that numbers stay exactly as typed. The operation's own schema checks its fields. */
const text = z.string().max(4_000_000)

const Create = z.strictObject({ workspace: name, deploymentId: name, thread: name.optional(), key, body: text })

/** Creates a cron. A repeat with the same key creates no second one. */
export async function createCron(given: z.input<typeof Create>): Promise<Result<write.NewCron>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(Create, given)
    const { workspace, deploymentId, thread } = input
    const body = readObject(input.body) as CronCreate // checked by `call`
    return await withIdempotencyKey({ actor, key, operation: 'createCron', input }, () =>
      write.createCron({ workspace, deploymentId, thread }, body, actor),
    )
  })
}

const Update = z.strictObject({ place: Place, key, expectedUpdatedAt: z.string().max(100).nullable(), patch: text })

/** Changes the fields in `patch`. A change by somebody else since `expectedUpdatedAt` is a conflict. */
export async function updateCron(given: z.input<typeof Update>): Promise<Result<Cron>> {
  return guardAction(async ({ actor }) => {
    const { place, patch, ...rest } = parseInput(Update, given)
    // `call` checks the patch.
    const edit = { ...rest, patch: readObject(patch) as CronPatch }
    return await write.updateCron(place, edit, actor)
  })
}

const Delete = z.strictObject({ place: Place })

/** Deletes a cron. Its runs are kept. */
export async function deleteCron(given: z.input<typeof Delete>): Promise<Result<null>> {
  return guardAction(async ({ actor }) => {
    await write.deleteCron(parseInput(Delete, given).place, actor)
    return null
  })
}

const Run = z.strictObject({ place: Place, key })

/** Runs now, as a recorded run, what a firing would run. */
export async function runCron(given: z.input<typeof Run>): Promise<Result<RecordingSummary>> {
  return guardAction(async ({ actor }) => {
    const { place, key } = parseInput(Run, given)
    return await write.runCron(place, key, actor)
  })
}

function readObject(json: string): Record<string, unknown> {
  const value = parseJsonInput(json, 'This is not valid JSON.')
  if (isRecord(value)) return value
  throw new AppError('invalid', 'Write a JSON object.')
}
