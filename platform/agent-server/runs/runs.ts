import { randomUUID } from 'node:crypto'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import { RUN_STATUSES_IN_PROGRESS } from '@/lib/contracts/wire/state'
import { type Conditions, meets } from '../kernel/conditions'
import { HttpError, notFound } from '../kernel/errors'
import { toText } from '../kernel/numbers'
import { mayBeLarge, takeTurns } from '../kernel/serde'
import type { Bus, Claimable } from '../persistence/bus'
import type { Db, Query } from '../persistence/db'
import {
  chunkReferences,
  LARGE_BYTES,
  prepareChunks,
  removeUnusedChunks,
  splitValue,
  type ValueChunks,
} from '../persistence/value-chunks'
import { REFRESH_TTL, readTtl, removeThread, type Ttl } from '../threads/threads'
import { freeThread } from './free-thread'
import { enqueueNotices } from './notices'
import { type CancelAction, isInProgress, RUN_COLUMNS, type RunRow, runOut, withInput } from './run-record'
import type { RunRequest } from './run-request'

/** A run's request as stored; a large input is stored separately. */
async function storedBody(body: RunCreate): Promise<{ kwargs: string; pieces?: ValueChunks }> {
  if (mayBeLarge(body.input)) await takeTurns()
  const input = Buffer.from(body.input === undefined ? '' : toText(body.input))
  if (input.length < LARGE_BYTES) return { kwargs: toText(body) }
  return { kwargs: toText({ ...body, input: undefined }), pieces: await splitValue(input) }
}

/** SQL condition on `runs`: the conditions on its thread hold. */
const RUN_MEETS = `exists (select from threads h where h.thread_id = runs.thread_id and ${meets('h.metadata')})`

/** Always before the run itself is locked, as when runs are created and end; another order could deadlock. */
const lockThreadOf = (query: Query, runId: string) =>
  query('select from threads where thread_id = (select thread_id from runs where run_id = $1) for update', [runId])

