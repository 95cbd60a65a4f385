import { randomBytes } from 'node:crypto'
import type { RunnableConfig } from '@langchain/core/runnables'
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { withStore } from '../kernel/errors'
import { FastSerializer } from '../kernel/serde'
import { CHECKPOINT_COLUMNS, type CheckpointRow, loadNewest, loadTuple, type ValueCache } from './checkpoint-reader'
import type { Db, Query } from './db'
import { CHUNKED, chunkReferences, LARGE_BYTES, prepareChunks, splitValue, type ValueChunks } from './value-chunks'

/** Largest single state value. PostgreSQL's limit is 1 GB, but steps would take seconds long before that. */
const MAX_VALUE_BYTES = 256_000_000
/** How many stopped runs are remembered. */
const MAX_STOPPED = 10_000
/** A PostgreSQL statement takes at most 65,535 parameters. */
const MAX_ROWS = 4000
const INSERT_BLOBS = 'insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob) values'
const INSERT_WRITES =
  'insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)'
const WRITE_TYPES = ['text', 'text', 'text', 'text', 'int', 'text', 'text', 'bytea']
/** Inserts select this, so that an attempt stores nothing once another one has its run. */
const IF_OWN = 'where exists (select from own)'
const REPLACE_WRITE = `on conflict (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
  do update set channel = excluded.channel, type = excluded.type, blob = excluded.blob`
/** Keys of a call's `configurable` that do not describe the run. */
const NOT_KEPT = new Set(['thread_id', 'checkpoint_ns', 'checkpoint_id', 'checkpoint_map'])

export type Watcher = {
  /** Awaited before each write. */
  before(): Promise<void>
  /** A write was refused, because another attempt has the run or it has ended. */
  onLost(): void
  /** A checkpoint was stored. */
  onStep(): void
  /** A write failed. The runtime reports it only at the end, after executing all remaining steps in vain. */
  onFailure(error: unknown): void
}

type Attempt = { runId: string; attempt: number; watcher: Watcher }

/**
 * The official checkpointer's tables and format, with these differences: checkpoints name the run that wrote them,
 * branches never share a stored value, a stopped or overtaken attempt stores nothing more, and large values are stored in
 * deduplicated pieces.
 */
export class AgentSaver extends PostgresSaver {
  readonly #inFlight = new Map<string, Set<Promise<unknown>>>()
  readonly #stopped = new Set<string>()
  readonly #watched = new Map<string, Attempt>()

  constructor(private readonly db: Db) {
    super(db.pool, undefined, { schema: db.schema })
    this.serde = new FastSerializer(this.serde)
  }

  /** The library would create its schema first, which `Db.migrate` did and a deployment's role may not do. */
  override async setup(): Promise<void> {
    const connect = async () => {
      const client = this.db.client() // a change of the library's tables may take long
      await client.connect()
      const query = async (text: string, values?: unknown[]) =>
        /^CREATE SCHEMA/.test(text) ? { rows: [] } : client.query(text, values)
      return { query, release: () => client.end() }
    }
    await new PostgresSaver({ connect } as unknown as Db['pool'], undefined, { schema: this.db.schema }).setup()
  }

  /**
   * Versions have a random suffix, because values are stored by version: with plain numbers, a fork would read another
   * branch's value of the same number.
   */
  override getNextVersion(current: number | undefined): number {
    const count = current === undefined ? 0 : Number.parseInt(String(current), 10)
    const version = `${String(count + 1).padStart(20, '0')}.${randomBytes(8).toString('hex')}`
    // The library compares versions of both types; only its type declaration is narrower.
    return version as unknown as number
  }

  /** Follows the writes of an attempt until `stop`. */
  watch(runId: string, attempt: number, watcher: Watcher): void {
    this.#watched.set(`${runId} ${attempt}`, { runId, attempt, watcher })
  }

