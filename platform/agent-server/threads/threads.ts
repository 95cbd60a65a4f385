import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { ThreadCreate, ThreadPatch, ThreadsCount, ThreadsSearch } from '@/lib/contracts/agents/threads'
import { isContainer } from '@/lib/json/guards'
import { type Conditions, meets } from '../kernel/conditions'
import { HttpError, notFound } from '../kernel/errors'
import { orderAndPage, Where } from '../kernel/listing'
import { toText } from '../kernel/numbers'
import { type Db, iso, type Query } from '../persistence/db'
import { checkRecord } from '../persistence/record-access'
import { CHUNKED, loadChunks, removeUnusedChunks } from '../persistence/value-chunks'

type Json = Record<string, unknown>
type Filters = z.output<typeof ThreadsCount>
export type Ttl = z.output<typeof ThreadCreate>['ttl']

export type ThreadRow = {
  thread_id: string
  status: string
  metadata: Json
  config: Json
  error: unknown
  is_temporary: boolean
  ttl_minutes: number | null
  ttl_strategy: string | null
  expires_at: Date | null
  created_at: Date
  updated_at: Date
  state_updated_at: Date
}

const COLUMNS =
  'thread_id, status, metadata, config, error, is_temporary, ttl_minutes, ttl_strategy, expires_at, created_at, updated_at, state_updated_at'

/** For statements that change a thread: renews its time to live. */
export const REFRESH_TTL = `expires_at = case when is_temporary then expires_at else now() + ttl_minutes * interval '1 minute' end`

/** The record's fields that are columns; state and interrupts come from the newest checkpoint. */
export function threadOut(row: ThreadRow, withTtl: boolean) {
  const { strategy, ...ttl } = {
    strategy: row.ttl_strategy,
    ttl_minutes: row.ttl_minutes,
    expires_at: row.expires_at && iso(row.expires_at),
  }
  return {
    thread_id: row.thread_id,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    state_updated_at: iso(row.state_updated_at),
    metadata: row.metadata,
    config: row.config,
    status: row.status,
    error: row.error ?? null,
    ...(withTtl && { ttl: row.ttl_minutes === null ? null : { strategy, ...ttl } }),
  }
}

/** Stores threads; their checkpoints are read elsewhere. */
export class Threads {
  constructor(
    private readonly db: Db,
    private readonly defaultTtl?: Ttl,
  ) {}

  /** Throws a 404. */
  async get(threadId: string, query: Query = this.db.query): Promise<ThreadRow> {
    const [row] = await query<ThreadRow>(`select ${COLUMNS} from threads where thread_id = $1`, [
      threadId.toLowerCase(),
    ])
    if (!row) throw notFound('Thread', threadId)
    return row
  }

  async create(body: z.output<typeof ThreadCreate>, only?: Conditions): Promise<{ row: ThreadRow; isNew: boolean }> {
    const threadId = body.thread_id?.toLowerCase() ?? randomUUID()
    const { minutes, strategy } = readTtl(body.ttl ?? this.defaultTtl)
    const [row] = await this.db.query<ThreadRow>(
      `insert into threads (thread_id, metadata, ttl_minutes, ttl_strategy, expires_at)
       values ($1, $2, $3::float8, $4, now() + $3::float8 * interval '1 minute')
       on conflict (thread_id) do nothing returning ${COLUMNS}`,
      [threadId, dropEmpty(body.metadata), minutes, strategy],
    )
    if (row) return { row, isNew: true }
    const taken = new HttpError(409, `Thread ${threadId} already exists.`)
    if (body.if_exists !== 'do_nothing') throw taken
    await checkRecord(this.db.query, 'Thread', threadId, only).catch(() => {
      throw taken
    })
    return { row: await this.get(threadId), isNew: false }
  }

  /** Metadata is merged. */
  async update(threadId: string, { metadata, ttl }: z.output<typeof ThreadPatch>): Promise<ThreadRow> {
    const { minutes, strategy } = readTtl(ttl)
    const [row] = await this.db.query<ThreadRow>(
      `update threads set metadata = metadata || coalesce($2::jsonb, '{}'), updated_at = now(),
         ttl_minutes = coalesce($3::float8, ttl_minutes), ttl_strategy = coalesce($4::text, ttl_strategy),
         expires_at = coalesce(now() + coalesce($3::float8, ttl_minutes) * interval '1 minute', expires_at)
       where thread_id = $1 returning ${COLUMNS}`,
      [threadId.toLowerCase(), metadata, minutes, strategy],
    )
    if (!row) throw notFound('Thread', threadId)
    return row
  }

