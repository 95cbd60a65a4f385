'use server'
import { z } from 'zod'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseJsonInput } from '@/lib/server/process/json-input'
import { parseInput } from '@/lib/server/process/result'
import * as write from '@/lib/server/resources/store'

const name = z.string().min(1).max(300)
const Place = z.strictObject({
  workspace: name,
  deploymentId: name,
  namespace: z.array(z.string().min(1).max(2_000)).min(1).max(100),
  key: z.string().min(1).max(2_000),
})

const Put = z.strictObject({
  place: Place,
  /** JSON text, so that numbers stay exactly as typed. */
  value: z.string().max(16_000_000),
  ttlMinutes: z.number().positive().max(5_256_000).optional(),
  /** The item's `updated_at` as the user saw it; null for a new item. */
  expectedUpdatedAt: z.string().max(100).nullable(),
  /** The idempotency key, created once per submitted form: a repeat gets the first result. */
  requestKey: z.string().min(8).max(100),
})

/** Creates an item or replaces its value. A change by somebody else since `expectedUpdatedAt` is a conflict. */
export async function putItem(given: z.input<typeof Put>): Promise<Result<null>> {
  return guardAction(async ({ actor }) => {
    const { requestKey: key, ...input } = parseInput(Put, given)
    const { place, ttlMinutes: ttl, expectedUpdatedAt } = input
    const value = readObject(input.value)
    return await write.putItem(
      place,
      { value, ttl, expectedUpdatedAt, idempotency: { key, operation: 'putItem', input } },
      actor,
    )
  })
}

export async function deleteItem(given: z.input<typeof Place>): Promise<Result<null>> {
  return guardAction(async ({ actor }) => {
    await write.deleteItem(parseInput(Place, given), actor)
    return null
  })
}

function readObject(json: string): JsonObject {
  const value = parseJsonInput(json, 'The value is not valid JSON.')
  if (isRecord(value)) return value
  throw new AppError('invalid', 'An item’s value is a JSON object.')
}
