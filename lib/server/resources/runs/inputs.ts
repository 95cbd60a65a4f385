import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { traces } from '@/lib/contracts/traces'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { isRunInProgress } from '@/lib/contracts/wire/state'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { askedText, firstLine } from '@/lib/stream/thread-rows'
import { systemActor } from '../../access/actor'
import { untilAnswer } from '../../process/answers'
import { mapConcurrent } from '../../process/map-concurrent'
import { within } from '../../process/within'
import { errorOf } from '../../recorder/outcome'
import { readThreadError } from '../../recorder/source/run-source'
import { call } from '../../upstream/call'
import { timesOf } from './thread-runs'

/** How long a page waits for the servers. What comes later shows on the next read. */
const WAIT_MS = 500
const DEADLINE_MS = 6_000
const FAILURE_MS = 30_000
const ACTIVE_MS = 5_000
const MOST_KEPT = 3_000

type Word = { input?: string | undefined; error?: string | undefined; times?: ReturnType<typeof timesOf> }
/** By run. Only the times of an ended run do not change any more. */
const kept = new Map<string, Word & { until: number; isOver?: () => boolean }>()

const keyOf = (workspace: string, { id }: RunRow) => `${workspace} ${id}`
const knownOf = (key: string) => {
  const known = kept.get(key)
  return known && Date.now() < known.until && !known.isOver?.() ? known : undefined
}

/**
 * Adds to the rows of a page what only their agent servers tell of runs without a recording: what they were asked, and why
 * they failed if they were the last of their thread. Runs of `traced` are known from a trace, which begins later than the run
 * and previews its input in its own way, so both are the server's, as on their pages.
 */
export async function withServersWord(
  workspace: string,
  rows: readonly RunRow[],
  traced: ReadonlySet<string>,
): Promise<RunRow[]> {
  const isOpen = (row: RunRow) =>
    row.recording === null && (row.input === undefined || lacksError(row) || traced.has(row.id))
  const unknown = rows.filter((row) => isOpen(row) && !knownOf(keyOf(workspace, row)))
  await within(
    WAIT_MS,
    mapConcurrent(unknown, (row) => ask(workspace, row)),
    undefined,
  )
  return rows.map((row) => {
    const { input, error, times } = (isOpen(row) && knownOf(keyOf(workspace, row))) || {}
    return {
      ...row,
      ...((row.input === undefined || traced.has(row.id)) && input !== undefined && { input }),
      ...(lacksError(row) && error !== undefined && { error }),
      ...(traced.has(row.id) && row.endedAt && times),
    }
  })
}

const lacksError = ({ status, error }: RunRow) => status === 'error' && error === undefined

// The caller has already checked the role, and the rows are those that the reader may see.
async function ask(workspace: string, row: RunRow): Promise<void> {
  const { deployment: deploymentId, thread, run } = row
  if (!thread || !run) return
  const params = { thread_id: thread, run_id: run }
  const options = { actor: systemActor('runs'), signal: AbortSignal.timeout(DEADLINE_MS) }
  if (kept.size >= MOST_KEPT) kept.clear()
  try {
    const told = await call(agentServer.getRun, { workspace, deploymentId, params }, options)
    // Empty: it was asked nothing, as opposed to unknown.
    const input = told.kwargs ? (askedText(printJson(told.kwargs)) ?? '') : undefined
    const isOver = !isRunInProgress(told.status)
    const until = isOver ? Infinity : Date.now() + ACTIVE_MS
    // The row may have been read before the run failed.
    const isFailed = lacksError(row) || lacksError({ ...row, status: told.status })
    const error = isFailed ? await errorIn({ workspace, deploymentId }, params, options) : undefined
    kept.set(keyOf(workspace, row), { input, error, ...(isOver && { times: timesOf(told) }), until })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const input = error.code === 'not_found' ? await tracedInput(workspace, row, options) : undefined
    const isOver = untilAnswer({ workspace, deploymentId })
    kept.set(keyOf(workspace, row), {
      ...(input === undefined ? { isOver } : { input }),
      until: Date.now() + FAILURE_MS,
    })
  }
}

/** What a run was asked whose server has deleted it, as a rollback does: its trace has the whole input, and lists only a preview. */
async function tracedInput(workspace: string, { run, input }: RunRow, options: Options): Promise<string | undefined> {
  if (!run || input === undefined) return undefined
  const found = await call(traces.getTraceRun, { workspace, params: { run_id: run } }, options).catch(() => undefined)
  return found && askedText(printJson({ input: found.inputs ?? null }))
}

type Options = { actor: ReturnType<typeof systemActor>; signal: AbortSignal }

/** Why a run failed, from the tasks of its thread, which are of the thread's last run, else from the thread itself. */
async function errorIn(
  place: DeploymentPlace,
  { thread_id, run_id }: { thread_id: string; run_id: string },
  options: Options,
): Promise<string | undefined> {
  const state = await call(agentServer.getThreadState, { ...place, params: { thread_id } }, options)
  const told =
    (state.metadata?.run_id === run_id && errorOf('error', undefined, state)) ||
    errorOf(
      'error',
      await readThreadError({ ...place, thread: thread_id, run: run_id }, { signal: options.signal }),
      undefined,
    )
  return told === null ? undefined : firstLine(told)
}