  async search(body: z.output<typeof ThreadsSearch>, only?: Conditions): Promise<{ rows: ThreadRow[]; total: number }> {
    const where = await this.#where(body, only)
    if (body.ids) where.add('thread_id = any($?)', body.ids)
    const page = (columns: string) =>
      this.db.query<ThreadRow & { total?: number }>(
        `select ${columns} from threads t ${where.text} ${orderAndPage(body, 'created_at', 'thread_id')}`,
        where.values,
      )
    // Counts from an index; only a search by values is evaluated once for both the page and the count.
    if (!body.values) {
      const [rows, total] = await Promise.all([page(COLUMNS), this.#count(where)])
      return { rows, total }
    }
    const rows = await page(`${COLUMNS}, (count(*) over ())::int as total`)
    // A page past the end has no row to carry the total.
    return { rows, total: rows[0]?.total ?? (body.offset ? await this.#count(where) : 0) }
  }

  async count(filters: Filters, only?: Conditions): Promise<number> {
    return this.#count(await this.#where(filters, only))
  }

  /** Removes the thread with its runs, checkpoints and stored events. Stop its runs in progress first. */
  async remove(threadId: string): Promise<void> {
    await this.db.transaction((query) => removeThread(query, threadId))
  }

  /** Keeps only each graph's newest checkpoint. Throws a 404, and a 409 for a busy thread. */
  async keepLatest(threadId: string): Promise<void> {
    await this.db.transaction(async (query) => {
      // Lock first: a run that starts meanwhile needs the old checkpoints for its rollback.
      await query('select from threads where thread_id = $1 for update', [threadId.toLowerCase()])
      const { thread_id, status } = await this.get(threadId, query)
      if (status === 'busy') throw new HttpError(409, `Thread ${thread_id} is busy. Wait for its run to end.`)
      const isOlder = `checkpoint_id < (select max(n.checkpoint_id) from checkpoints n
        where n.thread_id = o.thread_id and n.checkpoint_ns = o.checkpoint_ns)`
      for (const table of ['checkpoint_writes', 'checkpoints'])
        await query(`delete from ${table} o where thread_id = $1 and ${isOlder}`, [thread_id])
      await removeUnusedBlobs(query, thread_id)
      // The next change renews its time to live.
      await query('update threads set expires_at = null where thread_id = $1 and not is_temporary', [thread_id])
    })
  }

  /** Copies the thread with its whole history under a new id. */
  async copy(threadId: string): Promise<ThreadRow> {
    const copyId = randomUUID()
    return this.db.transaction(async (query) => {
      // All statements see the same snapshot, even while a run is writing.
      await query('set transaction isolation level repeatable read')
      const [row] = await query<ThreadRow>(
        `insert into threads (thread_id, status, resting, metadata, config, error, ttl_minutes, ttl_strategy, expires_at)
         select $2, resting, resting, metadata, config, error, ttl_minutes, ttl_strategy,
           now() + ttl_minutes * interval '1 minute'
         from threads where thread_id = $1 returning ${COLUMNS}`,
        [threadId.toLowerCase(), copyId],
      )
      if (!row) throw notFound('Thread', threadId)
      for (const [table, columns] of Object.entries(CHECKPOINT_TABLES))
        await query(
          `insert into ${table} (thread_id, ${columns}) select $2, ${columns} from ${table} where thread_id = $1`,
          [threadId.toLowerCase(), copyId],
        )
      return row
    })
  }

  /** Sets the status from the newest checkpoint; a busy thread stays busy. */
  async rest(threadId: string, status: string): Promise<void> {
    await this.db.query(
      `update threads set resting = $2, status = case status when 'busy' then status else $2 end, error = null,
         updated_at = now(), state_updated_at = now(), ${REFRESH_TTL}
       where thread_id = $1`,
      [threadId, status],
    )
  }

  async #count(where: Where): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(
      `select count(*)::int as count from threads t ${where.text}`,
      where.values,
    )
    return row?.count ?? 0
  }

  async #where({ metadata, values, status }: Filters, only: Conditions): Promise<Where> {
    const rowsWhere = () =>
      new Where()
        .add('not is_temporary')
        .addIf(metadata, 'metadata @> $?')
        .addIf(status, 'status = $?')
        .addIf(only, meets('metadata'))
    const where = rowsWhere()
    // Compares the newest checkpoint; a thread without the key does not match.
    for (const [channel, value] of Object.entries(values ?? {})) {
      const wanted = toText(value)
      if (isScalar(value) && wanted.length <= MAX_SMALL)
        where.add(
          `thread_id in (select b.thread_id from checkpoint_blobs b where ${SMALL} and b.channel = $? and b.blob = $? and ${IS_NEWEST})`,
          channel,
          Buffer.from(wanted),
        )
      else
        where.add(
          `(exists (select from checkpoint_blobs b where ${OF_THREAD} and b.channel = $? and ${IS_NEWEST} and ${AS_JSON} @> $?::jsonb)
           or thread_id = any($?))`,
          channel,
          wanted,
          await this.#withLarge(rowsWhere(), channel, wanted),
        )
    }
    return where
  }

  /** The candidates whose value matches but is stored in pieces, which SQL cannot search. */
  async #withLarge(where: Where, channel: string, wanted: string): Promise<string[]> {
    where.add(`b.type = '${CHUNKED}' and b.channel = $? and ${IS_NEWEST}`, channel)
    const rows = await this.db.query<{ thread_id: string; blob: Buffer }>(
      `select thread_id, b.blob from threads t join lateral (select * from checkpoint_blobs b where ${OF_THREAD}) b using (thread_id) ${where.text}`,
      where.values,
    )
    const found: string[] = []
    for (const { thread_id, blob } of rows) {
      const [row] = await this.db.query<{ holds: boolean }>('select as_json($1::bytea) @> $2::jsonb as holds', [
        Buffer.from(await loadChunks(this.db.query, thread_id, blob)),
        wanted,
      ])
      if (row?.holds) found.push(thread_id)
    }
    return found
  }
}