  /**
   * Resolves when the attempt's pending writes are stored; later ones are rejected. Nodes of a stopped run may continue
   * for a while, and must not write into a thread that the next run uses.
   */
  async stop(runId: string, attempt: number): Promise<void> {
    const key = `${runId} ${attempt}`
    this.#watched.delete(key)
    this.#stopped.add(key)
    if (this.#stopped.size > MAX_STOPPED) this.#stopped.delete(this.#stopped.values().next().value as string)
    await Promise.allSettled(this.#inFlight.get(key) ?? [])
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return withStore(() => this.#getTuple(config))
  }

  async #getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const {
      thread_id,
      checkpoint_ns = '',
      checkpoint_id,
    } = (config.configurable ?? {}) as Record<string, string | undefined>
    const [row] = await this.db.query<CheckpointRow>(
      `select ${CHECKPOINT_COLUMNS} from checkpoints where thread_id = $1 and checkpoint_ns = $2
       and ($3::text is null or checkpoint_id = $3) order by checkpoint_id desc limit 1`,
      [thread_id, checkpoint_ns, checkpoint_id],
    )
    return row && loadTuple(this.db, this.serde, row)
  }

  /** Reads the newest states of several threads at once. The result stands in for this saver on those threads. */
  async newestOf(threadIds: readonly string[]): Promise<Pick<AgentSaver, 'getTuple'>> {
    const load = await withStore(() => loadNewest(this.db, this.serde, threadIds))
    return { getTuple: ({ configurable }) => withStore(() => load(configurable?.thread_id as string)) }
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const [where, values] = this._searchWhere(config, options.filter, options.before)
    const limit = options.limit === undefined ? '' : `limit ${Math.trunc(options.limit)}`
    const rows = await this.db.query<CheckpointRow>(
      `select ${CHECKPOINT_COLUMNS} from checkpoints ${where} order by checkpoint_id desc ${limit}`,
      values,
    )
    const seen: ValueCache = new Map()
    for (const row of rows) yield loadTuple(this.db, this.serde, row, seen)
  }

  override put(...args: Parameters<PostgresSaver['put']>): Promise<RunnableConfig> {
    return this.#track(args[0], (by) => this.#put(by, ...args))
  }

  override putWrites(...args: Parameters<PostgresSaver['putWrites']>): Promise<void> {
    return this.#track(args[0], (by) => this.#putWrites(by, ...args))
  }

  async #track<T>(config: RunnableConfig, work: (by: Attempt | undefined) => Promise<T>): Promise<T> {
    const key = `${config.metadata?.run_id} ${config.metadata?.run_attempt}`
    if (this.#stopped.has(key)) throw new Error('The run was stopped. Its further writes are not stored.')
    const flying = this.#inFlight.get(key) ?? new Set()
    this.#inFlight.set(key, flying)
    const by = this.#watched.get(key)
    const promise = withStore(async () => {
      await by?.watcher.before()
      return work(by)
    })
    flying.add(promise)
    try {
      return await promise
    } catch (error) {
      this.#watched.get(key)?.watcher.onFailure(error)
      throw error
    } finally {
      flying.delete(promise)
      if (flying.size === 0) this.#inFlight.delete(key)
    }
  }

  async #put(
    by: Attempt | undefined,
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id, checkpoint_ns = '', checkpoint_id } = (config.configurable ?? {}) as Record<string, string>
    if (thread_id === undefined) throw new Error('A checkpoint needs a thread id.')
    const [blobs, storedMetadata] = await Promise.all([
      this._dumpBlobs(thread_id, checkpoint_ns, checkpoint.channel_values, newVersions),
      this._dumpMetadata({ ...runMetadata(config), ...metadata } as CheckpointMetadata),
    ])
    for (const [, , channel, , , bytes] of blobs) refuseHuge(channel, bytes)
    const large = await takeLarge(blobs, 4)
    await this.#store(by, thread_id, large, [
      `${blobs.length ? `values_stored as (${INSERT_BLOBS} ${rows(blobs.length, 6, 6)} on conflict do nothing),` : ''}
       stored as (insert into checkpoints
         (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
         select $1::text, $2::text, $3::text, $4::text, $5::jsonb, $6::jsonb ${IF_OWN}
         on conflict (thread_id, checkpoint_ns, checkpoint_id)
         do update set checkpoint = excluded.checkpoint, metadata = excluded.metadata)`,
      [
        thread_id,
        checkpoint_ns,
        checkpoint.id,
        checkpoint_id,
        this._dumpCheckpoint(checkpoint),
        storedMetadata,
        ...blobs.flat(),
      ],
    ])
    by?.watcher.onStep()
    return { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } }
  }

  async #putWrites(
    by: Attempt | undefined,
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
  ): Promise<void> {
    if (writes.length === 0) return
    const { thread_id, checkpoint_ns = '', checkpoint_id } = (config.configurable ?? {}) as Record<string, string>
    if (thread_id === undefined || checkpoint_id === undefined)
      throw new Error('Pending writes need a thread id and a checkpoint id.')
    const dumped = await this._dumpWrites(thread_id, checkpoint_ns, checkpoint_id, taskId, writes)
    for (const [, , , , , channel, , bytes] of dumped) refuseHuge(channel, bytes)
    // Interrupts, errors and answers replace earlier ones; a task's own writes are stored once.
    const isReplacing = writes.every(([channel]) => channel in WRITES_IDX_MAP)
    const statement = (count: number) =>
      `stored as (${INSERT_WRITES} select * from (values ${rows(count, 8, 0, WRITE_TYPES)}) w ${IF_OWN}
       ${isReplacing ? REPLACE_WRITE : 'on conflict do nothing'})`
    const large = await takeLarge(dumped, 6)
    const statements: [text: string, values: unknown[]][] = []
    for (let from = 0; from < dumped.length; from += MAX_ROWS) {
      const part = dumped.slice(from, from + MAX_ROWS)
      statements.push([statement(part.length), part.flat()])
    }
    await this.#store(by, thread_id, large, ...statements)
  }

  /**
   * Each statement has the parts of a `with` that insert. All or nothing: a resumed run treats a task with any stored write
   * as done.
   */
  async #store(
    by: Attempt | undefined,
    threadId: string,
    large: ValueChunks[],
    ...statements: [parts: string, values: unknown[]][]
  ): Promise<void> {
    const store = async (query: Query, [parts, values]: (typeof statements)[number]) => {
      const at = values.length
      const own = by
        ? `select from runs where run_id = $${at + 1} and attempt = $${at + 2} and status in ('pending', 'running')`
        : 'select'
      const all = by ? [...values, by.runId, by.attempt] : values
      if ((await query(`with own as (${own}), ${parts} select from own`, all)).length > 0) return
      by?.watcher.onLost()
      throw new Error('Another attempt has the run. The writes of this one are not stored.')
    }
    const [first] = statements
    if (first && statements.length === 1 && large.length === 0) return store(this.db.query, first)
    const storePieces = large.length ? await prepareChunks(this.db.query, threadId, large) : undefined
    await this.db.transaction(async (query) => {
      await storePieces?.(query)
      for (const one of statements) await store(query, one)
    })
  }
}

