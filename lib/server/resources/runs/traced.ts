import 'server-only'
import { elsewhereId } from '@/lib/contracts/agents/run-row'
import { traces } from '@/lib/contracts/traces'
import type { TraceRun } from '@/lib/contracts/traces/trace-run'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { RECORDING_KEY } from '@/lib/stream/log'
import { PriceBook } from '@/lib/traces/cost'
import { isLongAgo, LIGHT_FIELDS, type LightRun, lightRun } from '@/lib/traces/light-run'
import { systemActor } from '../../access/actor'
import { STARTERS, starterOf } from '../../recorder/source/run-source'
import { listPrices } from '../../records/prices'
import type { Edge, RowsFilter } from '../../records/recorded-runs'
import { call, callAny } from '../../upstream/call'
import { type Logger, projectsOf } from '../../upstream/tracing-projects'
import { traceFacts } from './facts'
import type { SeenRun } from './thread-runs'

// A tracing server lists the runs of all projects in one request, by any starter; agent servers list them by thread.

const PAGE = 100
const MOST_PAGES = 3
const DEADLINE_MS = 6_000

export type TracedRuns = {
  /** Without those that began in the same millisecond as the oldest that was read, if there are older ones. */
  runs: SeenRun[]
  /** The deployments whose tracing projects were read. */
  deployments: string[]
  /** There are older runs than those that were read. */
  isPartial: boolean
  /** The start of the oldest run that was read. */
  oldest: string | null
}

type Wanted = RowsFilter & { after: Edge | undefined; limit: number }

/**
 * The newest runs that deployments have logged as traces. `isWanted` decides which count towards the limit. Null if the
 * workspace has no tracing server; throws AppError if it fails.
 */
export async function tracedRuns(
  workspace: string,
  deployments: readonly Logger[],
  { status, by, since, until, after, limit }: Wanted,
  isWanted: (run: SeenRun) => boolean,
): Promise<TracedRuns | null> {
  const options = { actor: systemActor('runs'), signal: AbortSignal.timeout(DEADLINE_MS) }
  try {
    const projects = await projectsOf(callAny, workspace, deployments, options)
    if (projects.size === 0) return null
    const found = { runs: [] as SeenRun[], deployments: [...new Set(projects.values())] }
    // Traces know neither open questions nor people.
    if (status === 'waiting' || !isStarter(by)) return { ...found, isPartial: false, oldest: null }
    const book = new PriceBook(await listPrices(options.actor, workspace))
    // Rows with the edge's own time are compared by id later.
    const before = Math.min(until ?? Number.POSITIVE_INFINITY, after ? after.at + 1 : Number.POSITIVE_INFINITY)
    const body = {
      session: [...projects.keys()],
      is_root: true,
      limit: PAGE,
      select: [...LIGHT_FIELDS, 'inputs_preview', 'outputs_preview'],
      ...(status === 'failed' && { error: true }),
      ...(since !== undefined && { start_time: new Date(since).toISOString() }),
      ...(Number.isFinite(before) && { filter: `lt(start_time, "${new Date(before).toISOString()}")` }),
    }
    const continued = new Set<string>()
    let cursor: string | null | undefined
    let newest: string | null = null
    let oldest: string | null = null
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { runs, cursors } = await call(
        traces.queryTraceRuns,
        { workspace, body: { ...body, ...(cursor && { cursor }) } },
        options,
      )
      for (const run of runs) {
        const seen = seenRun(run, projects.get(run.session_id ?? ''), book, continued)
        if (seen && isWanted(seen)) found.runs.push(seen)
        if (seen) continued.add(`${seen.deployment} ${seen.thread}`)
      }
      newest ??= momentOf(runs[0]?.start_time)
      oldest = momentOf(runs.at(-1)?.start_time) ?? oldest
      cursor = cursors?.next
      if (!cursor || found.runs.length > limit) break
    }
    const isPartial = Boolean(cursor)
    // The next page begins with all of that millisecond.
    const isCut = isPartial && newest !== oldest
    const runs = isCut ? found.runs.filter(({ startedAt }) => startedAt !== oldest) : found.runs
    return { ...found, runs, isPartial, oldest }
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unsupported' || error.code === 'not_found')) return null
    throw error
  }
}

/** Tracing projects by deployment id. Null if the workspace has no tracing server; throws AppError if it fails. */
export async function tracingProjects(
  workspace: string,
  deployments: readonly { id: string; name: string }[],
  options: Parameters<typeof projectsOf>[3],
): Promise<Map<string, string> | null> {
  try {
    const projects = await projectsOf(callAny, workspace, deployments, options)
    return new Map([...projects].map(([project, deploymentId]) => [deploymentId, project]))
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unsupported' || error.code === 'not_found')) return null
    throw error
  }
}

/** Whether runs without a recording may be told by this part of their starter. */
const isStarter = (by: string | undefined) =>
  !by || STARTERS.some((one) => one.toLowerCase().includes(by.toLowerCase()))

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const momentOf = (time: TraceRun['start_time']): string | null => {
  const at = new Date(time ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

/**
 * A root run as a row; undefined if it is no run of an agent server, which names its thread and its graph. `continued`: the
 * deployments and threads of which a later run is known.
 */
function seenRun(
  run: TraceRun,
  deploymentId: string | undefined,
  book: PriceBook,
  continued: ReadonlySet<string>,
): SeenRun | undefined {
  const light = lightRun(run)
  const metadata = isRecord(run.extra?.metadata) ? run.extra.metadata : {}
  const thread = text(metadata.thread_id) ?? text(run.thread_id)
  const graph = text(metadata.graph_id)
  const startedAt = momentOf(run.start_time)
  if (!deploymentId || !thread || !graph || !startedAt) return undefined
  // Only the embedded platform tells it.
  const isStateless = metadata.is_stateless === true
  // A server gives the trace the id of the run; a second attempt has one of its own.
  const id = text(metadata.run_id) ?? run.id
  return {
    id: elsewhereId(deploymentId, thread, id),
    recording: null,
    deployment: deploymentId,
    thread,
    run: id,
    assistant: text(metadata.assistant_id) ?? graph,
    assistantVersion: null,
    status: statusOf(light, { isStateless, isContinued: continued.has(`${deploymentId} ${thread}`) }),
    startedBy: starterOf({ metadata }),
    startedAt,
    endedAt: momentOf(run.end_time),
    isStateless,
    isTraced: true,
    recordingKey: text(metadata[RECORDING_KEY]),
    graph,
    metadata,
    ...(run.outputs_preview && { output: run.outputs_preview }),
    ...traceFacts(run, light, book),
  }
}

/** A trace that ended with a question does not tell whether that has been answered, unless a later run is known. */
function statusOf(
  { status, end, lastAt }: LightRun,
  { isStateless, isContinued }: { isStateless: boolean; isContinued: boolean },
): SeenRun['status'] {
  if (status === 'interrupted') return isStateless ? 'interrupted' : isContinued ? 'continued' : 'unknown'
  if (status === 'cancelled' || status === 'error') return status
  return end !== null ? 'success' : isLongAgo(lastAt) ? 'unknown' : 'running'
}
