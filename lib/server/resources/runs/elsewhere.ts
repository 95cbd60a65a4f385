import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Looked } from '@/lib/contracts/agents/run-row'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { watchFailure } from '../../process/answers'
import { isAway, LastLooks } from '../../process/last-looks'
import { mapConcurrent } from '../../process/map-concurrent'
import { SharedReads } from '../../process/shared-reads'
import { within } from '../../process/within'
import { call } from '../../upstream/call'
import { problemOf, readerOptions } from './reader'
import { RUNS_PER_THREAD, type SeenRun, type ThreadFacts, threadRuns } from './thread-runs'

// Servers list runs only by thread. So threads are searched without their values, busy ones first, and the runs of a limited
// number are read; the result is cached briefly for all readers and filters.

export type Seen = { runs: SeenRun[]; looked: Looked }
type Depth = { threads: number; isBusyOnly: boolean; isFailedFirst?: boolean }

const BUSY_THREADS = 10
const MOST_DEPLOYMENTS = 12
/** Cache times of a look at a deployment and of a failure. */
const KEPT = { lookMs: 1_500, failureMs: 15_000 }
/** How long the list of a workspace waits for each server. */
const WAIT_MS = 900
const MOST_KEPT = 3_000

const THREAD_PARTS = ['thread_id', 'status', 'created_at', 'updated_at', 'metadata', 'interrupts']

/** Runs of a deployment's newest threads. */
export async function seenAt(place: DeploymentPlace, threads: number): Promise<Seen> {
  return merged([await look(place, { threads, isBusyOnly: false })], false)
}

/** A workspace's first 100 deployments that have a server, of those in `limit` if there is one. `isCut`: there are more. */
export async function listServers(
  workspace: string,
  limit: readonly string[] | null,
): Promise<{ servers: Deployment[]; isCut: boolean }> {
  const { resources } = await call(
    controlPlane.listDeployments,
    { workspace, query: { limit: 100 } },
    readerOptions(limit),
  )
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
    .then((found) => threadRuns(place, found))
    .catch(problemOf)
  const looked = { threads: 1, deployments: 1, isBusyOnly: false, isPartial: false, isPending: false, problems: [] }
  if (!Array.isArray(runs))
    return { runs: [], looked: { ...looked, problems: [{ deployment: place.deploymentId, message: runs.message }] } }
  return { runs, looked: { ...looked, isPartial: runs.length >= RUNS_PER_THREAD } }
}

/** The thread as it is searched for; without its state where the server does not find it so. */
async function findThread(place: DeploymentPlace, thread: string): Promise<ThreadFacts> {
  const body = { ids: [thread], limit: 1, select: THREAD_PARTS }
  const found = await call(agentServer.searchThreads, { ...place, body }, readerOptions()).catch((error: unknown) => {
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
      readerOptions(),
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
      threadRuns(place, thread).catch((error: unknown) => problemOf(error)),
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
