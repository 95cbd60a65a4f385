import type { StateSnapshot } from '@langchain/langgraph'
import type { z } from 'zod'
import type { CheckpointRequest, ThreadCreate, ThreadStateUpdate } from '@/lib/contracts/agents/threads'
import type { Access, Graph, Graphs } from '../assistants/graphs'
import { describeError, HttpError, invalid } from '../kernel/errors'
import { batches } from '../kernel/listing'
import { toDoubles } from '../kernel/numbers'
import type { AgentSaver } from '../persistence/saver'
import { toCommand } from './commands'
import { toPlain } from './messages'
import { openInterrupts, restingStatus, stateOut } from './state'
import { type ThreadRow, type Threads, threadOut } from './threads'

type Json = Record<string, unknown>
type Place = z.output<typeof CheckpointRequest> | null | undefined

/** For lists: how many threads have their small values fetched together, and how many are read at once in full. */
const FETCHED = 100
const CONCURRENCY = 4
/** The configuration key under which the runtime looks for another checkpointer than the graph's own. */
const CHECKPOINTER = '__pregel_checkpointer'

/** State and history of threads, interpreted by the graph that ran on them. */
export class ThreadStates {
  constructor(
    private readonly threads: Threads,
    private readonly graphs: Graphs,
    private readonly saver: AgentSaver,
  ) {}

  /** The newest state, or the one at a checkpoint; empty for a thread without runs. */
  async read(threadId: string, place?: Place, subgraphs = false): Promise<Json> {
    const thread = await this.threads.get(threadId)
    const snapshot = await this.snapshot(thread, place, subgraphs)
    if (place?.checkpoint_id && snapshot.createdAt === undefined)
      throw new HttpError(404, `Thread ${threadId} has no checkpoint ${place.checkpoint_id}.`)
    return stateOut(snapshot)
  }

  async snapshot(thread: ThreadRow, place?: Place, subgraphs = false): Promise<StateSnapshot> {
    const config = { configurable: configurableOf(thread.thread_id, place) }
    const graph = await this.#graphOf(thread, 'threads.read')
    return graph ? graph.getState(config, { subgraphs }) : rawSnapshot(this.saver, config)
  }

  async #newestSnapshot(thread: ThreadRow, saver: Reader): Promise<StateSnapshot> {
    const configurable = configurableOf(thread.thread_id)
    const graph = await this.#graphOf(thread, 'threads.read')
    return graph
      ? graph.getState({ configurable: { ...configurable, [CHECKPOINTER]: saver } })
      : rawSnapshot(saver, { configurable })
  }

  /** Newest first. */
  async history(
    threadId: string,
    {
      limit,
      before,
      metadata,
      checkpoint,
    }: { limit?: number | null; before?: unknown; metadata?: Json | null; checkpoint?: Place },
  ): Promise<Json[]> {
    const thread = await this.threads.get(threadId)
    const graph = await this.#graphOf(thread, 'threads.read')
    if (!graph) return []
    const config = { configurable: configurableOf(thread.thread_id, checkpoint) }
    const options = {
      limit: limit ?? 10,
      ...(before
        ? { before: { configurable: { thread_id: thread.thread_id, checkpoint_id: checkpointIdOf(before) } } }
        : {}),
      ...(metadata && { filter: toDoubles(metadata) }),
    }
    const states: Json[] = []
    for await (const snapshot of graph.getStateHistory(config, options)) states.push(stateOut(snapshot))
    return states
  }

  /** Writes a checkpoint as if `as_node` had returned the values. Returns its location. */
  async update(threadId: string, body: z.output<typeof ThreadStateUpdate>): Promise<Json> {
    const thread = await this.threads.get(threadId)
    if (thread.status === 'busy')
      throw new HttpError(409, `Thread ${threadId} is busy. Wait for its run to end, or cancel it.`)
    const graph = await this.#needGraph(thread)
    const place = { ...body.checkpoint, ...(body.checkpoint_id && { checkpoint_id: body.checkpoint_id }) }
    const config = { configurable: configurableOf(thread.thread_id, place) }
    const updated = await explain(() =>
      // Null stays null: as `__end__`, it ends the thread.
      graph.updateState(config, toDoubles(body.values), body.as_node ?? undefined),
    )
    await this.#rest(thread, graph)
    return updated.configurable ?? {}
  }

  /** Builds a history on a new thread without running the graph. */
  async build(thread: ThreadRow, supersteps: NonNullable<ThreadCreate['supersteps']>): Promise<void> {
    const graph = await this.#needGraph(thread)
    const packet = await this.graphs.packetOf(String(thread.metadata.graph_id))
    const steps = toDoubles(supersteps).map(({ updates }) => ({
      updates: updates.map(({ values, command, as_node }) => ({
        values: command ? toCommand(command, packet) : (values as Json),
        asNode: as_node,
      })),
    }))
    await explain(() => graph.bulkUpdateState({ configurable: configurableOf(thread.thread_id) }, steps))
    await this.#rest(thread, graph)
  }

  /** The records of a list with the requested parts of the state; `wants` tells whether a field was requested. */
  async records(
    rows: readonly ThreadRow[],
    {
      wants = () => true,
      extract,
      withTtl = false,
    }: { wants?: (field: string) => boolean; extract?: Record<string, string> | null; withTtl?: boolean } = {},
  ): Promise<Json[]> {
    const needsState = wants('values') || wants('interrupts') || Object.values(extract ?? {}).some(isOfState)
    if (!needsState) return rows.map((row) => withExtracted(threadOut(row, withTtl), extract))
    const records: Json[] = []
    for (const fetched of batches(rows, FETCHED)) {
      const saver = await this.saver.newestOf(fetched.map((row) => row.thread_id))
      for (const some of batches(fetched, CONCURRENCY))
        records.push(
          ...(await Promise.all(
            some.map(async (row) => {
              const snapshot = await this.#newestSnapshot(row, saver)
              const values = snapshot.createdAt === undefined ? null : toPlain(snapshot.values)
              const record = { ...threadOut(row, withTtl), values, interrupts: openInterrupts(snapshot) }
              return withExtracted(record, extract)
            }),
          )),
        )
    }
    return records
  }

  async #graphOf(thread: ThreadRow, access: Access): Promise<Graph | undefined> {
    const graphId = thread.metadata.graph_id
    if (typeof graphId !== 'string' || !this.graphs.has(graphId)) return undefined
    return this.graphs.get(graphId, access, { configurable: {}, ...thread.config })
  }

  async #needGraph(thread: ThreadRow): Promise<Graph> {
    const graph = await this.#graphOf(thread, 'threads.update')
    if (graph) return graph
    throw new HttpError(
      422,
      `Thread ${thread.thread_id} has no graph yet. Run one on it first, or give its metadata a graph_id.`,
    )
  }

  async #rest(thread: ThreadRow, graph: Graph): Promise<void> {
    const snapshot = await graph.getState({ configurable: configurableOf(thread.thread_id) })
    await this.threads.rest(thread.thread_id, restingStatus(snapshot))
  }
}

