import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import { elsewhereId, type Looked, type RunRow } from '@/lib/contracts/agents/run-row'
import type { Run } from '@/lib/contracts/agents/runs'
import type { Thread } from '@/lib/contracts/agents/threads'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { isRunInProgress } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { RECORDING_KEY } from '@/lib/stream/log'
import { systemActor } from '../../access/actor'
import { watchFailure } from '../../process/answers'
import { isAway, LastLooks } from '../../process/last-looks'
import { mapConcurrent } from '../../process/map-concurrent'
import { SharedReads } from '../../process/shared-reads'
import { within } from '../../process/within'
import { starterOf } from '../../recorder/source/run-source'
import { call } from '../../upstream/call'

// Servers list runs only by thread. So threads are searched without their values, busy ones first, and the runs of a limited
// number are read; the result is cached briefly for all readers and filters.

/** A run as its server reports it. */
export type SeenRun = RunRow & {
  thread: string
  run: string
  /** The id of our recording from the run's metadata. It identifies our runs before the recording knows their run id. */
  recordingKey: string | undefined
  graph: string | undefined
  /** The beginning of what it said or left last, if a trace tells it. Searched by text filters. */
  output?: string
  /** Only a trace has told it. */
  isTraced?: true
  /** Searched by text filters, like the ids. */
  metadata: Run['metadata']
}
export type Seen = { runs: SeenRun[]; looked: Looked }
type Depth = { threads: number; isBusyOnly: boolean; isFailedFirst?: boolean }

const RUNS_PER_THREAD = 20
const BUSY_THREADS = 10
const MOST_DEPLOYMENTS = 12
const DEADLINE_MS = 6_000
/** Cache times: for a look at a deployment, a busy thread, an unchanged idle thread and a failure. */
const KEPT = { lookMs: 1_500, busyMs: 2_500, restingMs: 30_000, failureMs: 15_000 }
/** How long the list of a workspace waits for each server. */
const WAIT_MS = 900
const MOST_KEPT = 3_000

const THREAD_PARTS = ['thread_id', 'status', 'created_at', 'updated_at', 'metadata', 'interrupts']
const RUN_PARTS = ['run_id', 'thread_id', 'assistant_id', 'created_at', 'updated_at', 'status', 'metadata']

// The caller has already checked the role; the result is shared among readers.
const options = (limit: readonly string[] | null = null) => ({
  actor: systemActor('runs', limit),
  signal: AbortSignal.timeout(DEADLINE_MS),
})

/** Runs of a deployment's newest threads. */
export async function seenAt(place: DeploymentPlace, threads: number): Promise<Seen> {
  return merged([await look(place, { threads, isBusyOnly: false })], false)
}

/** A workspace's first 100 deployments that have a server, of those in `limit` if there is one. `isCut`: there are more. */
export async function listServers(
  workspace: string,
  limit: readonly string[] | null,
): Promise<{ servers: Deployment[]; isCut: boolean }> {
  const { resources } = await call(controlPlane.listDeployments, { workspace, query: { limit: 100 } }, options(limit))
  return {
    servers: resources.filter(hasServer),
    isCut: resources.length >= 100,
  }
}

type Across = { threads: number; isFailedFirst: boolean }

/** Runs of the busy threads of a workspace's deployments, or of their newest ones where no traces list the others. */
export async function seenAcross(
  workspace: string,
  { servers, isCut }: Awaited<ReturnType<typeof listServers>>,
  newest?: Across,
  leftMs = WAIT_MS,
): Promise<Seen> {
  const asked = servers.slice(0, MOST_DEPLOYMENTS)
  const isBusyOnly = !newest
  const depth = { threads: BUSY_THREADS, ...newest, isBusyOnly }
  const looks = await Promise.all(
    asked.map(({ id }) => {
      const late = { ...NOTHING, deploymentId: id, isBusyOnly, problem: 'No answer yet.', isLate: true }
      return within(Math.min(WAIT_MS, leftMs), look({ workspace, deploymentId: id }, depth), late)
    }),
  )
  return merged(looks, isCut || servers.length > asked.length)
}

