import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Item, ItemsPage, ItemsSearch, NamespacesPage } from '@/lib/contracts/agents/store'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import type { Destination } from './destination'
import { type Exchanged, type ExchangeOptions, exchange, type Prepared, prepare } from './exchange'

/** The most namespaces asked and items read for one page. Beyond, a person has to choose a namespace. */
const MOST = { namespaces: 200, items: 5_000, page: 1_000 }
const TOO_MANY = 'This agent server lists items only within a namespace, and has too many. Choose a namespace.'
/** The default of the agent servers. */
const PAGE = 10

const KEPT_MS = 10 * 60_000
// On globalThis, because several copies of this module share it.
const shared = globalThis as unknown as { pilothouseNamespaceNeeded?: Map<string, number> }
const needed = () => {
  shared.pilothouseNamespaceNeeded ??= new Map()
  return shared.pilothouseNamespaceNeeded
}

/** Like `exchange`, for items of the store: also of a server that lists them only within a namespace. */
export async function exchangeItems(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<Exchanged<unknown>> {
  const body = (prepared.body ?? {}) as ItemsSearch
  const ask = (one: ItemsSearch) =>
    exchange(op, to, { ...prepared, body: one }, options) as Promise<Exchanged<ItemsPage>>
  const place = to.base.href
  if (body.namespace_prefix?.length) return await ask(body)
  if ((needed().get(place) ?? 0) < Date.now())
    try {
      return await ask(body)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid' || !/namespace/i.test(error.message)) throw error
      if (needed().size >= 500) needed().clear()
      needed().set(place, Date.now() + KEPT_MS)
    }
  const { listNamespaces } = agentServer
  const search = prepare(listNamespaces, { body: { max_depth: 1, limit: MOST.namespaces } })
  const { status, value } = await exchange(listNamespaces, to, search, options)
  const { namespaces } = value as NamespacesPage
  if (namespaces.length >= MOST.namespaces) throw new AppError('invalid', TOO_MANY)
  const names = [...new Set(namespaces.flatMap(([first]) => first ?? []))].sort()
  return { status, value: { items: await pageOf(names, body, async (one) => (await ask(one)).value.items) } }
}

/** A page of the items of all namespaces: those of the first namespace first, or by their score. */
async function pageOf(
  names: string[],
  body: ItemsSearch,
  ask: (body: ItemsSearch) => Promise<Item[]>,
): Promise<Item[]> {
  const from = body.offset ?? 0
  const wanted = from + (body.limit ?? PAGE)
  if (wanted > MOST.items) throw new AppError('invalid', TOO_MANY)
  const found: Item[] = []
  for (const name of names) {
    // Of each namespace, if the best ones count.
    const most = body.query ? wanted : wanted - found.length
    for (let read = 0; read < most; ) {
      const limit = Math.min(MOST.page, most - read)
      const items = await ask({ ...body, namespace_prefix: [name], offset: read, limit })
      found.push(...items)
      read += items.length
      if (items.length < limit) break
    }
  }
  if (body.query) found.sort((left, right) => (right.score ?? 0) - (left.score ?? 0))
  return found.slice(from, wanted)
}
