import 'server-only'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import {
  DEPTHS,
  isRowActive,
  isStatusGroup,
  OUTPUT_HOURS,
  RUN_ROWS,
  type RunFacts,
  type RunRow,
  type RunRowsPage,
  STATUS_GROUPS,
} from '@/lib/contracts/agents/run-row'
import { controlPlane } from '@/lib/contracts/control-plane'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { queryInt } from '@/lib/contracts/wire/fields'
import { AppError } from '@/lib/errors'
import { readMoment } from '@/lib/format/moment'
import { printJson } from '@/lib/json/lossless'
import { type Actor, systemActor } from '../../access/actor'
import { queryMoment, queryText } from '../../process/query-fields'
import { parseInput } from '../../process/result'
import { SharedReads } from '../../process/shared-reads'
import { within } from '../../process/within'
import { type Edge, type RowsFilter, recordedAmong, recordedRows } from '../../records/recorded-runs'
import { serveRead } from '../../relay/serve-read'
import { call } from '../../upstream/call'
import { authorize } from '../../upstream/call-context'
import { assistantName } from './assistant-names'
import { type Cursor, cursorAfter, isAfter, readCursor, tracedFrom } from './cursor'
import { listServers, type Seen, seenAcross, seenAt, seenOn } from './elsewhere'
import { withServersWord } from './inputs'
import { type SeenRun, statusOf } from './thread-runs'
import { tracedRuns } from './traced'

/** How long a list waits for runs started elsewhere. Later responses show on the next read. */
const JOIN_MS = 1_500

export const RunRowsQuery = z.strictObject({
  deployment: queryText.optional(),
  status: z.string().refine(isStatusGroup, 'This status does not exist.').optional(),
  source: z.enum(['recorded', 'elsewhere']).optional(),
  /** An assistant's id, or a graph's name for all its assistants. */
  assistant: queryText.optional(),
  thread: queryText.optional(),
  /** Ids of runs, with commas between. */
  runs: z.string().max(4_000).optional(),
  by: queryText.optional(),
  text: queryText.optional(),
  since: queryMoment.optional(),
  until: queryMoment.optional(),
  /** How many threads to search for runs started elsewhere. */
  depth: queryInt(1, DEPTHS[DEPTHS.length - 1]).optional(),
  after: z.string().max(1_000).optional(),
  limit: queryInt(1, 100).default(RUN_ROWS),
})
export type RunRowsQuery = z.input<typeof RunRowsQuery>

/**
 * A page of runs, newest first: recordings, and runs without one, which are found in the deployments’ traces and on
 * the servers, in the newest threads or, in a workspace with traces, the busy ones. Throws AppError.
 */
export async function readRunRows(workspace: string, query: unknown, actor: Actor): Promise<RunRowsPage> {
  const { source, after: cursor, limit, depth, ...asked } = parseInput(RunRowsQuery, query)
  const { filter, only } = await readFilter(workspace, asked, actor)
  const after = cursor ? readCursor(cursor) : undefined
  const [seen, recorded] = await Promise.all([
    source === 'recorded'
      ? null
      : lookFor(workspace, filter, { depth: depth ?? DEPTHS[0], after, limit, deployments: only }),
    source === 'elsewhere' ? [] : recordedRows(actor, workspace, filter, { after: after?.edge, limit: limit + 1 }),
  ])
  const isRecorded = await recordedAmong(actor, workspace, seen?.runs ?? [])
  const queued = new Set(seen?.runs.flatMap(({ run, status }) => (status === 'pending' ? [run] : [])))
  const traced = new Map(seen?.runs.map((one) => [one.run, factsOf(one)]))
  const traces = new Set(seen?.runs.flatMap(({ id, isTraced, input }) => (isTraced || input !== undefined ? [id] : [])))
  const others = (seen?.runs ?? [])
    .filter((one) => !isRecorded(one) && isListed(one, filter, one.isTraced ? after?.traced : after?.edge))
    .map(rowOf)
  const rows = [...recorded.map((row) => withQueue(withFacts(row, traced.get(row.run ?? '')), queued)), ...others].sort(
    newestFirst,
  )
  const page = rows.slice(0, limit)
  const [told, names] = await Promise.all([
    withServersWord(workspace, page, traces),
    Promise.all(page.map((row) => assistantName({ workspace, deploymentId: row.deployment }, row.assistant))),
  ])
  return {
    rows: told.map((row, index) => (names[index] ? { ...row, assistantName: names[index] } : row)),
    next: cursorAfter(rows, { limit, after, traced: tracedFrom(seen?.looked.traced?.since) }),
    looked: seen?.looked ?? null,
  }
}

type Asked = Omit<z.output<typeof RunRowsQuery>, 'source' | 'after' | 'limit' | 'depth'>