/** Runs of one thread. */
export async function seenOn(place: DeploymentPlace, thread: string): Promise<Seen> {
  const runs = await findThread(place, thread)
    .then((found) => runsOf(place, found))
    .catch(problemOf)
  const looked = { threads: 1, deployments: 1, isBusyOnly: false, isPartial: false, isPending: false, problems: [] }
  if (!Array.isArray(runs))
    return { runs: [], looked: { ...looked, problems: [{ deployment: place.deploymentId, message: runs.message }] } }
  return { runs, looked: { ...looked, isPartial: runs.length >= RUNS_PER_THREAD } }
}

/** The thread as it is searched for; without its state where the server does not find it so. */
async function findThread(place: DeploymentPlace, thread: string): Promise<ThreadFacts> {
  const body = { ids: [thread], limit: 1, select: THREAD_PARTS }
  const found = await call(agentServer.searchThreads, { ...place, body }, options()).catch((error: unknown) => {
    if (error instanceof AppError) return []
    throw error
  })
  return found.find(({ thread_id }) => thread_id === thread) ?? { thread_id: thread, metadata: {} }
}

type Look = {
  deploymentId: string
  runs: SeenRun[]
  threads: number
  isBusyOnly: boolean
  isPartial: boolean
  readAt: number
  problem?: string
  /** Whether the server has answered since. */
  isOver?: () => boolean
  isLate?: boolean
  /** It may be back later. */
  isAway?: boolean
  /** Of the last look that had no problem, whose runs these are. */
  keptAt?: number
}

const NOTHING = { runs: [], threads: 0, isPartial: false, readAt: 0 }

const looks = new SharedReads<Look>({
  keptMs: ({ problem }) => (problem === undefined ? KEPT.lookMs : KEPT.failureMs),
  isOver: ({ isOver }) => isOver?.() ?? false,
  waitMs: WAIT_MS / 2,
  staleMs: 60_000,
  most: MOST_KEPT,
})
const lastLooks = new LastLooks<Look>(MOST_KEPT)

/** What a server tells; where it fails, what it told last. */
async function look(place: DeploymentPlace, depth: Depth): Promise<Look> {
  const key = JSON.stringify([place, depth])
  return lastLooks.orLast(key, await looks.get(key, () => lookThrough(place, depth)))
}

/** Never throws: a failing server becomes a `problem`, so that the others still show. */
async function lookThrough(
  place: DeploymentPlace,
  { threads: limit, isBusyOnly, isFailedFirst }: Depth,
): Promise<Look> {
  const nothing = { ...NOTHING, deploymentId: place.deploymentId, isBusyOnly }
  const untilOver = watchFailure(place)
  const search = (status?: 'busy' | 'interrupted' | 'error') =>
    call(
      agentServer.searchThreads,
      {
        ...place,
        body: { ...(status && { status }), limit, select: THREAD_PARTS, sort_by: 'updated_at', sort_order: 'desc' },
      },
      options(),
    )
  try {
    const [newest, ...pressing] = isBusyOnly
      ? [(await Promise.all([search('busy'), search('interrupted').catch(() => [])])).flat()]
      : // A server that cannot filter by status still returns its newest threads.
        await Promise.all([
          search(),
          ...(['busy', 'interrupted', 'error'] as const).map((status) => search(status).catch(() => [])),
        ])
    const [busy = [], ...resting] = pressing
    // Many old waiting or failed threads must not crowd out the newest.
    const failed = isFailedFirst ? resting[1] : undefined
    const order = [
      ...(failed ?? []),
      ...busy,
      ...(newest ?? []).slice(0, limit / 2),
      ...resting.flat(),
      ...(newest ?? []),
    ]
    const found = new Map(order.map((thread) => [thread.thread_id, thread]))
    const chosen = [...found.values()].slice(0, limit)
    const isCut = found.size > limit || [newest ?? [], ...pressing].some((page) => page.length >= limit)
    const read = await mapConcurrent(chosen, (thread) =>
      runsOf(place, thread).catch((error: unknown) => problemOf(error)),
    )
    const runs = read.flatMap((one) => (Array.isArray(one) ? one : []))
    const problem = read.find((one): one is { message: string } => !Array.isArray(one))?.message
    const isPartial = isCut || read.some((one) => Array.isArray(one) && one.length >= RUNS_PER_THREAD)
    const readAt = Date.now()
    const ended = problem !== undefined && { problem, isOver: untilOver() }
    return { ...nothing, runs, threads: chosen.length, isPartial, readAt, ...ended }
  } catch (error) {
    return { ...nothing, problem: problemOf(error).message, isOver: untilOver(), isAway: isAway(error) }
  }
}

