import 'server-only'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import type { Price, StoredPrice } from '@/lib/traces/cost'
import { db } from '../process/db'
import { modelPrices } from '../process/schema'
import { serveRead } from '../relay/serve-read'
import { authorize } from '../upstream/call-context'

/** A page shows them all, and browsers apply them. */
const MAX_PRICES = 1_000

const AMOUNT = 'Enter US dollars of a million tokens, such as 0.15.'
const Amount = z.number(AMOUNT).min(0, AMOUNT).max(1_000_000, AMOUNT)
const name = (message: string) =>
  z
    .string()
    .trim()
    .min(1, message)
    .max(200, 'Use at most 200 characters.')
    .refine((text) => !text.includes('\0'), message)

export const PriceInput = z.strictObject({
  model: name('Enter the name of a model, such as gpt-* for several.'),
  provider: name('Leave it empty for every provider.').nullable(),
  input: Amount,
  output: Amount,
  cachedInput: Amount.nullable(),
  reasoning: Amount.nullable(),
  validFrom: z.iso.date('Enter a day, such as 2026-01-31.').nullable(),
})

const { id, model, provider, input, output, cachedInput, reasoning, validFrom } = modelPrices
const COLUMNS = { id, model, provider, input, output, cachedInput, reasoning, validFrom }

/** By model, the newest first. */
export async function listPrices(workspace: string): Promise<StoredPrice[]> {
  const store = await db()
  return await store
    .select(COLUMNS)
    .from(modelPrices)
    .where(eq(modelPrices.workspace, workspace))
    .orderBy(
      asc(sql`lower(${model})`),
      asc(sql`coalesce(${provider}, '')`),
      desc(sql`coalesce(${validFrom}, '-infinity'::date)`),
    )
}

/** Throws AppError conflict where there is a price of the same model, provider and day. */
export async function insertPrice(workspace: string, price: Price): Promise<void> {
  const store = await db()
  if ((await store.$count(modelPrices, eq(modelPrices.workspace, workspace))) >= MAX_PRICES) throw tooMany()
  const added = await store
    .insert(modelPrices)
    .values({ workspace, ...price })
    .onConflictDoNothing()
    .returning({ id })
  if (added.length === 0) throw taken()
}

/** Throws AppError not_found, and conflict as `insertPrice` does. */
export async function changePrice(workspace: string, priceId: string, price: Price): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    const others = await transaction.select({ id }).from(modelPrices).where(samePlace(workspace, price))
    if (others.some((other) => other.id !== priceId)) throw taken()
    const changed = await transaction
      .update(modelPrices)
      .set({ ...price, updatedAt: new Date() })
      .where(and(eq(modelPrices.workspace, workspace), eq(id, priceId)))
      .returning({ id })
    if (changed.length === 0) throw new AppError('not_found', 'There is no such price any more.')
  })
}

/** Adds many at once; one of the same model, provider and day is replaced. All of them or none. */
export async function putPrices(workspace: string, prices: readonly Price[]): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    for (const price of prices) {
      await transaction.delete(modelPrices).where(samePlace(workspace, price))
      await transaction.insert(modelPrices).values({ workspace, ...price })
    }
    if ((await transaction.$count(modelPrices, eq(modelPrices.workspace, workspace))) > MAX_PRICES) throw tooMany()
  })
}

/** One that is gone already is fine. */
export async function erasePrice(workspace: string, priceId: string): Promise<void> {
  await (await db()).delete(modelPrices).where(and(eq(modelPrices.workspace, workspace), eq(id, priceId)))
}

const samePlace = (workspace: string, price: Price) =>
  and(
    eq(modelPrices.workspace, workspace),
    sql`lower(${model}) = lower(${price.model})`,
    sql`lower(coalesce(${provider}, '')) = lower(${price.provider ?? ''})`,
    sql`${validFrom} is not distinct from ${price.validFrom}::date`,
  )

const taken = () => {
  const message = 'There is a price of this model, provider and day already.'
  return new AppError('conflict', message, { fields: [{ path: ['model'], message }] })
}
const tooMany = () =>
  new AppError('conflict', `A workspace has at most ${MAX_PRICES} prices. Delete some, or use patterns such as gpt-*.`)

/** Answers `GET /api/prices/{workspace}`: for everyone who may read its traces. */
export const servePrices = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, async (_, { actor }) => {
    await authorize(traces.queryTraceRuns, { workspace }, actor)
    return await listPrices(workspace)
  })
