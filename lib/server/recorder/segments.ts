import 'server-only'
import { and, eq, gt, sql } from 'drizzle-orm'
import type { RecordingOutcome } from '@/lib/stream/log'
import { intArray, textArray, uuidArray } from '../process/binary-arrays'
import { db, isPooled } from '../process/db'
import { CHANNEL } from './instances/wake'
import type { Chunk } from './log/chunk'
import { markGaps } from './log/gaps'
import { type Moved, readMoved } from './packed/move'
import { recordings, segments } from './schema'
import type { RecordingRow } from './store'

export type SegmentRow = { recording: string; chunk: Chunk; lastEventId: string | null }

/** Recordings named in one notice: PostgreSQL takes 8,000 bytes. */
const MAX_NOTIFIED = 150
/** Segments of one recording in one read of news. */
const NEWS_SEGMENTS = 64
/** Of a segment's text, wherever it is. */
const BODY_BYTES = sql.raw('coalesce(size, octet_length(body))')

const COLUMNS = 'recording, first_seq, last_seq, body, last_event_id'
/**
 * One statement for any number of rows, prepared once per connection. `is true` makes a hash of the owned recordings: as a
 * join, planned without knowing how many there are, it would compare each row with each of them.
 */
const insertOf = (isTold: boolean) => `
  with owned as (
    select id from console.recordings where id = any($3::uuid[]) and owner = $1::int
    order by id for key share -- in one order everywhere, or two of these wait for each other
  ),
  told as (select ${isTold ? `count(pg_notify('${CHANNEL}', note)) from unnest($2::text[]) as note` : '$2::text[]'}),
  written as (
    insert into console.segments_live (${COLUMNS})
    select batch.* from unnest($3::uuid[], $4::int[], $5::int[], $6::text[], $7::text[]) as batch (${COLUMNS}), told
    where (batch.recording in (select id from owned)) is true
  )
  select distinct id from unnest($3::uuid[]) as id where (id in (select id from owned)) is not true`

/**
 * Stores segments of several recordings and, if `isTold`, notifies the other instances. Returns the recordings it still
 * owns: the row lock orders the insert and a take-over.
 */
export async function writeSegments(
  rows: readonly SegmentRow[],
  instance: number,
  isTold: boolean,
): Promise<Set<string>> {
  const ids = [...new Set(rows.map(({ recording }) => recording))]
  const notes = Array.from({ length: Math.ceil(ids.length / MAX_NOTIFIED) }, (_, index) => {
    const some = ids.slice(index * MAX_NOTIFIED, (index + 1) * MAX_NOTIFIED)
    return `${instance}:${some.join(',')}`
  })
  const { rows: lost } = await (await db()).$client.query<{ id: string }>({
    ...(!isPooled() && { name: `segments-${isTold}` }),
    text: insertOf(isTold),
    values: [
      instance,
      notes,
      uuidArray(rows.map(({ recording }) => recording)),
      intArray(rows.map(({ chunk }) => chunk.first)),
      intArray(rows.map(({ chunk }) => chunk.last)),
      textArray(rows.map(({ chunk }) => chunk.bytes)),
      textArray(rows.map(({ lastEventId }) => lastEventId)),
    ],
  })
  const owned = new Set(ids)
  for (const { id } of lost) owned.delete(id)
  return owned
}

/** Last stored entry of each recording that the instance still owns; 0 if there is none. */
export async function storedLast(ids: readonly string[], instance: number): Promise<Map<string, number>> {
  const { rows } = await (await db()).execute<{ id: string; last: number }>(sql`
    select id, coalesce((select max(last_seq) from ${segments} where recording = id), 0) as last
    from ${recordings} where id = any(${sql.param([...ids])}::uuid[]) and owner = ${instance}`)
  return new Map(rows.map(({ id, last }) => [id, last]))
}

/**
 * Segments with entries after `cursor`, in order, about `maxBytes` of them but at least one. Missing entries become
 * gaps.
 */
