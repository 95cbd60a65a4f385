import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { db } from '../../process/db'
import { log } from '../../process/log'
import { createWeek, isWeekMissing, weekOf } from './weeks'

const BLOCK_BYTES = 256 * 1024
/** Of a recording in progress: small rows take 1.4 to 1.8 times their text, and blocks of this size are compressed well. */
const LIVE_BYTES = 48 * 1024
/** Of the time that one of them took. */
const REST = 2
/** Recordings that one look for unpacked ones takes at most. */
const PORTION = 500

/**
 * Moves the segments of a finished recording, joined into blocks, to the week of `at`, where PostgreSQL compresses them.
 * Never joins across a gap. A repeated call does nothing.
 */
export async function packSegments(id: string, at = new Date()): Promise<void> {
  await moveTo(weekOf(at), sql`recording = ${id}`)
}

/**
 * Does the same for those of these recordings in progress that have grown by a block, so that little of a long run is in small
 * rows. The newest row stays: an instance that missed notices finds it, and the gap before it. Rests between them, because
 * what runs record is more urgent, and ends when it `isOver`. One that fails is left for the next time.
 */
export async function packLive(
  logs: readonly { id: string; totalBytes: number; packedBytes: number }[],
  { at = new Date(), isOver = (): boolean => false } = {},
): Promise<void> {
  const failed: unknown[] = []
  for (const one of logs) {
    const { id, totalBytes } = one
    if (totalBytes - one.packedBytes < LIVE_BYTES) continue
    if (isOver()) break
    const began = performance.now()
    try {
      const newest = sql`select max(first_seq) from console.segments_live where recording = ${id}`
      await moveTo(weekOf(at), sql`recording = ${id} and first_seq < (${newest})`)
      one.packedBytes = totalBytes
    } catch (error) {
      failed.push(error)
    }
    await sleep(REST * (performance.now() - began))
  }
  if (failed.length > 0) log.warn('recorder.live_not_packed', { recordings: failed.length, error: failed[0] })
}

async function moveTo(week: string, which: SQL): Promise<void> {
  try {
    await move(week, which)
  } catch (error) {
    if (!isWeekMissing(error)) throw error
    await createWeek(week)
    await move(week, which)
  }
}

const move = async (week: string, which: SQL) =>
  (await db()).execute(sql`
    with moved as (delete from console.segments_live where ${which} returning *)
    insert into console.segments (recording, first_seq, last_seq, body, last_event_id, packed_on)
    select recording, min(first_seq), max(last_seq), string_agg(body, ',' order by first_seq),
      (array_agg(last_event_id order by first_seq desc))[1], ${week}::date
    from (
      select *, sum(octet_length(body)) over seen / ${BLOCK_BYTES}::int as part,
        sum(last_seq - first_seq + 1) over seen - last_seq as hole
      from moved window seen as (order by first_seq)
    ) as sized group by recording, part, hole`)

/**
 * Packs recordings that ended an hour ago and were not packed then: of instances that died, and of versions that had no
 * weeks. Returns how many.
 */
export async function packForgotten(): Promise<number> {
  const { rows } = await (await db()).execute<{ id: string }>(sql`
    select id from console.recordings where phase = 'ended' and ended_at < now() - interval '1 hour'
      and exists (select 1 from console.segments_live where recording = recordings.id)
      and (lease_until is null or lease_until < now()) limit ${PORTION}`)
  for (const { id } of rows) await packSegments(id)
  if (rows.length > 0) log.info('recorder.packed', { recordings: rows.length })
  return rows.length
}
