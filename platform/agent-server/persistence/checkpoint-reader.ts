import type { RunnableConfig } from '@langchain/core/runnables'
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  maxChannelVersion,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import type { Db } from './db'
import { CHUNKED, loadChunks } from './value-chunks'

const INTERRUPT = '__interrupt__'

export type CheckpointRow = {
  thread_id: string
  checkpoint_ns: string
  checkpoint_id: string
  parent_checkpoint_id: string | null
  checkpoint: Omit<Checkpoint, 'channel_values'>
  metadata: CheckpointMetadata
}
export const CHECKPOINT_COLUMNS = 'thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata'

/** JSON is selected as text: bytea would double its length on the wire and need decoding. */
type Stored = { type: string; text: string | null; blob: Buffer | null }
const STORED = (table: string) =>
  `${table}.type, case ${table}.type when 'json' then convert_from(${table}.blob, 'UTF8') end as text,
   case ${table}.type when 'json' then null else ${table}.blob end as blob`

/** Reassembles values stored in pieces. */
async function whole<T extends Stored>(db: Db, threadId: string, stored: T): Promise<T> {
  if (stored.type !== CHUNKED) return stored
  return { ...stored, type: 'json', text: await loadChunks(db.query, threadId, stored.blob as Buffer), blob: null }
}

const read = (serde: SerializerProtocol, { type, text, blob }: Stored): Promise<unknown> =>
  serde.loadsTyped(type, text ?? (blob as Buffer)) // one of the two is set, except for `empty`, which is not read

/** Stored values by channel and version: consecutive checkpoints share most of theirs. */
export type ValueCache = Map<string, Stored>
type StoredValue = [channel: string, stored: Stored]
type WriteRow = Stored & { task_id: string; channel: string }

/**
 * A checkpoint with its values and pending writes. Values are separate rows, because parsing the library's single array
 * takes seconds at a few megabytes; `seen` has the values of the previous checkpoint.
 */
export async function loadTuple(
  db: Db,
  serde: SerializerProtocol,
  row: CheckpointRow,
  seen: ValueCache = new Map(),
): Promise<CheckpointTuple> {
  const [values, writes] = await Promise.all([
    loadValues(db, row, seen),
    db.query<WriteRow>(
      `select w.task_id, w.channel, ${STORED('w')} from checkpoint_writes w
       where w.thread_id = $1 and w.checkpoint_ns = $2 and w.checkpoint_id = $3 order by w.task_id, w.idx`,
      [row.thread_id, row.checkpoint_ns, row.checkpoint_id],
    ),
  ])
  return assemble(db, serde, row, values, writes)
}

/** Reads one of several checkpoints whose small parts were fetched together; large values are assembled on demand. */
export type LoadTuple = (threadId: string) => Promise<CheckpointTuple | undefined>

/** The newest checkpoint of each thread, in three statements for any number of threads. */
export async function loadNewest(db: Db, serde: SerializerProtocol, threadIds: readonly string[]): Promise<LoadTuple> {
  const found = await db.query<CheckpointRow>(
    `select c.* from unnest($1::text[]) as wanted (id) cross join lateral (
       select ${CHECKPOINT_COLUMNS} from checkpoints where thread_id = wanted.id and checkpoint_ns = ''
       order by checkpoint_id desc limit 1) c`,
    [threadIds],
  )
  const versions = found.flatMap(({ thread_id, checkpoint }) =>
    Object.entries(checkpoint.channel_versions).map(([channel, version]) => [thread_id, channel, String(version)]),
  )
  const [values, writes] = await Promise.all([
    db.query<{ thread_id: string; channel: string } & Stored>(
      `select b.thread_id, b.channel, ${STORED('b')}
       from unnest($1::text[], $2::text[], $3::text[]) as wanted (thread_id, channel, version)
       join checkpoint_blobs b on b.thread_id = wanted.thread_id and b.checkpoint_ns = '' and b.channel = wanted.channel
         and b.version = wanted.version
       where b.type <> 'empty'`,
      [0, 1, 2].map((part) => versions.map((one) => one[part])),
    ),
    db.query<{ thread_id: string } & WriteRow>(
      `select w.thread_id, w.task_id, w.channel, ${STORED('w')}
       from unnest($1::text[], $2::text[]) as wanted (thread_id, checkpoint_id)
       join checkpoint_writes w on w.thread_id = wanted.thread_id and w.checkpoint_ns = '' and w.checkpoint_id = wanted.checkpoint_id
       order by w.task_id, w.idx`,
      [found.map((row) => row.thread_id), found.map((row) => row.checkpoint_id)],
    ),
  ])
  const rows = new Map(found.map((row) => [row.thread_id, row]))
  const valuesOf = byThread(values)
  const writesOf = byThread(writes)
  return async (threadId) => {
    const row = rows.get(threadId)
    if (!row) return undefined
    const mine = (valuesOf.get(threadId) ?? []).map(
      async ({ channel, ...stored }): Promise<StoredValue> => [channel, await whole(db, threadId, stored)],
    )
    return assemble(db, serde, row, await Promise.all(mine), writesOf.get(threadId) ?? [])
  }
}

