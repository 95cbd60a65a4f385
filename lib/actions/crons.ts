'use server'
import { z } from 'zod'
import type { Cron, CronCreate, CronPatch } from '@/lib/contracts/agents/crons'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { sessionActor } from '@/lib/server/access/actor'
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import { parseInput } from '@/lib/server/process/result'
import * as write from '@/lib/server/resources/crons'
import type { RecordingSummary } from '@/lib/stream/log'

const name = z.string().min(1).max(300)
/** Made once per form that is sent: a repeat of it gives the answer of the first. */
const key = z.string().min(8).max(100)
const Place = z.strictObject({ workspace: name, deployment: name, cron: name })
/** JSON text, so that each number stays what was typed. Its fields are checked by the operation's own schema. */
const text = z.string().max(4_000_000)

const Create = z.strictObject({ workspace: name, deployment: name, thread: name.optional(), key, body: text })

/** Makes a cron; pressing twice makes one. */
export async function createCron(given: z.input<typeof Create>): Promise<Result<{ cron: string }>> {
  return guardAction(async () => {
    const { key, ...input } = parseInput(Create, given)
    const { workspace, deployment, thread } = input
    const body = readObject(input.body) as CronCreate // checked by `call`
    const actor = await sessionActor()
    return await withIdempotencyKey({ actor, key, operation: 'createCron', input }, async () => {
      const { cron_id: cron } = await write.createCron({ workspace, deployment, thread }, body, actor)
      return { cron }
    })
  })
}

const Update = z.strictObject({ place: Place, key, seen: z.string().max(100).nullable(), patch: text })

/** Changes what is named in `patch`. Somebody else's change since `seen` is a conflict. */
export async function updateCron(given: z.input<typeof Update>): Promise<Result<Cron>> {
  return guardAction(async () => {
    const { key, ...input } = parseInput(Update, given)
    const patch = readObject(input.patch) as CronPatch // checked by `call`
    const actor = await sessionActor()
    return await withIdempotencyKey({ actor, key, operation: 'updateCron', input }, () =>
      write.updateCron(input.place, { seen: input.seen, patch }, actor),
    )
  })
}

const Delete = z.strictObject({ place: Place })

/** Deletes a cron. The runs that it made stay. */
export async function deleteCron(given: z.input<typeof Delete>): Promise<Result<null>> {
  return guardAction(async () => {
    await write.deleteCron(parseInput(Delete, given).place, await sessionActor())
    return null
  })
}

const Run = z.strictObject({ place: Place, key })

/** Runs now what a firing would run, as a recorded run. */
export async function runCron(given: z.input<typeof Run>): Promise<Result<RecordingSummary>> {
  return guardAction(async () => {
    const { place, key } = parseInput(Run, given)
    return await write.runCron(place, key, await sessionActor())
  })
}

function readObject(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parseJson(json)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new AppError('invalid', 'This is not valid JSON.', { cause })
  }
  if (isRecord(value)) return value
  throw new AppError('invalid', 'Write a JSON object.')
}