/** The call's run configuration as checkpoint metadata, without the runtime's own keys and the thread's. */
function runMetadata(config: RunnableConfig): Record<string, unknown> {
  const { run_id, graph_id, assistant_id } = (config.configurable ?? {}) as Record<string, unknown>
  const all = { run_id, graph_id, assistant_id, ...config.metadata }
  return Object.fromEntries(
    Object.entries(all).filter(([key, value]) => value !== undefined && !key.startsWith('__') && !NOT_KEPT.has(key)),
  )
}

function refuseHuge(channel: string, bytes: Uint8Array | undefined) {
  if (bytes && bytes.byteLength > MAX_VALUE_BYTES)
    throw new Error(
      `The state's "${channel}" is ${Math.round(bytes.byteLength / 1e6)} MB; a value may have at most ${MAX_VALUE_BYTES / 1e6} MB.`,
    )
}

/** Replaces large values with references. Index `at` of a row holds the type, the next one the bytes. */
async function takeLarge(rows: unknown[][], at: number): Promise<ValueChunks[]> {
  const taken: ValueChunks[] = []
  for (const row of rows) {
    const bytes = row[at + 1]
    if (row[at] !== 'json' || !(bytes instanceof Uint8Array) || bytes.length < LARGE_BYTES) continue
    const pieces = await splitValue(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    taken.push(pieces)
    row[at] = CHUNKED
    row[at + 1] = chunkReferences(pieces)
  }
  return taken
}

/** `($1::text, $2::int), ($3, $4)`: placeholders of several rows, numbered after the first `used` ones. */
const rows = (count: number, width: number, used = 0, types: readonly string[] = []): string =>
  Array.from({ length: count }, (_, row) => {
    const cast = (column: number) => (row === 0 && types[column] ? `::${types[column]}` : '')
    return `(${Array.from({ length: width }, (_, column) => `$${used + row * width + column + 1}${cast(column)}`).join(', ')})`
  }).join(', ')
