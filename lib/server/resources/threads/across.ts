import 'server-only'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Thread } from '@/lib/contracts/agents/threads'
import { queryInt } from '@/lib/contracts/wire/fields'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { THREAD_STATUSES } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import { LIGHT_COLUMNS } from '@/lib/queries/threads'
import {
  excerptOf,
  MAX_LISTED,
  messageTexts,
  ownMetadata,
  SEARCH_DEPTHS,
  THREAD_EXTRACT,
  THREAD_ORDERS,
  type ThreadRow,
  threadRow,
  type WorkspaceThreads,
} from '@/lib/stream/thread-rows'
import { type Actor, systemActor } from '../../access/actor'
import { watchFailure } from '../../process/answers'
import { isAway, LastLooks } from '../../process/last-looks'
import { mapConcurrent } from '../../process/map-concurrent'
import { queryText } from '../../process/query-fields'
import { parseInput } from '../../process/result'
import { SharedReads } from '../../process/shared-reads'
import { within } from '../../process/within'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import { authorize, type CallOptions } from '../../upstream/call-context'
import { type ServedDeployment, servedDeployments } from '../served-deployments'

const PACE = {
  /** Servers asked at the same time. One that is slower than `slotMs` makes room for the next. */
  atOnce: 12,
  slotMs: 700,
  /** How long a response waits for the servers. Later ones show on the next read. */
  joinMs: 1_500,
  deadlineMs: 8_000,
  page: 100,
  /** A page while messages are searched: they may be megabytes per thread. */
  searchPage: 10,
  keptMs: 4_000,
  searchKeptMs: 30_000,
  failureMs: 15_000,
  listMs: 6_000,
}
const MOST_KEPT = 500

const Query = z.strictObject({
  deployment: queryText.optional(),
  status: z.enum(THREAD_STATUSES).optional(),
  sort: z.enum(THREAD_ORDERS).default(THREAD_ORDERS[0]),
  /** Part of a title, a message or own metadata, or a whole thread id. */
  q: queryText.optional(),
  /** Of how many threads of each deployment the messages are searched. */
  depth: queryInt(1, SEARCH_DEPTHS[1]).default(SEARCH_DEPTHS[0]),
  offset: queryInt(0, MAX_LISTED).default(0),
  limit: queryInt(1, 100).default(50),
})
export type WorkspaceThreadsQuery = z.input<typeof Query>

type Found = ThreadRow & { graph: string | null }
type Look = {
  threads: Found[]
  read: number
  isCut: boolean
  hasMessages: boolean
  readAt: number
  problem?: string
  /** Whether the server has answered since. */
  isOver?: () => boolean
  isAway?: boolean
  keptAt?: number
  isSearch?: boolean
}

/**
 * A page of the threads of all deployments that have a server. Names the servers that failed or have not answered yet.
 * Throws AppError.
 */
export async function readWorkspaceThreads(workspace: string, query: unknown, actor: Actor): Promise<WorkspaceThreads> {
  const { deployment, status, sort, q, depth, offset, limit } = parseInput(Query, query)
  const { limit: only } = await authorize(agentServer.searchThreads, { workspace, deploymentId: deployment }, actor)
  const asked = (await deploymentsOf(workspace, only)).filter(({ id }) => deployment === undefined || id === deployment)
  // Enough of each deployment that none of its threads is missing on this page.
  const listed = Math.ceil((offset + limit + 1) / PACE.page) * PACE.page
  const wanted = { status, q: q || undefined, most: q ? depth : listed }
  const looks = new Map<string, Look>()
  const all = mapConcurrent(
    asked,
    async ({ id }) => {
      const seen = look({ workspace, deploymentId: id }, wanted).then((one) => void looks.set(id, one))
      await within(PACE.slotMs, seen, undefined)
      return { seen }
    },
    PACE.atOnce,
  ).then((started) => Promise.all(started.map(({ seen }) => seen)))
  await within(PACE.joinMs, all, undefined)
  const told = asked.flatMap((one) => {
    const found = looks.get(one.id)
    return found ? [{ ...one, ...found }] : []
  })
  const answered = told.filter(({ problem }) => problem === undefined)
  const rows = told
    .flatMap(({ id, name, threads }) => threads.map((thread) => ({ ...thread, deployment: id, deploymentName: name })))
    .sort(sort === 'deployment' ? byDeployment : pressingFirst)
  return {
    rows: rows.slice(offset, offset + limit),
    hasNext: rows.length > offset + limit,
    threads: answered.reduce((sum, { read }) => sum + read, 0),
    deployments: answered.length,
    isCut: told.some(({ isCut }) => isCut),
    pending: asked.flatMap(({ id, name }) => (looks.has(id) ? [] : [name])),
    untitled: told.flatMap(({ name, hasMessages }) => (hasMessages ? [] : [name])),
    problems: told.flatMap(({ id, name, problem, keptAt }) =>
      problem === undefined ? [] : [{ deployment: id, name, message: problem, ...(keptAt && { keptAt }) }],
    ),
  }
}

const timeOf = ({ at }: ThreadRow) => (at && Date.parse(at)) || 0
const pressingFirst = (left: Found, right: Found) =>
  Number(right.status === 'interrupted') - Number(left.status === 'interrupted') ||
  timeOf(right) - timeOf(left) ||
  (left.id < right.id ? -1 : 1)

