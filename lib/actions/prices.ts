'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { audited, guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import { changePrice, erasePrice, insertPrice, listPrices, PriceInput, putPrices } from '@/lib/server/records/prices'

const Place = { workspace: z.string().min(1).max(300) }
const Save = z.strictObject({ ...Place, id: z.uuid().optional(), price: PriceInput })
const Import = z.strictObject({ ...Place, prices: z.array(PriceInput).min(1, 'There is no price in it.').max(1_000) })
const Remove = z.strictObject({ ...Place, id: z.uuid() })

/** All prices of the workspace, as they are then. */
type Prices = Awaited<ReturnType<typeof listPrices>>

/** Adds a price, or changes the one with the id. */
export async function savePrice(given: z.input<typeof Save>): Promise<Result<Prices>> {
  return guardAction(async (requestId) => {
    const { workspace, id, price } = parseInput(Save, given)
    const params = { model: price.model, ...(id && { price: id }) }
    return write('savePrice', workspace, params, Object.keys(price), requestId, () =>
      id ? changePrice(workspace, id, price) : insertPrice(workspace, price),
    )
  })
}

/** Adds many; those of the same model, provider and day are replaced. */
export async function importPrices(given: z.input<typeof Import>): Promise<Result<Prices>> {
  return guardAction(async (requestId) => {
    const { workspace, prices } = parseInput(Import, given)
    const params = { count: String(prices.length) }
    return write('importPrices', workspace, params, ['prices'], requestId, () => putPrices(workspace, prices))
  })
}

export async function deletePrice(given: z.input<typeof Remove>): Promise<Result<Prices>> {
  return guardAction(async (requestId) => {
    const { workspace, id } = parseInput(Remove, given)
    return write('deletePrice', workspace, { price: id }, [], requestId, () => erasePrice(workspace, id))
  })
}

const write = (
  operation: string,
  workspace: string,
  params: Record<string, string>,
  fields: string[],
  requestId: string,
  effect: () => Promise<void>,
): Promise<Prices> =>
  audited({ workspace, role: 'admin', operation, params, fields, requestId }, async () => {
    await effect()
    return await listPrices(workspace)
  })