/** Stores runs: pending, running and ended. The queue executes them. */
export class Runs {
  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    /** Of threads that a run creates. */
    private readonly defaultTtl?: Ttl,
  ) {}

  /** Throws a 404, also if a thread is given and the run belongs to another one. */
  async get(runId: string, threadId?: string): Promise<RunRow> {
    const row = await this.find(runId)
    if (!row || (threadId !== undefined && row.thread_id !== threadId.toLowerCase())) throw notFound('Run', runId)
    return row
  }

  async find(runId: string): Promise<RunRow | undefined> {
    const [row] = await this.db.query<RunRow>(`select ${RUN_COLUMNS} from runs where run_id = $1`, [
      runId.toLowerCase(),
    ])
    return row
  }

  /** The record as clients see it. */
  async out(row: RunRow): Promise<ReturnType<typeof runOut>> {
    return runOut(await withInput(this.db.query, row))
  }

  /** Newest first. */
  async list(
    threadId: string,
    page: { limit?: number; offset?: number; status?: string },
  ): Promise<{ rows: RunRow[]; total: number }> {
    const values = [threadId.toLowerCase(), page.status ?? null]
    const filter = 'where thread_id = $1 and ($2::text is null or status = $2)'
    const [rows, [counted]] = await Promise.all([
      this.db.query<RunRow>(
        `select ${RUN_COLUMNS} from runs ${filter} order by seq desc limit ${page.limit ?? 10} offset ${page.offset ?? 0}`,
        values,
      ),
      this.db.query<{ count: number }>(`select count(*)::int as count from runs ${filter}`, values),
    ])
    return { rows, total: counted?.count ?? 0 }
  }

  /**
   * Queues a run and applies its multitask strategy to the thread's other runs, under a lock on the thread. `also` runs
   * in the same transaction: if it throws, everything is rolled back.
   */
  async create(request: RunRequest, runId: string, also?: (query: Query) => Promise<void>): Promise<RunRow> {
    const threadId = request.threadId?.toLowerCase() ?? randomUUID()
    const { kwargs, pieces } = await storedBody(request.body)
    const storePieces = pieces && (await prepareChunks(this.db.query, threadId, [pieces]))
    const release = this.bus.holdBack(runId)
    try {
      const { row, stopped, isFree } = await this.db.transaction(async (query) => {
        await this.#lockThread(query, threadId, request)
        const metadata = { ...request.metadata, graph_id: request.graphId, assistant_id: request.assistantId }
        await also?.(query)
        await storePieces?.(query)
        // Those that are stopped are locked, so that none is claimed meanwhile; others stay free for claims.
        const lock = request.strategy === 'interrupt' || request.strategy === 'rollback' ? 'for update' : ''
        const active = await query<RunRow>(
          `select ${RUN_COLUMNS} from runs where thread_id = $1 and status in ('pending', 'running') order by seq ${lock}`,
          [threadId],
        )
        const stopped = await this.#makeRoom(query, threadId, active, request.strategy)
        const [row] = await query<RunRow>(
          `with thread as (update threads set run_count = run_count + 1 where thread_id = $2 returning run_count)
           insert into runs (run_id, thread_id, assistant_id, graph_id, metadata, kwargs, plan, multitask_strategy, is_resumable, creator, run_after, input_pieces, ordinal, is_watched)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + $11::float8 * interval '1 second', $12, (select run_count from thread),
             exists(select from thread_readers where thread_id = $2 and instance <> $10))
           returning ${RUN_COLUMNS}`,
          [
            runId,
            threadId,
            request.assistantId,
            request.graphId,
            metadata,
            kwargs,
            request.plan,
            request.strategy,
            request.body.stream_resumable ?? false,
            this.bus.instance,
            request.body.after_seconds ?? 0,
            pieces ? chunkReferences(pieces) : null,
          ],
        )
        await query(
          `update threads set status = 'busy', updated_at = now(), metadata = metadata || $2, config = $3, ${REFRESH_TTL} where thread_id = $1`,
          [threadId, metadata, request.plan.config],
        )
        return { row: row as RunRow, stopped, isFree: active.every(({ status }) => status !== 'running') }
      })
      this.bus.tellThread({ thread: row.thread_id, run: row.run_id }, row.is_watched)
      this.#tell(stopped)
      const dueMs = (request.body.after_seconds ?? 0) * 1000
      // The end of a running one finds this one, unless it is due later.
      if (isFree || dueMs > 0) this.bus.emit('claimable', { run: row.run_id, creator: row.creator, dueMs })
      return row
    } finally {
      release()
    }
  }

  /** Requests the end of a pending or running run. Returns false if it had already ended. */
  async cancel(runId: string, action: CancelAction): Promise<boolean> {
    const stopped = await this.db.transaction(async (query) => {
      await lockThreadOf(query, runId)
      const [row] = await query<RunRow>(`select ${RUN_COLUMNS} from runs where run_id = $1 for update`, [runId])
      if (!row || !isInProgress(row.status)) return undefined
      return this.#stop(query, row, action)
    })
    if (stopped) this.#tell([stopped])
    if (stopped?.next) this.bus.emit('claimable', stopped.next)
    return stopped !== undefined
  }

  /** Ids of runs in progress, by thread, status or id. */
  async inProgress({
    threadId,
    runIds,
    status,
    only,
  }: {
    threadId?: string | null
    runIds?: string[] | null
    status?: string | null
    only?: Conditions
  }): Promise<string[]> {
    const rows = await this.db.query<{ run_id: string }>(
      `select run_id from runs where status = any($1) and ($2::text is null or thread_id = $2) and ($3::text[] is null or run_id = any($3))
         and ($4::text[] is null or ${RUN_MEETS.replace('$?', '$4')}) order by seq`,
      [status && status !== 'all' ? [status] : RUN_STATUSES_IN_PROGRESS, threadId?.toLowerCase(), runIds, only],
    )
    return rows.map(({ run_id }) => run_id)
  }

  /** Removes the record and its stored events. Its checkpoints stay, because they belong to the thread. */
  async remove(runId: string): Promise<void> {
    const next = await this.db.transaction(async (query) => {
      await lockThreadOf(query, runId)
      await query('delete from run_events where run_id = $1', [runId])
      const [row] = await query<Pick<RunRow, 'thread_id' | 'input_pieces'>>(
        'delete from runs where run_id = $1 returning thread_id, input_pieces',
        [runId],
      )
      if (!row) return undefined
      if (row.input_pieces) await removeUnusedChunks(query, row.thread_id)
      return freeThread(query, row.thread_id)
    })
    this.announceEnded([runId])
    if (next) this.bus.emit('claimable', next)
  }

  /** Makes processes that execute or read these runs check the store again. */
  announceEnded(ids: readonly string[]): void {
    for (const run of ids) void this.bus.tell({ kind: 'ended', run })
  }

  /** Tells readers that this thread was removed. */
  announceThreadDeleted(threadId: string): void {
    this.bus.tellThread({ thread: threadId, isGone: true })
  }

  async #lockThread(query: Query, threadId: string, { threadId: given, body, plan, place }: RunRequest): Promise<void> {
    const ttl = readTtl(this.defaultTtl)
    if (given === undefined || body.if_not_exists === 'create')
      await query(
        `insert into threads (thread_id, is_temporary, ttl_minutes, ttl_strategy, expires_at)
         values ($1, $2, $3::float8, $4, now() + $3::float8 * interval '1 minute') on conflict do nothing`,
        [threadId, plan.deletesThread, ...(plan.deletesThread ? [null, null] : [ttl.minutes, ttl.strategy])],
      )
    const [thread] = await query('select from threads where thread_id = $1 for update', [threadId])
    if (!thread) throw notFound('Thread', threadId)
    if (!place?.checkpoint_id) return
    const [checkpoint] = await query(
      'select from checkpoints where thread_id = $1 and checkpoint_ns = $2 and checkpoint_id = $3',
      [threadId, place.checkpoint_ns ?? '', place.checkpoint_id],
    )
    if (!checkpoint) throw new HttpError(404, `Thread ${threadId} has no checkpoint ${place.checkpoint_id}.`)
  }

  async #makeRoom(
    query: Query,
    threadId: string,
    active: RunRow[],
    strategy: RunRequest['strategy'],
  ): Promise<Stopped[]> {
    const [first] = active
    if (!first || strategy === 'enqueue') return []
    if (strategy === 'reject')
      throw new HttpError(
        409,
        `Thread ${threadId} is busy: run ${first.run_id} is ${first.status}. Wait for it, or choose another multitask strategy.`,
      )
    const stopped: Stopped[] = []
    for (const row of active) stopped.push(await this.#stop(query, row, strategy))
    return stopped
  }

  /** Ends a pending run at once; marks a running one's row so that its process stops it. */
  async #stop(query: Query, row: RunRow, action: CancelAction): Promise<Stopped> {
    if (row.status === 'running') {
      // A requested rollback stays requested, whatever is requested later.
      await query(
        `update runs set cancel = case when cancel = 'rollback' then cancel else $2 end, updated_at = now() where run_id = $1`,
        [row.run_id, action],
      )
      return { kind: 'cancel', run: row.run_id }
    }
    if (action === 'interrupt') await enqueueNotices(query, row, 'interrupted')
    if (row.plan.deletesThread) await removeThread(query, row.thread_id)
    else if (action === 'rollback') await query('delete from runs where run_id = $1', [row.run_id])
    else await query(`update runs set status = 'interrupted', updated_at = now() where run_id = $1`, [row.run_id])
    return { kind: 'ended', run: row.run_id, next: await freeThread(query, row.thread_id) }
  }

  #tell(messages: readonly Stopped[]): void {
    for (const { kind, run } of messages) void this.bus.tell({ kind, run })
  }
}

/** `next`: the run that no longer waits for this one. */
type Stopped = { kind: 'cancel' | 'ended'; run: string; next?: Claimable | undefined }
