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
import { loadPieces, PIECES } from './pieces'

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

/** JSON comes as text: as bytes it would be sent in twice the length and decoded once more. */
type Stored = { type: string; text: string | null; blob: Buffer | null }
const STORED = (table: string) =>
  `${table}.type, case ${table}.type when 'json' then convert_from(${table}.blob, 'UTF8') end as text,
   case ${table}.type when 'json' then null else ${table}.blob end as blob`

/** What is in pieces, put together. */
async function whole<T extends Stored>(db: Db, threadId: string, stored: T): Promise<T> {
  if (stored.type !== PIECES) return stored
  return { ...stored, type: 'json', text: await loadPieces(db.query, threadId, stored.blob as Buffer), blob: null }
}

const read = (serde: SerializerProtocol, { type, text, blob }: Stored): Promise<unknown> =>
  serde.loadsTyped(type, text ?? (blob as Buffer)) // one of the two is there, except for `empty`, which is not read

/** Stored values by channel and version: neighbours in a history share most of theirs. */
export type Seen = Map<string, Stored>

/**
 * A checkpoint with its values and pending writes. The values come as rows of their own: the library asks for them as
 * one array, which takes seconds to take apart at a few megabytes. `seen` holds the values of the last checkpoint read.
 */
export async function loadTuple(
  db: Db,
  serde: SerializerProtocol,
  row: CheckpointRow,
  seen: Seen = new Map(),
): Promise<CheckpointTuple> {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata } = row
  const [values, writes, sends] = await Promise.all([
    loadValues(db, row, seen),
    db.query<{ task_id: string; channel: string } & Stored>(
      `select w.task_id, w.channel, ${STORED('w')} from checkpoint_writes w
       where w.thread_id = $1 and w.checkpoint_ns = $2 and w.checkpoint_id = $3 order by w.task_id, w.idx`,
      [thread_id, checkpoint_ns, checkpoint_id],
    ),
    readPendingSends(db, serde, row),
  ])
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
 * Without the questions of tasks that have gone on: while others of its step still wait, a task that was answered keeps its
 * interrupt beside what it wrote, and the runtime would tell it as open.
 */
function openOf<T extends { task_id: string; channel: string }>(writes: readonly T[]): T[] {
  const done = new Set(writes.filter(({ channel }) => !(channel in WRITES_IDX_MAP)).map(({ task_id }) => task_id))
  return writes.filter(({ task_id, channel }) => channel !== INTERRUPT || !done.has(task_id))
}

/** Before version 4 of the format, what is sent to nodes stood beside the parent; undefined where there is nothing. */
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
  seen: Seen,
): Promise<[string, Stored][]> {
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
  const mine: Seen = new Map()
  for (const [channel, version] of versions) {
    const key = keyOf(channel, version)
    const stored = found.get(key) ?? seen.get(key)
    if (stored) mine.set(key, stored)
  }
  // Only the last checkpoint's are kept: a history may be larger than the memory.
  seen.clear()
  for (const [key, stored] of mine) seen.set(key, stored)
  return versions.flatMap(([channel, version]): [string, Stored][] => {
    const stored = mine.get(keyOf(channel, version))
    return stored && stored.type !== 'empty' ? [[channel, stored]] : []
  })
}
