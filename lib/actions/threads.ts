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
import { guardAction } from '@/lib/server/audit/guard-action'
import { withIdempotencyKey } from '@/lib/server/edits/idempotency'
import { parseJsonInput } from '@/lib/server/process/json-input'
import { parseInput } from '@/lib/server/process/result'
import { previewState as preview } from '@/lib/server/resources/state-preview'
import * as bulk from '@/lib/server/resources/threads/bulk'
import * as write from '@/lib/server/resources/threads/write'

const name = z.string().min(1).max(300)
/** The idempotency key, created once per submitted form: a repeat gets the first result. */
const key = z.string().min(8).max(100)
const Place = z.strictObject({ workspace: name, deploymentId: name, thread: name })
/** JSON text, so that numbers stay exactly as typed. */
const text = z.string().max(16_000_000)

const Create = z.strictObject({
  workspace: name,
  deploymentId: name,
  key,
  metadata: text,
  ttlMinutes: z.number().positive().max(5_256_000).optional(),
})

/** Creates a thread. A repeat with the same key creates no second one. */
export async function createThread(given: z.input<typeof Create>): Promise<Result<{ thread: string; note?: string }>> {
  return guardAction(async ({ actor }) => {
    const { metadata, ...rest } = parseInput(Create, given)
    return await write.createThread({ ...rest, metadata: readObject(metadata, 'metadata') }, actor)
  })
}

const Copy = z.strictObject({ place: Place, key })

export async function copyThread(given: z.input<typeof Copy>): Promise<Result<{ thread: string }>> {
  return guardAction(async ({ actor }) => {
    const { place, key } = parseInput(Copy, given)
    return await write.copyThread(place, key, actor)
  })
}

const Metadata = z.strictObject({ place: Place, key, base: text, metadata: text })

/** Changes keys of a thread's metadata. A concurrent change of the same keys is an outcome with the current metadata. */
export async function saveMetadata(given: z.input<typeof Metadata>): Promise<Result<MetadataOutcome>> {
  return guardAction(async ({ actor }) => {
    const { base, metadata, ...rest } = parseInput(Metadata, given)
    const edit = { ...rest, base: readObject(base, 'base'), metadata: readObject(metadata, 'metadata') }
    return await write.saveMetadata(edit, actor)
  })
}

/** The id is empty for a thread without state. */
const Base = z.strictObject({
  id: z.string().max(300),
  ns: z.string().max(2_000),
  map: z.record(z.string(), z.unknown()).optional(),
})

const Preview = z.strictObject({ place: Place, base: Base, values: text, asNode: name.optional() })

/** The written keys as the server's reducers would leave them, as JSON text. */
export async function previewState(given: z.input<typeof Preview>): Promise<Result<string>> {
  return guardAction(async ({ actor }) => {
    const { values, ...rest } = parseInput(Preview, given)
    return await preview({ ...rest, values: readObject(values, 'values') }, actor)
  })
}

const State = z.strictObject({
  place: Place,
  key,
  base: Base,
  expectedCheckpoint: z.string().max(300),
  isFork: z.boolean(),
  values: text,
  asNode: name.optional(),
})

/** Writes a state as a node, in a new checkpoint. If the thread has moved on, that is the outcome and nothing is sent. */
export async function updateState(given: z.input<typeof State>): Promise<Result<StateOutcome>> {
  return guardAction(async ({ actor }) => {
    const { values, ...rest } = parseInput(State, given)
    return await write.updateState({ ...rest, values: readObject(values, 'values') }, actor)
  })
}

const Input = z.strictObject({
  workspace: name,
  deploymentId: name,
  ids: z
    .array(name)
    .min(1)
    .max(MAX_THREADS)
    .transform((ids) => [...new Set(ids)]),
  key,
})

/** Deletes each thread separately, with its runs and history: some may fail while others succeed. */
export async function deleteThreads(given: z.input<typeof Input>): Promise<Result<ThreadResult[]>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(Input, given)
    return await withIdempotencyKey({ actor, key, operation: 'deleteThreads', input }, () =>
      bulk.deleteThreads(input, actor),
    )
  })
}

/** Cancels the running and pending runs of each thread separately. */
export async function cancelRunsOf(given: z.input<typeof Input>): Promise<Result<ThreadResult[]>> {
  return guardAction(async ({ actor }) => {
    const { key, ...input } = parseInput(Input, given)
    return await withIdempotencyKey({ actor, key, operation: 'cancelRunsOf', input }, () =>
      bulk.cancelRunsOf(input, actor),
    )
  })
}

function readObject(json: string, field: string): JsonObject {
  const value = parseJsonInput(json, 'This is not valid JSON.')
  if (isRecord(value)) return value
  throw new AppError('invalid', 'Write a JSON object.', {
    fields: [{ path: [field], message: 'Write a JSON object.' }],
  })
}