/** The filter of a query. `only`: the deployments that the user may see; null if all. Throws AppError. */
export async function readFilter(
  workspace: string,
  { status, since, until, assistant, runs, ...given }: Asked,
  actor: Actor,
): Promise<{ filter: RowsFilter; only: string[] | null }> {
  const place = { workspace, deploymentId: given.deployment }
  const { limit: only } = await authorize(agentServer.searchThreads, place, actor)
  const now = Date.now()
  const [from, to] = [since ? readMoment(since, now) : undefined, until ? readMoment(until, now) : undefined]
  const filter: RowsFilter = {
    ...given,
    outputsSince: given.text === undefined ? undefined : (from ?? (to ?? now) - OUTPUT_HOURS * 3_600_000),
    status: status && isStatusGroup(status) ? status : undefined,
    since: from,
    until: to,
    runs: runs?.split(','),
    assistants: assistant ? await aliases(workspace, given.deployment, assistant) : undefined,
  }
  return { filter, only }
}

type Page = {
  depth: number
  after: Cursor | undefined
  limit: number
  /** The only ones to look at; null: all. */
  deployments: string[] | null
}

/** Runs on the servers, as far as they are found within `JOIN_MS`. */
export async function lookFor(workspace: string, filter: RowsFilter, page: Page): Promise<Seen> {
  const isBusyOnly = !filter.deployment
  const none = { threads: 0, deployments: 0, isBusyOnly, isPartial: true, isPending: false, problems: [] }
  const found = look(workspace, filter, page).catch((error: unknown): Seen => {
    if (!(error instanceof AppError)) throw error
    // Recordings are listed even if the servers are down.
    return { runs: [], looked: { ...none, problems: [{ deployment: '', message: error.message }] } }
  })
  const pending: Seen = { runs: [], looked: { ...none, isPending: true } }
  return await within(JOIN_MS, found, pending)
}

async function look(
  workspace: string,
  filter: RowsFilter,
  { depth, after, limit, deployments: only }: Page,
): Promise<Seen> {
  const { deployment: deploymentId, thread } = filter
  const traced = (deployments: Parameters<typeof tracedRuns>[1]) => {
    const wanted = { ...filter, after: after?.traced, limit }
    const key = JSON.stringify([workspace, deployments.map(({ id }) => id), { ...wanted, ...minutesOf(filter) }])
    const read = () =>
      tracedRuns(workspace, deployments, wanted, (run) => isListed(run, filter, wanted.after)).catch(problemOf)
    return within(TRACED_MS, tracedReads.get(key, read), LATE)
  }
  if (!deploymentId) {
    const deployments = await listServers(workspace, only)
    const began = Date.now()
    const reading = traced(deployments.servers)
    // Without a tracing server this is known at once, and the busy threads need no look of their own.
    const isWithout = (await within(AT_ONCE_MS, reading, undefined)) === null
    const busy = isWithout ? undefined : seenAcross(workspace, deployments)
    const found = await reading
    if (busy && found !== null) return withTraced(await busy, found)
    // Not after `busy`: both wait for slow servers, and together they would outlast `JOIN_MS`.
    const newest = { threads: depth, isFailedFirst: filter.status === 'failed' }
    return seenAcross(workspace, deployments, newest, JOIN_MS - SPARE_MS - (Date.now() - began))
  }
  const place = { workspace, deploymentId }
  if (thread) return seenOn(place, thread)
  const input = { workspace, params: { deployment_id: deploymentId } }
  const ofDeployment = call(controlPlane.getDeployment, input, lookOptions()).then(
    async (one) => ({ found: await traced([one]), isServed: hasServer(one) }),
    (error: unknown) => ({ found: problemOf(error), isServed: true }),
  )
  const [seen, { found, isServed }] = await Promise.all([seenAt(place, depth), ofDeployment])
  // Without a server there is nothing to list, which is no problem.
  return withTraced(isServed ? seen : { ...seen, looked: { ...seen.looked, problems: [] } }, found)
}

type Traced = Awaited<ReturnType<typeof tracedRuns>>

/** The share of `JOIN_MS` that a tracing server gets. What a slower one says shows on the next read. */
const TRACED_MS = 900
const AT_ONCE_MS = 50
/** What is left of `JOIN_MS` once every server was waited for. */
const SPARE_MS = 300
/** Times before now change with each read, which must not keep its result from the next one. */
const minuteOf = (at: number | undefined) => at && Math.floor(at / 60_000)
const minutesOf = ({ since, until, outputsSince }: RowsFilter) => ({
  ...{ since: minuteOf(since), until: minuteOf(until), outputsSince: minuteOf(outputsSince) },
})
const LATE = new AppError('upstream_unreachable', 'The tracing server has not answered yet.')
const tracedReads = new SharedReads<Traced | AppError>({
  keptMs: (value) => (value instanceof Error ? 5_000 : 0),
  waitMs: TRACED_MS / 2,
  staleMs: 60_000,
  most: 200,
})