const OF_THREAD = `b.thread_id = t.thread_id and b.checkpoint_ns = ''`
/** SQL condition: the stored value `b` belongs to its thread's newest checkpoint. */
const IS_NEWEST = `b.version = (select c.checkpoint -> 'channel_versions' ->> b.channel from checkpoints c
  where c.thread_id = b.thread_id and c.checkpoint_ns = '' order by c.checkpoint_id desc limit 1)`
/** Most state values are short; this condition must equal that of their index (migrations.ts). */
const MAX_SMALL = 200
const SMALL = `b.checkpoint_ns = '' and b.type = 'json' and octet_length(b.blob) <= ${MAX_SMALL}`
/** Only text with such escapes may be invalid in jsonb, so only that goes through the slow function. */
const AS_JSON = `case when b.type <> 'json' then null
  when position('\\\\u0000'::bytea in b.blob) = 0 and position('\\\\ud'::bytea in b.blob) = 0 then convert_from(b.blob, 'UTF8')::jsonb
  else as_json(b.blob) end`

/** Scalars are equal if their texts are. */
const isScalar = (value: unknown): boolean => !isContainer(value)

const CHECKPOINT_TABLES = {
  checkpoints: 'checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata',
  checkpoint_blobs: 'checkpoint_ns, channel, version, type, blob',
  checkpoint_writes: 'checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob',
  large_pieces: 'name, data',
}

/** Deletes a thread's data in one statement; without `withEvents`, the stored events of its runs are kept. */
export async function removeThread(query: Query, threadId: string, withEvents = true): Promise<void> {
  const tables = [...Object.keys(CHECKPOINT_TABLES), 'kept_writes']
  const others = tables.map((table) => `${table}_gone as (delete from ${table} where thread_id = $1)`)
  const events =
    'events_gone as (delete from run_events where run_id in (select run_id from runs where thread_id = $1))'
  await query(
    `with ${[...(withEvents ? [events] : []), ...others].join(', ')} delete from threads where thread_id = $1`,
    [threadId],
  )
}

/** Removes values that no checkpoint refers to. */
export async function removeUnusedBlobs(query: Query, threadId: string): Promise<void> {
  await query(
    `delete from checkpoint_blobs b where b.thread_id = $1 and not exists (select from checkpoints c
       where c.thread_id = b.thread_id and c.checkpoint_ns = b.checkpoint_ns
       and c.checkpoint -> 'channel_versions' ->> b.channel = b.version)`,
    [threadId],
  )
  await removeUnusedChunks(query, threadId)
}

/** Drops metadata keys without a value, which clients may send. */
const dropEmpty = (metadata: Json | null | undefined): Json =>
  Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== null && value !== undefined))

/** Minutes to live, and what is removed on expiry. */
export function readTtl(ttl: Ttl): { minutes: number | null; strategy: string | null } {
  if (ttl === null || ttl === undefined) return { minutes: null, strategy: null }
  if (typeof ttl === 'number') return { minutes: ttl, strategy: 'delete' }
  return { minutes: ttl.ttl, strategy: ttl.strategy ?? 'delete' }
}
