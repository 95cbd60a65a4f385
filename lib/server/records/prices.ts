import 'server-only'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import type { Price, StoredPrice } from '@/lib/traces/cost'
import { SHIPPED_PRICES } from '@/lib/traces/prices/shipped'
import type { Actor } from '../access/actor'
import { audited } from '../audit/own-records'
import { db } from '../process/db'
import { modelPrices } from '../process/schema'
import { authorize } from '../upstream/call-context'

/** A limit, because pages show all prices and browsers apply them. */
const MAX_PRICES = 1_000

const { id, model, provider, input, output, cachedInput, reasoning, cacheWrite, cacheWrite1h, validFrom } = modelPrices
const COLUMNS = { id, model, provider, input, output, cachedInput, reasoning, cacheWrite, cacheWrite1h, validFrom }

/** The workspace's prices, by model and then newest first, and after them the shipped ones, for users who may read traces. */
export async function listPrices(actor: Actor, workspace: string): Promise<StoredPrice[]> {
  await authorize(traces.queryTraceRuns, { workspace }, actor)
  return await selectPrices(workspace)
}

async function selectPrices(workspace: string): Promise<StoredPrice[]> {
  const store = await db()
  const own = await store
    .select(COLUMNS)
    .from(modelPrices)
    .where(eq(modelPrices.workspace, workspace))
    .orderBy(
      asc(sql`lower(${model})`),
      asc(sql`coalesce(${provider}, '')`),
      desc(sql`coalesce(${validFrom}, '-infinity'::date)`),
    )
  return [...own, ...SHIPPED_PRICES]
}

// Each write returns all prices of the workspace.

/** Adds a price or changes the one with `id`. Throws AppError not_found, or conflict for the same model, provider and day. */
export async function savePrice(
  actor: Actor,
  { workspace, id: priceId, price }: { workspace: string; id?: string; price: Price },
  requestId: string,
): Promise<StoredPrice[]> {
  const params = { model: price.model, ...(priceId && { price: priceId }) }
  const write = { actor, workspace, params, fields: Object.keys(price), requestId }
  return await audited(consoleRecords.savePrice, write, async () => {
    await (priceId ? changePrice(workspace, priceId, price) : insertPrice(workspace, price))
    return await selectPrices(workspace)
  })
}

async function insertPrice(workspace: string, price: Price): Promise<void> {
  const store = await db()
  if ((await store.$count(modelPrices, eq(modelPrices.workspace, workspace))) >= MAX_PRICES) throw tooMany()
  const added = await store
    .insert(modelPrices)
    .values({ workspace, ...price })
    .onConflictDoNothing()
    .returning({ id })
  if (added.length === 0) throw taken()
}

async function changePrice(workspace: string, priceId: string, price: Price): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    const others = await transaction.select({ id }).from(modelPrices).where(samePrice(workspace, price))
    if (others.some((other) => other.id !== priceId)) throw taken()
    const changed = await transaction
      .update(modelPrices)
      .set({ ...price, updatedAt: new Date() })
      .where(and(eq(modelPrices.workspace, workspace), eq(id, priceId)))
      .returning({ id })
    if (changed.length === 0) throw new AppError('not_found', 'This price no longer exists.')
  })
}

/** Adds many prices in one transaction. Each replaces an existing one with the same model, provider and day. */
export async function importPrices(
  actor: Actor,
  { workspace, prices }: { workspace: string; prices: readonly Price[] },
  requestId: string,
): Promise<StoredPrice[]> {
  const write = { actor, workspace, params: { count: String(prices.length) }, fields: ['prices'], requestId }
  return await audited(consoleRecords.importPrices, write, async () => {
    const store = await db()
    await store.transaction(async (transaction) => {
      for (const price of prices) {
        await transaction.delete(modelPrices).where(samePrice(workspace, price))
        await transaction.insert(modelPrices).values({ workspace, ...price })
      }
      if ((await transaction.$count(modelPrices, eq(modelPrices.workspace, workspace))) > MAX_PRICES) throw tooMany()
    })
    return await selectPrices(workspace)
  })
}

/** Succeeds even if the price is already gone. */
export async function deletePrice(
  actor: Actor,
  { workspace, id: priceId }: { workspace: string; id: string },
  requestId: string,
): Promise<StoredPrice[]> {
  const write = { actor, workspace, params: { price: priceId }, requestId }
  return await audited(consoleRecords.deletePrice, write, async () => {
    await (await db()).delete(modelPrices).where(and(eq(modelPrices.workspace, workspace), eq(id, priceId)))
    return await selectPrices(workspace)
  })
}

const samePrice = (workspace: string, price: Price) =>
  and(
    eq(modelPrices.workspace, workspace),
    sql`lower(${model}) = lower(${price.model})`,
    sql`lower(coalesce(${provider}, '')) = lower(${price.provider ?? ''})`,
    sql`${validFrom} is not distinct from ${price.validFrom}::date`,
  )

const taken = () => {
  const message = 'A price for this model, provider and day already exists.'
  return new AppError('conflict', message, { fields: [{ path: ['model'], message }] })
}
const tooMany = () =>
  new AppError('conflict', `A workspace has at most ${MAX_PRICES} prices. Delete some, or use patterns such as gpt-*.`)