function merged(all: readonly Look[], isCut: boolean): Seen {
  return {
    runs: all.flatMap(({ runs }) => runs),
    looked: {
      threads: all.reduce((sum, { threads }) => sum + threads, 0),
      deployments: all.length,
      isBusyOnly: all.every(({ isBusyOnly }) => isBusyOnly),
      isPartial: isCut || all.some(({ isPartial }) => isPartial),
      isPending: false,
      problems: all.flatMap(({ deploymentId, problem, isLate, keptAt }) =>
        problem === undefined
          ? []
          : [{ deployment: deploymentId, message: problem, ...(isLate && { isLate }), ...(keptAt && { keptAt }) }],
      ),
    },
  }
}

type ThreadFacts = Pick<Thread, 'thread_id' | 'status' | 'updated_at' | 'metadata' | 'interrupts'>
const kept = new Map<string, { stamp: string; until: number; runs: SeenRun[] }>()

async function runsOf(place: DeploymentPlace, thread: ThreadFacts): Promise<SeenRun[]> {
  const key = JSON.stringify([place, thread.thread_id])
  const stamp = `${thread.status} ${thread.updated_at}`
  const known = kept.get(key)
  if (known?.stamp === stamp && Date.now() < known.until) return known.runs
  const read = await listRuns(place, thread)
  const inOrder = [...read].sort((a, b) => timeOf(a) - timeOf(b))
  const newest = inOrder.at(-1)
  const answered = await answeredAmong(place, thread.thread_id, inOrder)
  const runs = read.map((run) => seenRun(place, thread, run, run === newest, answered.has(run.run_id)))
  const isBusy = thread.status !== 'idle' && thread.status !== 'error' && thread.status !== 'interrupted'
  trim(kept)
  kept.delete(key)
  kept.set(key, { stamp, until: Date.now() + (isBusy ? KEPT.busyMs : KEPT.restingMs), runs })
  return runs
}

async function listRuns(place: DeploymentPlace, { thread_id, status }: ThreadFacts): Promise<Run[]> {
  const ask = (query: { status?: string; select?: string[] }) =>
    call(
      agentServer.listRuns,
      { ...place, params: { thread_id }, query: { limit: RUNS_PER_THREAD, ...query } },
      options(),
    )
  const light = (query: { status?: string } = {}) =>
    ask({ ...query, select: RUN_PARTS }).catch((error: unknown) => {
      // Some servers do not support `select`.
      if (error instanceof AppError && error.code === 'invalid') return ask(query)
      throw error
    })
  const runs = await light()
  // Some servers return the oldest runs first, so active runs may be beyond this page.
  if (status !== 'busy' || runs.length < RUNS_PER_THREAD || runs.some((run) => isRunInProgress(run.status))) return runs
  const active = await Promise.all([light({ status: 'running' }), light({ status: 'pending' })])
  return [...new Map([...runs, ...active.flat()].map((run) => [run.run_id, run])).values()]
}

/** Whether a run answers the one before it, which never changes. */
const answers = new Map<string, boolean>()