export async function readSegments(id: string, cursor: number, maxBytes: number): Promise<Chunk[]> {
  const { rows } = await (await db()).execute<
    Partial<Moved> & {
      first: number | null
      last: number
      body: string
      entries: number | null
      outcome: RecordingOutcome
      ended: number
      object: string | null
    }
  >(sql`
    select found.first_seq as first, found.last_seq as last, found.body, one.outcome,
      one.object, found.object_at::float8 as at, found.object_length as length,
      case when one.phase = 'ended' then one.entries end as entries, extract(epoch from one.ended_at) * 1000 as ended
    from ${recordings} as one left join (
      select *, sum(${BODY_BYTES}) over (order by first_seq) - ${BODY_BYTES} as before
      from ${segments} where recording = ${id} and last_seq > ${cursor}
    ) as found on found.before < ${maxBytes} where one.id = ${id} order by found.first_seq`)
  const moved = rows.filter((row): row is (typeof rows)[number] & Moved => typeof row.at === 'number')
  const texts = moved[0]?.object ? await readMoved(moved[0].object, moved) : []
  const chunks = rows.flatMap((row) =>
    row.first === null
      ? []
      : [{ first: row.first, last: row.last, bytes: texts[moved.indexOf(row as never)] ?? Buffer.from(row.body) }],
  )
  const size = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const [row] = rows
  const isAtEnd = size < maxBytes && row && row.entries !== null
  const end = isAtEnd ? { last: row.entries ?? 0, outcome: row.outcome, at: Math.round(row.ended) } : undefined
  return markGaps(chunks, cursor, end)
}

export type News = { phase: RecordingRow['phase']; epoch: number; chunks: Chunk[]; isAll: boolean }

/**
 * What other instances have stored after these entries, by recording, in one statement: a viewer's process may follow
 * hundreds, each of them thirty times a second. An ended recording comes without chunks; a missing one is left out.
 */
export async function readNews(logs: readonly { id: string; last: number }[]): Promise<Map<string, News>> {
  const { rows } = await (await db()).$client.query<
    { id: string; phase: News['phase']; epoch: number } & (
      | { first: number; last: number; body: string }
      | { first: null; last: null; body: null }
    )
  >({
    ...(!isPooled() && { name: 'news' }),
    text: `
      select one.id, one.phase, json_array_length(one.cuts) as epoch,
        found.first_seq as first, found.last_seq as last, found.body
      from unnest($1::uuid[], $2::int[]) as held (id, last)
      join console.recordings as one on one.id = held.id
      left join lateral (
        select first_seq, last_seq, body from console.segments_live
        where recording = held.id and first_seq > held.last order by first_seq limit ${NEWS_SEGMENTS}
      ) as found on one.phase <> 'ended'
      order by held.id, found.first_seq`,
    values: [logs.map(({ id }) => id), logs.map(({ last }) => last)],
  })
  const news = new Map<string, News>()
  for (const { id, phase, epoch, first, last, body } of rows) {
    const one = news.get(id) ?? { phase, epoch, chunks: [], isAll: true }
    news.set(id, one)
    if (first !== null) one.chunks.push({ first, last, bytes: Buffer.from(body) })
    one.isAll = one.chunks.length < NEWS_SEGMENTS
  }
  return news
}

export type StoredEnd = {
  last: number
  bytes: number
  lastEventId: string
  /** The last entry before the first gap in the store; undefined if there is none. */
  beforeGap?: number | undefined
}

/** Where the stored log ends; for an ended recording, where it is known to have ended. */
export async function storedEnd(id: string): Promise<StoredEnd> {
  type Row = { last: number | null; bytes: string | null; event: string | null; gap: number | null }
  const { rows } = await (await db()).execute<Row>(sql`
    select sum(${BODY_BYTES}) as bytes, min(before) filter (where first_seq > before + 1) as gap,
      greatest(max(last_seq), (select entries from ${recordings} where id = ${id} and phase = 'ended')) as last,
      (select last_event_id from ${segments} where recording = ${id} order by first_seq desc limit 1) as event
    from (
      select *, lag(last_seq, 1, 0) over (order by first_seq) as before from ${segments} where recording = ${id}
    ) as one`)
  const [end] = rows
  return {
    ...{ last: end?.last ?? 0, bytes: Number(end?.bytes ?? 0), lastEventId: end?.event ?? '' },
    beforeGap: end?.gap ?? undefined,
  }
}

/** Deletes what is stored after entry `last`. */
export async function truncateSegments(id: string, last: number): Promise<void> {
  await (await db()).delete(segments).where(and(eq(segments.recording, id), gt(segments.firstSeq, last)))
}
