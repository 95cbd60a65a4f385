import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { settleCancelled, withReasons } from './cancelled-threads'
import type { Destination } from './destination'
import { type Exchanged, type ExchangeOptions, exchange, type Prepared, prepare } from './exchange'
import { refusalOf, withoutRefused } from './refused-keys'

// Agent servers differ most in their searches. Some refuse keys or large pages, others ignore what they do not know.

const SEARCHES = new Set<string>([
  agentServer.searchThreads.id,
  agentServer.searchAssistants.id,
  agentServer.listAssistantVersions.id,
])
export const isSearch = ({ id }: Operation): boolean => SEARCHES.has(id)

type Search = {
  ids?: string[] | null
  status?: string | null
  limit?: number
  offset?: number
  select?: string[] | null
  extract?: Record<string, string> | null
}
type Ask = (body: Search) => Promise<Exchanged<unknown>>

/** Threads read at once with their values, which may be megabytes each. */
const VALUES_PAGE = 10
const MOST_ATTEMPTS = 5

/** Like `exchange`, for a search of threads, assistants or versions: also of a server that does not know all its keys. */
export async function exchangeSearch(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<Exchanged<unknown>> {
  const ask: Ask = (body) => exchange(op, to, { ...prepared, body }, options)
  const place = `${to.base.href} ${op.id}`
  const body = (prepared.body ?? {}) as Search
  if (op.id !== agentServer.searchThreads.id) return await accepted(place, ask, body)
  const found = await accepted(place, ask, withReasons(body))
  const readOne = async (thread_id: string) => {
    const { getThread } = agentServer
    const { value } = await exchange(getThread, to, prepare(getThread, { params: { thread_id } }), options)
    return value as Thread
  }
  const read = async (more: Search) => (await accepted(place, ask, more)).value as Thread[]
  const all = await onlyAsked(found.value as Thread[], body, readOne)
  const rows = await settleCancelled(all, body, place, read)
  return { ...found, value: await withParts(rows, body, place, ask) }
}

/** Sends a search without what the server refuses; a page that is too large for it is read in several. */
async function accepted(place: string, ask: Ask, body: Search): Promise<Exchanged<unknown>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inPages(ask, withoutRefused(place, body), body.limit)
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !(error instanceof AppError) || !refusalOf(place, body, error)) throw error
    }
  }
}

async function inPages(ask: Ask, body: Search, wanted = body.limit ?? 0): Promise<Exchanged<unknown>> {
  const first = await ask(body)
  const size = body.limit ?? 0
  if (wanted <= size || !Array.isArray(first.value)) return first
  const rows: unknown[] = [...first.value]
  for (let last = rows.length; last === size && rows.length < wanted; ) {
    const offset = (body.offset ?? 0) + rows.length
    const { value } = await ask({ ...body, offset, limit: Math.min(size, wanted - rows.length) })
    last = (value as unknown[]).length
    rows.push(...(value as unknown[]))
  }
  return { ...first, value: rows }
}

/** The rows with the ids asked for. A server that ignores `ids` is asked for each of them. */
async function onlyAsked(
  rows: Thread[],
  { ids, status }: Search,
  readOne: (id: string) => Promise<Thread>,
): Promise<Thread[]> {
  if (!ids || rows.every(({ thread_id }) => ids.includes(thread_id))) return rows
  const found: Thread[] = []
  for (const id of ids) {
    const one = await readOne(id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      throw error
    })
    if (one && (!status || one.status === status)) found.push(one)
  }
  return found
}

/** Adds the parts asked for by `extract` where the server ignores it, and leaves out values that were not asked for. */
async function withParts(rows: Thread[], { select, extract }: Search, place: string, ask: Ask): Promise<Thread[]> {
  const isLight = select && !select.includes('values')
  const light = (row: Thread): Thread => (isLight && row.values !== undefined ? { ...row, values: undefined } : row)
  if (!extract || rows.length === 0 || rows.some(({ extracted }) => extracted)) return rows.map(light)
  const parts = new Map<string, Thread['extracted']>()
  const read = (list: Thread[]) => {
    for (const { thread_id, values } of list)
      if (values !== undefined) parts.set(thread_id, partsOf({ values }, extract))
  }
  read(rows)
  // A server that honours `select` has left the values out.
  if (parts.size === 0 && isLight && withoutRefused(place, { select }).select)
    for (let from = 0; from < rows.length; from += VALUES_PAGE) {
      const ids = rows.slice(from, from + VALUES_PAGE).map(({ thread_id }) => thread_id)
      const { value } = await ask({ ids, limit: ids.length, select: ['thread_id', 'values'] })
      read(value as Thread[])
    }
  return rows.map((row) => ({ ...light(row), extracted: parts.get(row.thread_id) }))
}

/** The parts at paths such as `values.messages[-1]`; null where there is none. */
const partsOf = (thread: unknown, extract: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extract).map(([name, path]) => [name, partAt(thread, path)]))

function partAt(thread: unknown, path: string): unknown {
  let part: unknown = thread
  for (const [, key, index] of path.matchAll(/([^.[\]]+)(?=[.[]|$)|\[(-?\d+)\]/g)) {
    if (index !== undefined) part = Array.isArray(part) ? part.at(Number(index)) : undefined
    else part = isRecord(part) && Object.hasOwn(part, key ?? '') ? part[key ?? ''] : undefined
  }
  return part ?? null
}
