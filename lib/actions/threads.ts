'use server'
import { z } from 'zod'
import {
  MAX_THREADS,
  type MetadataOutcome,
  type StateOutcome,
  type ThreadResult,
} from '@/lib/contracts/agents/thread-edit'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { sessionActor } from '@/lib/server/access/actor'
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import { parseInput } from '@/lib/server/process/result'
import * as write from '@/lib/server/resources/threads'
import * as bulk from '@/lib/server/resources/threads-bulk'

const name = z.string().min(1).max(300)
/** Made once per form that is sent: a repeat of it gives the answer of the first. */
const key = z.string().min(8).max(100)
const Place = z.strictObject({ workspace: name, deployment: name, thread: name })
/** JSON text, so that each number stays what was typed. */
const text = z.string().max(16_000_000)

const Create = z.strictObject({
  workspace: name,
  deployment: name,
  key,
  metadata: text,
  ttlMinutes: z.number().positive().max(5_256_000).optional(),
})

/** Makes a thread; pressing twice makes one. */
export async function createThread(given: z.input<typeof Create>): Promise<Result<{ thread: string; note?: string }>> {
  return guardAction(async () => {
    const { metadata, ...rest } = parseInput(Create, given)
    return await write.createThread({ ...rest, metadata: readObject(metadata, 'metadata') }, await sessionActor())
  })
}

const Copy = z.strictObject({ place: Place, key })

export async function copyThread(given: z.input<typeof Copy>): Promise<Result<{ thread: string }>> {
  return guardAction(async () => {
    const { place, key } = parseInput(Copy, given)
    return await write.copyThread(place, key, await sessionActor())
  })
}

const Metadata = z.strictObject({ place: Place, key, base: text, metadata: text })

/** Changes keys of a thread's metadata. The same keys changed by somebody else are an outcome, with what is there now. */
export async function saveMetadata(given: z.input<typeof Metadata>): Promise<Result<MetadataOutcome>> {
  return guardAction(async () => {
    const { base, metadata, ...rest } = parseInput(Metadata, given)
    const edit = { ...rest, base: readObject(base, 'base'), metadata: readObject(metadata, 'metadata') }
    return await write.saveMetadata(edit, await sessionActor())
  })
}

const State = z.strictObject({
  place: Place,
  key,
  /** Without an id: a thread that has no state yet. */
  base: z.strictObject({
    id: z.string().max(300),
    ns: z.string().max(2_000),
    map: z.record(z.string(), z.unknown()).optional(),
  }),
  seen: z.string().max(300),
  isFork: z.boolean(),
  values: text,
  asNode: name.optional(),
})

/** Writes a state as a node, in a new checkpoint. A thread that has moved on is an outcome, and nothing is sent. */
export async function updateState(given: z.input<typeof State>): Promise<Result<StateOutcome>> {
  return guardAction(async () => {
    const { values, ...rest } = parseInput(State, given)
    return await write.updateState({ ...rest, values: readObject(values, 'values') }, await sessionActor())
  })
}

const Wish = z.strictObject({
  workspace: name,
  deployment: name,
  ids: z
    .array(name)
    .min(1)
    .max(MAX_THREADS)
    .transform((ids) => [...new Set(ids)]),
  key,
})

/** Deletes threads with their runs and histories, each for itself: some may fail where others do not. */
export async function deleteThreads(given: z.input<typeof Wish>): Promise<Result<ThreadResult[]>> {
  return guardAction(async () => {
    const { key, ...input } = parseInput(Wish, given)
    const actor = await sessionActor()
    return await withIdempotencyKey({ actor, key, operation: 'deleteThreads', input }, () =>
      bulk.deleteThreads(input, actor),
    )
  })
}

/** Cancels what runs or waits on threads, each for itself. */
export async function cancelRunsOf(given: z.input<typeof Wish>): Promise<Result<ThreadResult[]>> {
  return guardAction(async () => {
    const { key, ...input } = parseInput(Wish, given)
    const actor = await sessionActor()
    return await withIdempotencyKey({ actor, key, operation: 'cancelRunsOf', input }, () =>
      bulk.cancelRunsOf(input, actor),
    )
  })
}

function readObject(json: string, field: string): JsonObject {
  let value: unknown
  try {
    value = parseJson(json)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new AppError('invalid', 'This is not valid JSON.', { cause })
  }
  if (isRecord(value)) return value
  throw new AppError('invalid', 'Write a JSON object.', {
    fields: [{ path: [field], message: 'Write a JSON object.' }],
  })
}