function byThread<T extends { thread_id: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.thread_id)
    if (group) group.push(row)
    else groups.set(row.thread_id, [row])
  }
  return groups
}

async function assemble(
  db: Db,
  serde: SerializerProtocol,
  row: CheckpointRow,
  values: readonly StoredValue[],
  writes: readonly WriteRow[],
): Promise<CheckpointTuple> {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata } = row
  const sends = await readPendingSends(db, serde, row)
  const channelValues = values.map(async ([channel, stored]) => [channel, await read(serde, stored)] as const)
  const pendingWrites = openOf(writes).map(
    async ({ task_id, channel, ...stored }): Promise<[string, string, unknown]> => [
      task_id,
      channel,
      await read(serde, await whole(db, thread_id, stored)),
    ],
  )
  const checkpoint = { ...row.checkpoint, channel_values: Object.fromEntries(await Promise.all(channelValues)) }
  return {
    config: { configurable: { thread_id, checkpoint_ns, checkpoint_id } },
    checkpoint: sends ? withPendingSends(checkpoint, sends) : checkpoint,
    metadata,
    parentConfig: parentOf(row, parent_checkpoint_id),
    pendingWrites: await Promise.all(pendingWrites),
  }
}

/**
 * Removes interrupts of answered tasks: these keep their interrupt while other tasks of the step wait, and the runtime
 * would report it as open.
 */
function openOf<T extends { task_id: string; channel: string }>(writes: readonly T[]): T[] {
  const done = new Set(writes.filter(({ channel }) => !(channel in WRITES_IDX_MAP)).map(({ task_id }) => task_id))
  return writes.filter(({ task_id, channel }) => channel !== INTERRUPT || !done.has(task_id))
}

/** Before version 4 of the format, pending sends were stored with the parent checkpoint; undefined if there are none. */
async function readPendingSends(
  db: Db,
  serde: SerializerProtocol,
  { thread_id, checkpoint_ns, parent_checkpoint_id, checkpoint }: CheckpointRow,
): Promise<unknown[] | undefined> {
  if (checkpoint.v >= 4 || !parent_checkpoint_id) return undefined
  const rows = await db.query<Stored>(
    `select ${STORED('w')} from checkpoint_writes w where w.thread_id = $1 and w.checkpoint_ns = $2
     and w.checkpoint_id = $3 and w.channel = $4 order by w.task_id, w.idx`,
    [thread_id, checkpoint_ns, parent_checkpoint_id, TASKS],
  )
  return rows.length ? Promise.all(rows.map(async (row) => read(serde, await whole(db, thread_id, row)))) : undefined
}

function withPendingSends(checkpoint: Checkpoint, sends: unknown[]): Checkpoint {
  const versions = Object.values(checkpoint.channel_versions)
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
    channel_versions: {
      ...checkpoint.channel_versions,
      [TASKS]: versions.length ? maxChannelVersion(...versions) : 1,
    },
  }
}

const parentOf = (
  { thread_id, checkpoint_ns }: CheckpointRow,
  checkpoint_id: string | null,
): RunnableConfig | undefined =>
  checkpoint_id ? { configurable: { thread_id, checkpoint_ns, checkpoint_id } } : undefined

async function loadValues(
  db: Db,
  { thread_id, checkpoint_ns, checkpoint }: CheckpointRow,
  seen: ValueCache,
): Promise<StoredValue[]> {
  const versions = Object.entries(checkpoint.channel_versions).map(
    ([channel, version]) => [channel, String(version)] as const,
  )
  const keyOf = (channel: string, version: string) => `${version} ${channel}`
  const missing = versions.filter(([channel, version]) => !seen.has(keyOf(channel, version)))
  const rows = missing.length
    ? await db.query<{ channel: string; version: string } & Stored>(
        `select b.channel, b.version, ${STORED('b')} from unnest($3::text[], $4::text[]) as wanted (channel, version)
         join checkpoint_blobs b on b.thread_id = $1 and b.checkpoint_ns = $2 and b.channel = wanted.channel and b.version = wanted.version`,
        [thread_id, checkpoint_ns, missing.map(([channel]) => channel), missing.map(([, version]) => version)],
      )
    : []
  const found = new Map(
    await Promise.all(
      rows.map(
        async ({ channel, version, ...stored }) =>
          [keyOf(channel, version), await whole(db, thread_id, stored)] as const,
      ),
    ),
  )
  const mine: ValueCache = new Map()
  for (const [channel, version] of versions) {
    const key = keyOf(channel, version)
    const stored = found.get(key) ?? seen.get(key)
    if (stored) mine.set(key, stored)
  }
  // Keeps only the last checkpoint's values: a history may not fit in memory.
  seen.clear()
  for (const [key, stored] of mine) seen.set(key, stored)
  return versions.flatMap(([channel, version]): StoredValue[] => {
    const stored = mine.get(keyOf(channel, version))
    return stored && stored.type !== 'empty' ? [[channel, stored]] : []
  })
}