type Placed = Found & { deployment: string; deploymentName: string }
const byDeployment = (left: Placed, right: Placed) =>
  left.deploymentName.localeCompare(right.deploymentName) ||
  left.deployment.localeCompare(right.deployment) ||
  pressingFirst(left, right)

// The caller has already checked the role; the result is shared among readers.
const options = () => ({ actor: systemActor('threads'), signal: AbortSignal.timeout(PACE.deadlineMs) })

// A control plane that falls silent is an error, not an old list.
const lists = new SharedReads<ServedDeployment[]>({
  keptMs: () => PACE.listMs,
  waitMs: 0,
  staleMs: 0,
  most: MOST_KEPT,
})
const deploymentsOf = (workspace: string, limit: readonly string[] | null): Promise<ServedDeployment[]> =>
  lists.get(JSON.stringify([workspace, limit]), () => servedDeployments(workspace, limit))

type Wanted = { status: string | undefined; q: string | undefined; most: number }
const looks = new SharedReads<Look>({
  keptMs: ({ problem, isSearch }) =>
    problem !== undefined ? PACE.failureMs : isSearch ? PACE.searchKeptMs : PACE.keptMs,
  isOver: ({ isOver }) => isOver?.() ?? false,
  waitMs: PACE.slotMs,
  staleMs: 60_000,
  most: MOST_KEPT,
})

const lastLooks = new LastLooks<Look>(MOST_KEPT)

/** A failing server becomes a `problem`, so that the others still show. One that is away is given as it was last. */
async function look(place: DeploymentPlace, wanted: Wanted): Promise<Look> {
  const key = JSON.stringify([place, wanted])
  const read = async () => ({ ...(await lookThrough(place, wanted)), isSearch: wanted.q !== undefined })
  return lastLooks.orLast(key, await looks.get(key, read))
}

async function lookThrough(place: DeploymentPlace, wanted: Wanted): Promise<Look> {
  const { signal, ...as } = options()
  const untilOver = watchFailure(place)
  const read = (hasMessages: boolean) => readThreads(place, wanted, hasMessages, { ...as, signal })
  try {
    return await read(true).catch((error: unknown) => {
      // Some servers reject a search that extracts values.
      if (error instanceof AppError && error.code === 'invalid') return read(false)
      throw error
    })
  } catch (error) {
    const nothing = { threads: [], read: 0, isCut: false, hasMessages: true, readAt: Date.now() }
    const away = { ...nothing, isOver: untilOver(), isAway: isAway(error) }
    if (signal.aborted) return { ...away, problem: `No answer within ${PACE.deadlineMs / 1000} s.`, isAway: true }
    if (!(error instanceof AppError)) throw error
    // A server without threads has none to list.
    return error.code === 'unsupported' ? nothing : { ...away, problem: error.message }
  }
}

async function readThreads(
  place: DeploymentPlace,
  { status, q, most }: Wanted,
  hasMessages: boolean,
  at: CallOptions,
): Promise<Look> {
  const extract = { ...THREAD_EXTRACT, ...(q && { messages: 'values.messages' }) }
  const size = q && hasMessages ? PACE.searchPage : PACE.page
  const end = Math.min(most, MAX_LISTED)
  const search = async (only: string | undefined) => {
    const rows: Thread[] = []
    for (let offset = 0; offset < end; offset += size) {
      const body = {
        ...({ limit: size, offset, sort_by: 'updated_at', sort_order: 'desc' } as const),
        select: LIGHT_COLUMNS,
        ...(only && { status: THREAD_STATUSES.find((one) => one === only) }),
        ...(hasMessages && { extract }),
      }
      const page = await call(agentServer.searchThreads, { ...place, body }, at)
      rows.push(...page)
      if (page.length < size) return { rows, isCut: false }
    }
    return { rows, isCut: true }
  }
  // Threads that need input are listed first, so the newest must not crowd them out.
  const [newest, pressing] = await Promise.all([search(status), status ? undefined : search('interrupted')])
  const found = new Map([...newest.rows, ...(pressing?.rows ?? [])].map((thread) => [thread.thread_id, thread]))
  const threads = [...found.values()]
    // A server that ignores the filter returns all threads.
    .filter((thread) => !status || thread.status === status)
    .flatMap((thread) => matching(thread, q) ?? [])
  return {
    threads,
    read: found.size,
    isCut: newest.isCut || (pressing?.isCut ?? false),
    // Some servers ignore `extract`.
    hasMessages: found.size === 0 || [...found.values()].some(({ extracted }) => extracted),
    readAt: Date.now(),
  }
}

function matching(thread: Thread, q: string | undefined): Found | undefined {
  const { graph_id: graph } = thread.metadata
  const row = { ...threadRow(thread), graph: typeof graph === 'string' ? graph : null }
  if (!q || thread.thread_id === q.toLowerCase()) return row
  const excerpt = messageTexts(thread.extracted?.messages).flatMap((text) => excerptOf(text, q) ?? [])[0]
  if (excerpt !== undefined) return { ...row, preview: excerpt === row.title ? row.preview : excerpt }
  const isNamed = [row.title, row.preview, ownMetadata(thread.metadata)].some(
    (text) => excerptOf(text, q) !== undefined,
  )
  return isNamed ? row : undefined
}

/** Serves `GET /api/threads/{workspace}` with `readWorkspaceThreads`. */
export const serveWorkspaceThreads = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, { actor }) => readWorkspaceThreads(workspace, query, actor))
