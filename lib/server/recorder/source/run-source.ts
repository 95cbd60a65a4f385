import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Run } from '@/lib/contracts/agents/runs'
import type { ThreadState } from '@/lib/contracts/agents/threads'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import { RECORDING_KEY } from '@/lib/stream/log'
import { systemActor } from '../../access/actor'
import { call, type OpenStream, openStream } from '../../upstream/call'

/** A larger state is not kept with the recording. */
const MAX_STATE_BYTES = 64 * 1024 * 1024

/** Where a run is. Its id is unknown until the server sends it; a stateless run may never have a thread. */
export type RunPlace = DeploymentPlace & {
  thread: string | null
  run: string | null
  isStateless: boolean
}

export type Asked =
  | { kind: 'run'; status: string; run: Run }
  | { kind: 'gone' }
  /** A stateless run whose thread is unknown. */
  | { kind: 'unaskable' }
  | { kind: 'failed'; error: AppError }

export const isOverStatus = (status: string): boolean => status !== 'pending' && status !== 'running'
export const isOver = (asked: Asked): boolean => asked.kind === 'run' && isOverStatus(asked.status)

// The recorder reads as the system, so a recording goes on after its starter has lost access.
const actor = systemActor('recorder')

/** The run's status on the server. Never throws. */
export async function askRun(place: RunPlace, signal?: AbortSignal): Promise<Asked> {
  const { workspace, deploymentId, thread, run } = place
  if (!run || !thread) return { kind: 'unaskable' }
  try {
    const found = await call(
      agentServer.getRun,
      { workspace, deploymentId, params: { thread_id: thread, run_id: run } },
      { actor, signal },
    )
    return { kind: 'run', status: found.status, run: found }
  } catch (error) {
    const known = asAppError(error)
    return known.code === 'not_found' ? { kind: 'gone' } : { kind: 'failed', error: known }
  }
}

/**
 * The thread's current state as JSON text; undefined with a reason if it could not be read. With a run that has ended: the
 * state that it left, also if the next one has begun.
 */
export async function readState(
  place: RunPlace,
  signal?: AbortSignal,
  ended?: Run,
): Promise<{ text?: string; value?: Record<string, unknown>; reason?: string }> {
  const { workspace, deploymentId, thread } = place
  if (!thread) return {}
  const at = { workspace, deploymentId, params: { thread_id: thread } }
  try {
    let state = await call(agentServer.getThreadState, at, { actor, signal })
    if (ended && isOfLaterRun(state, ended)) {
      const body = { limit: 1, metadata: { run_id: ended.run_id } }
      const [own] = await call(agentServer.searchThreadHistory, { ...at, body }, { actor, signal })
      // A server that ignores the filter returns any state.
      if (own?.metadata?.run_id !== ended.run_id)
        return { reason: "The thread's next run had begun before its state could be read." }
      state = own
    }
    const text = printJson(state)
    if (text.length > MAX_STATE_BYTES)
      return { value: state, reason: 'The state is too large to be kept with the recording.' }
    return { text, value: state }
  } catch (error) {
    // A stateless run's thread is deleted with the run, which needs no explanation.
    const known = asAppError(error)
    return place.isStateless && known.code === 'not_found'
      ? {}
      : { reason: `The thread's state could not be read: ${known.message}` }
  }
}

/**
 * Why a thread's newest run failed, where none of its tasks did: the recursion limit stops a run between tasks. Undefined if the
 * thread does not tell it of this run. Throws AppError.
 */
export async function readThreadError(
  { workspace, deploymentId, thread, run }: Omit<RunPlace, 'isStateless'>,
  options: { signal?: AbortSignal } = {},
): Promise<string | undefined> {
  if (!thread || !run) return undefined
  const at = { workspace, deploymentId, params: { thread_id: thread } }
  const { status, error } = await call(agentServer.getThread, at, { actor, ...options })
  // Asked afterwards, so that the error of a run that began in between is not taken for this one's.
  const [newest] = await call(agentServer.listRuns, { ...at, query: { limit: 1 } }, { actor, ...options })
  if (status !== 'error' || newest?.run_id !== run) return undefined
  const text = isRecord(error) ? error.message : error
  return typeof text === 'string' ? text : undefined
}

/**
 * Whether a run that began after this one's end wrote the state, such as one that waited for it. A run that stops again at the
 * same question writes none, so another run's state alone may still be the one that it left.
 */
export function isOfLaterRun(
  { metadata, created_at }: Pick<ThreadState, 'metadata' | 'created_at'>,
  run: Pick<Run, 'run_id' | 'created_at' | 'updated_at'>,
): boolean {
  const writer = metadata?.run_id
  if (typeof writer !== 'string' || writer === run.run_id) return false
  const ended = Date.parse(run.updated_at ?? '')
  // Equal times are those of a server that does not update its records.
  return ended > Date.parse(run.created_at ?? '') && Date.parse(created_at ?? '') >= ended
}

/** Opens the stream of an existing run, after `lastEventId` if given. Throws AppError. */
export function openRun(
  place: RunPlace,
  { lastEventId, signal, ignoresLimit }: { lastEventId?: string; signal?: AbortSignal; ignoresLimit?: boolean },
): Promise<OpenStream> {
  const { workspace, deploymentId, thread, run, isStateless } = place
  if (!run) throw new AppError('not_found', 'The server never sent an id for the run.')
  const options = { actor, signal, lastEventId, ignoresLimit }
  if (thread && !isStateless)
    return openStream(
      agentServer.streamRun,
      { workspace, deploymentId, params: { thread_id: thread, run_id: run } },
      options,
    )
  return openStream(agentServer.streamStatelessRun, { workspace, deploymentId, params: { run_id: run } }, options)
}

/** The id of the run with our metadata key, if the thread has it. */
export async function findRunByKey(place: RunPlace, recordingKey: string): Promise<string | undefined> {
  const { workspace, deploymentId, thread } = place
  if (!thread) return undefined
  const runs = await call(agentServer.listRuns, { workspace, deploymentId, params: { thread_id: thread } }, { actor })
  return runs.find(({ metadata }) => metadata?.[RECORDING_KEY] === recordingKey)?.run_id
}

export const STARTERS = ['API', 'Cron', 'Console'] as const

/** Who started a run that we did not start, as far as its server tells: servers name no person. */
export function starterOf({ metadata }: Pick<Run, 'metadata'>): (typeof STARTERS)[number] {
  if (typeof metadata.cron_id === 'string' && metadata.cron_id !== '') return 'Cron'
  return RECORDING_KEY in metadata ? 'Console' : 'API'
}

/** Thread and run ids of a `Content-Location` or `Location` header. */
export function idsOf(headers: Headers): { thread: string | null; run: string | null } {
  const path = headers.get('content-location') ?? headers.get('location') ?? ''
  const thread = /\/threads\/([^/?]+)/.exec(path)?.[1]
  const run = /\/runs\/([^/?]+)/.exec(path)?.[1]
  return { thread: decode(thread), run: run === 'stream' ? null : decode(run) }
}

const decode = (segment: string | undefined): string | null => {
  try {
    return segment ? decodeURIComponent(segment) : null
  } catch {
    return null
  }
}

export const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('internal', 'Something went wrong in the console.', { cause: error })
