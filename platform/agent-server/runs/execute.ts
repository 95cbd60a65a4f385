import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain'
import type { RunControl, StateSnapshot } from '@langchain/langgraph'
import { inSpan } from '../../kernel/telemetry'
import type { Graph, Graphs } from '../assistants/graphs'
import { describeError, type RunError, StoreLost, withStore } from '../kernel/errors'
import { toDoubles } from '../kernel/numbers'
import type { Db } from '../persistence/db'
import type { AgentSaver } from '../persistence/saver'
import { toCommand } from '../threads/commands'
import { encodeEventData } from '../threads/messages'
import { configurableOf } from '../threads/thread-state'
import type { EventWriter } from './event-store'
import type { RunLog } from './events'
import { checkpointIdOf, continuesCheckpoint, saveOriginalWrites } from './rollback'
import { type CancelAction, type RunRow, withInput } from './run-record'
import { callerOf } from './run-request'
import { PrefersStreaming } from './wire/model-calls'
import { PROTOCOL_EVENT, ProtocolEvents } from './wire/protocol-events'
import { streamGraph } from './wire/run-stream'

type Json = Record<string, unknown>

/** Why a run is stopped from outside; used as the abort reason. */
export type StopReason = CancelAction | 'gone' | 'released'

/** How an attempt ended. */
export type AttemptResult =
  | { kind: 'done'; snapshot: StateSnapshot }
  | { kind: 'failed'; error: RunError; thrown: unknown }
  | { kind: 'stopped'; reason: StopReason }
  | { kind: 'lost'; error: RunError }

export type Execution = {
  log: RunLog
  writer: EventWriter
  signal: AbortSignal
  /** On drain, the runtime stops before its next step, with everything stored. */
  control: RunControl
  /** Called after each stored step. */
  onStep(): void
}

export type ExecutionServices = {
  graphs: Graphs
  saver: AgentSaver
  db: Db
  /** Whether the environment names a tracing endpoint. Without one the library would send traces to its vendor. */
  isTracing: boolean
}

/** How long to work without yielding; requests wait that long. */
const TURN_MS = 8

/** Executes one attempt of a run to its end and publishes its events to the log. Never rejects. */
export function execute(row: RunRow, services: ExecutionServices, execution: Execution): Promise<AttemptResult> {
  const attributes = {
    'pilothouse.run.id': row.run_id,
    'pilothouse.run.attempt': row.attempt,
    'pilothouse.thread.id': row.thread_id,
    'pilothouse.graph.id': row.graph_id,
  }
  // Of a run that a cron creates, it is the root.
  return inSpan(`run ${row.graph_id}`, { parent: row.plan.traceparent ?? '', attributes }, async (span) => {
    const result = await attempt(row, services, execution)
    span?.set({ 'pilothouse.run.result': result.kind })
    if (result.kind === 'failed' || result.kind === 'lost') span?.fail(result.error.error)
    return result
  })
}

async function attempt(
  row: RunRow,
  { graphs, saver, db, isTracing }: ExecutionServices,
  execution: Execution,
): Promise<AttemptResult> {
  const { log, writer, control } = execution
  const run = { ...row, kwargs: toDoubles(row.kwargs), plan: toDoubles(row.plan), metadata: toDoubles(row.metadata) }
  const broken = new AbortController()
  const signal = AbortSignal.any([execution.signal, broken.signal])
  saver.watch(run.run_id, run.attempt, {
    // A step that is stored does not run again, so its events must reach the database first.
    before: async () => {
      if (!writer.isKept) return
      await new Promise((resolve) => setImmediate(resolve)) // the events may still be in the runtime's queue
      await writer.send()
    },
    onLost: () => writer.onLost(),
    onStep: () => execution.onStep(),
    onFailure: (error) => broken.abort(error),
  })
  const emit = (event: string, data: unknown) => {
    // Readers follow another attempt.
    if (execution.signal.reason === 'gone') return
    if (writer.isKept || log.isRead(event)) writer.add(log.publish(event, encodeEventData(data)))
  }
  try {
    emit('metadata', { run_id: run.run_id, attempt: run.attempt })
    const config = runtimeConfig(run)
    const graph = await graphs.get(run.graph_id, 'threads.create_run', config, run.plan.context)
    const isContinued = await withStore(async () => {
      if (await wasBegun(run, db)) return true
      if (continuesCheckpoint(run)) await saveOriginalWrites(run, db)
      return false
    })
    const options = {
      ...config,
      ...(isContinued ? {} : placeOf(run, config)),
      ...runOptions(run, isTracing),
      signal,
      control,
    }
    const protocol = run.plan.isEventStream
      ? new ProtocolEvents((event) => emit(PROTOCOL_EVENT, event), graph.streamTransformers)
      : undefined
    options.callbacks.push(protocol?.calls ?? new PrefersStreaming())
    try {
      await streamGraph(
        graph,
        await inputOf(run, isContinued, db, graphs),
        options,
        run.kwargs,
        emit,
        breather(log),
        protocol,
      )
    } catch (error) {
      if (!execution.signal.aborted) await protocol?.end({ error })
      throw error
    }
    await protocol?.end()
    return { kind: 'done', snapshot: await stateOf(graph, run.thread_id) }
  } catch (error) {
    const thrown = broken.signal.aborted ? broken.signal.reason : error
    if (execution.signal.aborted) return { kind: 'stopped', reason: execution.signal.reason as StopReason }
    if (control.drainRequested && (thrown as Error | undefined)?.name === 'GraphDrained')
      return { kind: 'stopped', reason: 'released' }
    if (thrown instanceof StoreLost) return { kind: 'lost', error: describeError(thrown) }
    return { kind: 'failed', error: describeError(thrown), thrown }
  } finally {
    await saver.stop(run.run_id, run.attempt)
  }
}