type Reader = Pick<AgentSaver, 'getTuple'>

/** The raw stored values, for checkpoints whose graph this deployment does not have. */
async function rawSnapshot(saver: Reader, config: { configurable: Json }): Promise<StateSnapshot> {
  const saved = await saver.getTuple(config)
  // Channels of the runtime itself: `__start__`, `branch:to:node`.
  const values = Object.entries(saved?.checkpoint.channel_values ?? {}).filter(([name]) => !/^__|:/.test(name))
  return {
    values: Object.fromEntries(values),
    next: [],
    tasks: [],
    metadata: saved?.metadata,
    config: saved?.config ?? config,
    createdAt: saved?.checkpoint.ts,
    parentConfig: saved?.parentConfig,
  }
}

const isOfState = (path: string): boolean => /^(values|interrupts)\b/.test(path)

const withExtracted = (record: Json, extract: Record<string, string> | null | undefined): Json =>
  extract
    ? {
        ...record,
        extracted: Object.fromEntries(Object.entries(extract).map(([alias, path]) => [alias, valueAt(record, path)])),
      }
    : record

/** A location in a thread, omitting absent keys, because the runtime checks for their presence. */
export function configurableOf(threadId: string, place?: Place): Json {
  const { checkpoint_id, checkpoint_ns, checkpoint_map } = place ?? {}
  return {
    thread_id: threadId,
    checkpoint_ns: checkpoint_ns ?? '',
    ...(checkpoint_id && { checkpoint_id }),
    ...(checkpoint_map && { checkpoint_map }),
  }
}

/** A checkpoint's id, from the id itself or from an object that contains it. */
function checkpointIdOf(before: unknown): string {
  const { configurable, checkpoint_id } = before as {
    configurable?: { checkpoint_id?: unknown }
    checkpoint_id?: unknown
  }
  const id = typeof before === 'string' ? before : (checkpoint_id ?? configurable?.checkpoint_id)
  if (typeof id !== 'string') throw invalid(['body', 'before'], 'Expected the id of a checkpoint')
  return id
}

/** Reports the runtime's objections to an update (unknown or ambiguous node, invalid values) to the caller. */
async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HttpError || isDatabaseError(error)) throw error
    const { message } = describeError(error)
    throw invalid(/\bnode\b/i.test(message) ? ['body', 'as_node'] : ['body', 'values'], message)
  }
}

const isDatabaseError = (error: unknown): boolean =>
  error instanceof Error && ('severity' in error || ('code' in error && /^E[A-Z]+$/.test(String(error.code))))

/** The value at a path such as `values.messages[-1].content`; null where there is none. */
function valueAt(record: Json, path: string): unknown {
  let value: unknown = record
  for (const [, key, index] of path.matchAll(/([^.[\]]+)|\[(-?\d+)\]/g)) {
    if (index !== undefined) value = Array.isArray(value) ? value.at(Number(index)) : undefined
    else
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key as string)
          ? (value as Json)[key as string]
          : undefined
  }
  return value ?? null
}
