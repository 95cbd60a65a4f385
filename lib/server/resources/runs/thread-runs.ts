import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import { elsewhereId, type RunRow } from '@/lib/contracts/agents/run-row'
import type { Run } from '@/lib/contracts/agents/runs'
import type { Thread } from '@/lib/contracts/agents/threads'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { isRunInProgress } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { RECORDING_KEY } from '@/lib/stream/log'
import { mapConcurrent } from '../../process/map-concurrent'
import { starterOf } from '../../recorder/source/run-source'
import { call } from '../../upstream/call'
import { readerOptions } from './reader'

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

/** Most runs that are read of one thread. */
export const RUNS_PER_THREAD = 20
/** Cache times of a busy thread and of one that rests and has not changed. */
const KEPT = { busyMs: 2_500, restingMs: 30_000 }
const MOST_KEPT = 3_000
const RUN_PARTS = ['run_id', 'thread_id', 'assistant_id', 'created_at', 'updated_at', 'status', 'metadata']

export type ThreadFacts = Pick<Thread, 'thread_id' | 'status' | 'updated_at' | 'metadata' | 'interrupts'>
const kept = new Map<string, { stamp: string; until: number; runs: SeenRun[] }>()

/** The newest runs of a thread, cached briefly for all readers. */
export async function threadRuns(place: DeploymentPlace, thread: ThreadFacts): Promise<SeenRun[]> {
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
      readerOptions(),
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
    const { kwargs } = await call(agentServer.getRun, { ...place, params }, readerOptions())
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

/** Evicts the oldest entries; maps keep insertion order. */
function trim(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size < MOST_KEPT) return
    map.delete(key)
  }
}