export const stateOf = (graph: Graph, threadId: string): Promise<StateSnapshot> =>
  graph.getState({ configurable: configurableOf(threadId) })

/** Whether an earlier attempt stored a checkpoint: then the run continues from the thread's newest one, not its input. */
async function wasBegun(run: RunRow, db: Db): Promise<boolean> {
  if (run.attempt === 1) return false
  const [newest] = await db.query<{ run_id: string | null }>(
    `select metadata ->> 'run_id' as run_id from checkpoints where thread_id = $1 and checkpoint_ns = ''
     order by checkpoint_id desc limit 1`,
    [run.thread_id],
  )
  return newest?.run_id === run.run_id
}

async function inputOf(run: RunRow, isContinued: boolean, db: Db, graphs: Graphs): Promise<unknown> {
  if (isContinued) return null
  const { kwargs } = await withStore(() => withInput(db.query, run, JSON.parse))
  if (!kwargs.command) return kwargs.input ?? null
  return toCommand(kwargs.command, await graphs.packetOf(run.graph_id))
}

/** The configuration for the graph and its factory: the caller's, plus the run's identity. */
function runtimeConfig(run: RunRow): Json & { configurable: Json } {
  const { configurable, tags, recursion_limit } = run.plan.config
  const identity = {
    run_id: run.run_id,
    thread_id: run.thread_id,
    graph_id: run.graph_id,
    assistant_id: run.assistant_id,
  }
  return {
    configurable: { ...configurable, ...callerOf(run.plan), ...identity, ...configurableOf(run.thread_id) },
    metadata: {
      ...run.metadata,
      ...identity,
      run_attempt: run.attempt,
      ls_integration: 'graph',
      ...(run.plan.deletesThread && { is_stateless: true }),
    },
    ...(tags && { tags }),
    ...(typeof recursion_limit === 'number' && { recursionLimit: recursion_limit }),
  }
}

function placeOf(run: RunRow, config: { configurable: Json }): Json {
  const id = checkpointIdOf(run)
  const place = id ? { ...run.kwargs.checkpoint, checkpoint_id: id } : run.kwargs.checkpoint
  return { configurable: { ...config.configurable, ...configurableOf(run.thread_id, place) } }
}

/** Omits options that were not given: undefined would override the graph's own. */
function runOptions(
  { run_id, graph_id, kwargs, plan }: RunRow,
  isTracing: boolean,
): Json & { runId: string; callbacks: BaseCallbackHandler[] } {
  const { interrupt_before, interrupt_after, durability, checkpoint_during, langsmith_tracer: tracer } = kwargs
  const older = typeof checkpoint_during === 'boolean' ? (checkpoint_during ? 'async' : 'exit') : undefined
  return {
    runId: run_id,
    runName: graph_id,
    ...(Object.keys(plan.context).length > 0 && { context: plan.context }),
    ...(interrupt_before && { interruptBefore: interrupt_before }),
    ...(interrupt_after && { interruptAfter: interrupt_after }),
    ...((durability ?? older) && { durability: durability ?? older }),
    callbacks: tracer?.project_name && isTracing ? [tracerOf(tracer)] : [],
  }
}

const tracerOf = ({ project_name, example_id }: { project_name?: string | null; example_id?: string | null }) =>
  new LangChainTracer({
    ...(project_name && { projectName: project_name }),
    ...(example_id && { exampleId: example_id }),
  })

/** Yields to requests during a burst of events, and waits for slow readers. */
function breather(log: RunLog): () => Promise<void> | undefined {
  let turn = performance.now()
  let count = 0
  return () => {
    if (++count % 16 !== 0 || performance.now() - turn < TURN_MS) return undefined
    return (async () => {
      await new Promise((resolve) => setImmediate(resolve))
      await log.pace()
      turn = performance.now()
    })()
  }
}