/** Adds the runs that only traces know; a server's own word on a run is newer. */
function withTraced(seen: Seen, traced: Traced | Error): Seen {
  if (traced === null) return seen
  if (traced instanceof Error)
    return {
      ...seen,
      looked: { ...seen.looked, problems: [...seen.looked.problems, traceProblem(traced)] },
    }
  const known = new Set(seen.runs.map(({ run }) => run))
  const ofRun = new Map(traced.runs.map((one) => [one.run, one]))
  return {
    runs: [
      ...seen.runs.map((one) => {
        const told = ofRun.get(one.run)
        return { ...one, ...(told && factsOf(told)), status: statusOf(one, told?.status === 'continued') }
      }),
      ...traced.runs.filter(({ run }) => !known.has(run)),
    ],
    looked: {
      ...seen.looked,
      traced: {
        deployments: traced.deployments.length,
        isPartial: traced.isPartial,
        ...(traced.isPartial && traced.oldest && { since: traced.oldest }),
      },
    },
  }
}

const traceProblem = (error: Error) => ({
  deployment: '',
  message: error.message,
  ...(error === LATE && { isLate: true }),
})

/** A failing tracing server must not hide what the agent servers say. */
function problemOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  // The deadline has passed, perhaps while the request was queued.
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return new AppError('upstream_unreachable', 'The tracing server did not respond in time.')
  throw error
}

const lookOptions = () => ({ actor: systemActor('runs'), signal: AbortSignal.timeout(JOIN_MS) })
const isListed = (run: SeenRun, filter: RowsFilter, after: Edge | undefined) =>
  fits(run, filter) && (!after || isAfter({ at: Date.parse(run.startedAt), id: run.id }, after))

/** Every name under which recordings may store the assistant: runs start with an assistant id or a graph name. */
async function aliases(workspace: string, deploymentId: string | undefined, wanted: string): Promise<string[]> {
  if (!deploymentId) return [wanted]
  const input = {
    workspace,
    deploymentId,
    body: { limit: 500, select: ['assistant_id', 'graph_id', 'metadata', 'name'] },
  }
  const all = await call(agentServer.searchAssistants, input, {
    actor: systemActor('runs'),
    signal: AbortSignal.timeout(JOIN_MS),
  }).catch((error: unknown) => {
    if (error instanceof AppError) return []
    throw error
  })
  const isOwn = (one: { metadata: Record<string, unknown> }) => one.metadata.created_by === 'system'
  const names = all.flatMap((one) => {
    if (one.graph_id === wanted) return [one.assistant_id]
    return one.assistant_id === wanted && isOwn(one) ? [one.graph_id] : []
  })
  return [wanted, ...names]
}

export function fits(
  one: SeenRun,
  {
    deployment: deploymentId,
    status,
    assistants,
    thread,
    runs,
    by,
    text: sought,
    since,
    until,
    outputsSince,
  }: RowsFilter,
): boolean {
  const at = Date.parse(one.startedAt)
  const has = (value: string) => value.toLowerCase().includes((sought ?? '').toLowerCase())
  return (
    (deploymentId === undefined || one.deployment === deploymentId) &&
    (!status || (STATUS_GROUPS[status] as readonly string[]).includes(one.status)) &&
    (!assistants || assistants.includes(one.assistant) || (one.graph !== undefined && assistants[0] === one.graph)) &&
    (thread === undefined || one.thread === thread) &&
    (!runs || runs.includes(one.run)) &&
    (!by || one.startedBy.toLowerCase().includes(by.toLowerCase())) &&
    (!sought ||
      [one.run, one.thread, one.assistant, one.input ?? '', one.error ?? '', printJson(one.metadata)].some(has) ||
      (one.output !== undefined && outputsSince !== undefined && at >= outputsSince && has(one.output))) &&
    (since === undefined || at >= since) &&
    (until === undefined || at < until)
  )
}

const rowOf = ({
  recordingKey: _mark,
  graph: _graph,
  metadata: _metadata,
  output: _output,
  isTraced: _traced,
  ...row
}: SeenRun): RunRow => row

const factsOf = ({ input, error, firstTokenMs, tokens, tokensIn, tokensOut, cost, trace }: RunFacts): RunFacts => ({
  ...(input !== undefined && { input }),
  ...(error !== undefined && { error }),
  ...(firstTokenMs !== undefined && { firstTokenMs }),
  ...(tokens !== undefined && { tokens }),
  ...(tokensIn !== undefined && { tokensIn }),
  ...(tokensOut !== undefined && { tokensOut }),
  ...(cost && { cost }),
  ...(trace && { trace }),
})

/** A recording tells what was asked; the error of a trace names its type. */
const withFacts = (row: RunRow, facts: RunFacts = {}): RunRow => ({
  ...facts,
  ...row,
  ...(facts.error && { error: facts.error }),
})

/** Marks a recorded run as pending: only the server knows whether it is still queued. */
const withQueue = (row: RunRow, queued: ReadonlySet<string>): RunRow =>
  isRowActive(row) && row.run && queued.has(row.run) ? { ...row, status: 'pending' } : row

const newestFirst = (a: RunRow, b: RunRow): number =>
  Date.parse(b.startedAt) - Date.parse(a.startedAt) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

/** Serves `GET /api/runs/{workspace}` with `readRunRows`. */
export const serveRunRows = (request: Request, workspace: string): Promise<Response> =>
  serveRead(request, (query, { actor }) => readRunRows(workspace, query, actor))