/**
 * The runs of a thread, given in their order, whose question the next one answers. Only what that one was sent tells them
 * from those that were stopped.
 */
async function answeredAmong(
  place: DeploymentPlace,
  thread: string,
  runs: readonly Run[],
): Promise<ReadonlySet<string>> {
  const asked = runs.flatMap((run, at) => {
    const next = runs[at + 1]
    // A recording knows its own run.
    return run.status === 'interrupted' && !run.metadata[RECORDING_KEY] && next ? [{ run, next }] : []
  })
  const found = await mapConcurrent(asked, async ({ run: { run_id }, next }) => {
    const params = { thread_id: thread, run_id: next.run_id }
    const key = JSON.stringify([place, params])
    const known = answers.get(key) ?? (await isAnswer(place, params))
    trim(answers)
    if (known !== undefined) answers.set(key, known)
    return known ? [run_id] : []
  })
  return new Set(found.flat())
}

/** Undefined if the server does not tell. */
async function isAnswer(
  place: DeploymentPlace,
  params: { thread_id: string; run_id: string },
): Promise<boolean | undefined> {
  try {
    const { kwargs } = await call(agentServer.getRun, { ...place, params }, options())
    const { resume } = isRecord(kwargs?.command) ? kwargs.command : {}
    return kwargs ? resume !== undefined && resume !== null : undefined
  } catch {
    return undefined
  }
}

function seenRun(
  { deploymentId }: DeploymentPlace,
  thread: ThreadFacts,
  run: Run,
  isNewest: boolean,
  isAnswered: boolean,
): SeenRun {
  const { run_id, assistant_id, metadata } = run
  const graph = metadata.graph_id ?? thread.metadata.graph_id
  const recordingKey = metadata[RECORDING_KEY]
  return {
    id: elsewhereId(deploymentId, thread.thread_id, run_id),
    recording: null,
    deployment: deploymentId,
    thread: thread.thread_id,
    run: run_id,
    assistant: assistant_id ?? (typeof graph === 'string' ? graph : ''),
    assistantVersion: null,
    status: isNewest && isWaiting(thread, run) ? 'waiting' : statusOf(run, isAnswered),
    startedBy: starterOf(run),
    ...timesOf(run),
    isStateless: false,
    recordingKey: typeof recordingKey === 'string' ? recordingKey : undefined,
    graph: typeof graph === 'string' ? graph : undefined,
    metadata,
  }
}

/**
 * Whether the newest run of a thread stopped at a question or a breakpoint. Servers disagree on the status of such a run, but
 * all mark its thread.
 */
const isWaiting = (thread: ThreadFacts, { status }: Run): boolean =>
  thread.status === 'interrupted' && (status === 'success' || status === 'interrupted')

/**
 * A run's status as its server says, unless its thread is known to have continued since it asked: servers call it
 * interrupted then, like one that was stopped.
 */
export const statusOf = <Status extends string>({ status }: { status: Status }, hasContinued: boolean) =>
  hasContinued && status === 'interrupted' ? 'continued' : status

/** When a run began and ended, as its server says. */
export const timesOf = (run: Pick<Run, 'created_at' | 'updated_at' | 'status'>) => ({
  startedAt: new Date(timeOf(run)).toISOString(),
  endedAt: isRunInProgress(run.status) ? null : (run.updated_at ?? run.created_at ?? null),
})

const timeOf = ({ created_at, updated_at }: Pick<Run, 'created_at' | 'updated_at'>): number => {
  const at = Date.parse(created_at ?? updated_at ?? '')
  return Number.isNaN(at) ? 0 : at
}

function problemOf(error: unknown): { message: string } {
  if (error instanceof AppError) return { message: error.message }
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  return {
    message: isLate ? `It did not respond within ${DEADLINE_MS / 1000} seconds.` : 'Its runs could not be read.',
  }
}

/** Evicts the oldest entries; maps keep insertion order. */
function trim(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size < MOST_KEPT) return
    map.delete(key)
  }
}
