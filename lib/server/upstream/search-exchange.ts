import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { GraphSchema } from '@/lib/contracts/agents/assistants'
import type { Cron } from '@/lib/contracts/agents/crons'
import type { Run } from '@/lib/contracts/agents/runs'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import {
  askedText,
  isAsked,
  previewFields,
  THREAD_EXTRACT,
  titleFields,
  titleOf,
  VALUES_PREVIEW,
  VALUES_TEXT,
  valuesPreview,
  valuesText,
} from '@/lib/stream/thread-rows'
import { mapConcurrent } from '../process/map-concurrent'
import { within } from '../process/within'
import { settleCancelled, withReasons } from './cancelled-threads'
import type { Destination } from './destination'
import { type Exchanged, type ExchangeOptions, exchange, type Prepared, prepare } from './exchange'
import { refusalOf, withoutRefused } from './refused-keys'
import { exchangeItems } from './store-search'

// Agent servers differ most in their searches. Some refuse keys or large pages, others ignore what they do not know.

const SEARCHES = new Set<string>([
  agentServer.searchItems.id,
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
/** Servers list runs newest first. */
const RUNS_PAGE = 20

/** Like `exchange`, for a search of threads, assistants, versions or items: also of a server that does not know all its keys. */
export async function exchangeSearch(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<Exchanged<unknown>> {
  const ask: Ask = (body) => exchange(op, to, { ...prepared, body }, options)
  const place = `${to.base.href} ${op.id}`
  const body = (prepared.body ?? {}) as Search
  if (op.id === agentServer.searchItems.id) return await exchangeItems(op, to, prepared, options)
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
  const { getAssistantSchemas } = agentServer
  const fieldsOf = async (assistant_id: string): Promise<Fields> => {
    const { value } = await exchange(
      getAssistantSchemas,
      to,
      prepare(getAssistantSchemas, { params: { assistant_id } }),
      options,
    )
    const { input_schema, output_schema } = value as GraphSchema
    const title = titleFields(input_schema)
    return { title, preview: previewFields(output_schema, title) }
  }
  const inputOf = async (thread_id: string): Promise<string> => {
    const { listRuns } = agentServer
    const asked = prepare(listRuns, { params: { thread_id }, query: { limit: RUNS_PAGE } })
    const { value } = await exchange(listRuns, to, asked, options)
    return askedText(printJson((value as Run[]).at(-1)?.kwargs ?? {})) ?? ''
  }
  const parted = await withParts(rows, body, place, ask)
  return { ...found, value: await withTitles(parted, body, place, { fieldsOf, read, inputOf }) }
}

const CRONS_PAGE = 100
const MOST_CRONS = 1_000

/** Like `exchange`, for one cron: also of a server that only lists crons, such as Aegra. */
export async function exchangeCron(
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
): Promise<Exchanged<unknown>> {
  try {
    return await exchange(op, to, prepared, options)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unsupported') throw error
  }
  const id = decodeURIComponent(prepared.path.split('/').at(-1) ?? '')
  const { searchCrons } = agentServer
  for (let offset = 0; offset < MOST_CRONS; offset += CRONS_PAGE) {
    const page = prepare(searchCrons, { body: { limit: CRONS_PAGE, offset } })
    const { status, value } = await exchange(searchCrons, to, page, options)
    const crons = value as Cron[]
    const found = crons.find(({ cron_id }) => cron_id === id)
    if (found) return { status, value: found }
    if (crons.length < CRONS_PAGE) break
  }
  throw new AppError('not_found', 'Cron not found.', { upstreamStatus: 404 })
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

async function inPages(ask: Ask, body: Search, wanted = 0): Promise<Exchanged<unknown>> {
  const first = await ask(body)
  const size = body.limit ?? 0
  const rows = [...(first.value as unknown[])]
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
  if (!extract || rows.some(({ extracted }) => extracted)) return rows.map(light)
  const parts = new Map<string, Thread['extracted']>()
  const read = (list: Thread[]) => {
    for (const { thread_id, values } of list)
      if (values !== undefined) parts.set(thread_id, { ...partsOf({ values }, extract), ...titleIn(values, extract) })
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

/** Which fields of its values title and preview a thread without messages. */
type Fields = { title: string[]; preview: string[] }
type Titling = {
  fieldsOf: (assistant: string) => Promise<Fields>
  read: (body: Search) => Promise<Thread[]>
  /** What the thread's first run was asked, as far back as one page of its runs goes. */
  inputOf: (thread: string) => Promise<string>
}

const TITLES_MS = 700
const KEPT_MS = 300_000
const MOST_KEPT = 2_000
const NO_FIELDS: Fields = { title: [], preview: [] }
const fieldsKept = new Map<string, { until: number; fields: Fields }>()
const textsKept = new Map<string, { updatedAt: string; texts: Record<string, string> }>()

/**
 * Adds to rows without messages what gives them a title and a preview, read from those fields of their graph and no others.
 * A graph may keep no input in its state, such as a function; then the title is what it was asked.
 */
async function withTitles(
  rows: Thread[],
  { extract }: Search,
  place: string,
  { fieldsOf, read, inputOf }: Titling,
): Promise<Thread[]> {
  if (extract?.first !== THREAD_EXTRACT.first) return rows
  const keyOf = ({ thread_id }: Thread) => `${place} ${thread_id}`
  const knownOf = (row: Thread) => {
    const known = textsKept.get(keyOf(row))
    return known && known.updatedAt === (row.updated_at ?? '') ? known.texts : undefined
  }
  const isUntitled = ({ extracted, metadata }: Thread) =>
    extracted && !isAsked(extracted) && extracted[VALUES_TEXT] === undefined && titleOf(metadata, '') === ''
  const untitled = rows.filter(isUntitled)
  const assistantOf = ({ metadata }: Thread) => text(metadata.assistant_id) ?? text(metadata.graph_id)
  // Without the time of its last change, what is known of a thread may have changed.
  const unknown = untitled.filter((row) => !row.updated_at || knownOf(row) === undefined)
  const readAll = async () => {
    for (const assistant of new Set(unknown.map(assistantOf))) {
      if (assistant === undefined) continue
      const some = unknown.filter((row) => assistantOf(row) === assistant)
      const fields = await keptFields(`${place} ${assistant}`, () => fieldsOf(assistant))
      const names = [...fields.title, ...fields.preview]
      const ids = some.map(({ thread_id }) => thread_id)
      const paths = Object.fromEntries(names.map((name) => [name, `values.${name}`]))
      // Titles are optional.
      const found =
        names.length === 0
          ? some.map(({ thread_id }): Pick<Thread, 'thread_id' | 'extracted'> => ({ thread_id }))
          : await orNothing(() => read({ ids, limit: ids.length, select: ['thread_id'], extract: paths }), [])
      if (textsKept.size >= MOST_KEPT) textsKept.clear()
      const asked = new Map(some.map((row) => [row.thread_id, row]))
      await mapConcurrent(found, async ({ thread_id, extracted }) => {
        const row = asked.get(thread_id)
        if (!row) return
        const said = valuesText(Object.fromEntries(fields.title.map((name) => [name, extracted?.[name]])))
        const title = said || (await orNothing(() => inputOf(thread_id), ''))
        textsKept.set(keyOf(row), { updatedAt: row.updated_at ?? '', texts: textsOf(title, extracted) })
      })
    }
  }
  // Later ones show on the next read.
  await within(TITLES_MS, readAll(), undefined)
  return rows.map((row) => {
    const known = isUntitled(row) ? knownOf(row) : undefined
    return known ? { ...row, extracted: { ...row.extracted, ...known } } : row
  })
}

/** What gives a title and a preview, of values at hand. */
const titleIn = (values: unknown, extract: Record<string, string>): Record<string, string> =>
  extract.first === THREAD_EXTRACT.first ? textsOf(valuesText(values), values) : {}

function textsOf(title: string, values: unknown): Record<string, string> {
  const preview = valuesPreview(values, title)
  return { ...(title !== '' && { [VALUES_TEXT]: title }), ...(preview !== '' && { [VALUES_PREVIEW]: preview }) }
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

async function keptFields(key: string, read: () => Promise<Fields>): Promise<Fields> {
  const known = fieldsKept.get(key)
  if (known && Date.now() < known.until) return known.fields
  const fields = await orNothing(read, NO_FIELDS)
  if (fieldsKept.size >= MOST_KEPT) fieldsKept.clear()
  fieldsKept.set(key, { until: Date.now() + KEPT_MS, fields })
  return fields
}

async function orNothing<T>(read: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof AppError) return nothing
    throw error
  }
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
