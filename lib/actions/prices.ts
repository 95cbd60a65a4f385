'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/prices'

const AMOUNT = 'Enter US dollars per million tokens, such as 0.15.'
const Amount = z.number(AMOUNT).min(0, AMOUNT).max(1_000_000, AMOUNT)
const name = (message: string) =>
  z
    .string()
    .trim()
    .min(1, message)
    .max(200, 'Use at most 200 characters.')
    .refine((text) => !text.includes('\0'), message)

const Price = z.strictObject({
  model: name('Enter the name of a model, such as gpt-* for several.'),
  provider: name('Leave empty for any provider.').nullable(),
  input: Amount,
  output: Amount,
  cachedInput: Amount.nullable(),
  reasoning: Amount.nullable(),
  cacheWrite: Amount.nullable().default(null),
  cacheWrite1h: Amount.nullable().default(null),
  validFrom: z.iso.date('Enter a day, such as 2026-01-31.').nullable(),
})

type Prices = Awaited<ReturnType<typeof records.listPrices>>

const Workspace = z.string().min(1).max(300)
const Save = z.strictObject({ workspace: Workspace, id: z.uuid().optional(), price: Price })
const Import = z.strictObject({
  workspace: Workspace,
  prices: z.array(Price).min(1, 'Enter at least one price.').max(1_000),
})
const Remove = z.strictObject({ workspace: Workspace, id: z.uuid() })

// Each action returns all prices of the workspace.

/** Adds a price, or changes the one with `id`. */
export async function savePrice(given: z.input<typeof Save>): Promise<Result<Prices>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Save, given)
    return await records.savePrice(actor, input, requestId)
  })
}

/** Adds many prices. Each replaces an existing one with the same model, provider and day. */
export async function importPrices(given: z.input<typeof Import>): Promise<Result<Prices>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Import, given)
    return await records.importPrices(actor, input, requestId)
  })
}

export async function deletePrice(given: z.input<typeof Remove>): Promise<Result<Prices>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Remove, given)
    return await records.deletePrice(actor, input, requestId)
  })
}
