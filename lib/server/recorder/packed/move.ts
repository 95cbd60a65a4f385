import 'server-only'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import { AppError } from '@/lib/errors'
import { systemActor } from '../../access/actor'
import { recordIntent, recordOutcome } from '../../audit/trail'
import { db } from '../../process/db'
import { env } from '../../process/env'
import { type Lease, whileLeased } from '../../process/lease'
import { log } from '../../process/log'
import { newRequestId } from '../../process/result'
import { type ObjectStore, objectStore, toldBy } from './objects'

const compress = promisify(gzip)
const decompress = promisify(gunzip)
/** Recordings that one look moves at most. */
const PORTION = 500
/** An upload that takes longer is given up, and its object removed. */
const UPLOAD = sql`interval '1 hour'`

type Block = { first: number; body: string }
/** Where a block is in its recording's object. */
export type Moved = { at: number; length: number }

/**
 * Moves recordings to object storage, if there is one, when their runs ended some days ago. One instance at a time does;
 * the others return at once. Returns how many.
 */
export async function moveOld(): Promise<number> {
  const objects = await objectStore()
  if (!objects) return 0
  return (await whileLeased('move', (lease) => moveAll(objects, lease))) ?? 0
}

async function moveAll(objects: ObjectStore, lease: Lease): Promise<number> {
  const { rows } = await (await db()).execute<{ id: string; workspace: string }>(sql`
    select id, workspace from console.recordings where phase = 'ended' and object is null
      and ended_at < now() - make_interval(days => ${env().S3_AFTER_DAYS}::int)
      and exists (select from console.segments where recording = id and packed_on < 'infinity')
      and not exists (select from console.segments_live where recording = id)
    order by ended_at limit ${PORTION}`)
  const ids = new Map<string, string[]>()
  for (const { id, workspace } of rows) ids.set(workspace, [...(ids.get(workspace) ?? []), id])
  let moved = 0
  for (const [workspace, own] of ids) {
    const done = await moveOf(objects, workspace, own, lease)
    moved += done.moved
    if (done.failure) break // the others would fail alike; the next look tries again
  }
  if (moved > 0) log.info('recorder.moved', { recordings: moved })
  return moved
}

/** Moves recordings of one workspace, and says so in the audit trail: nothing moves that cannot be recorded there. */
async function moveOf(objects: ObjectStore, workspace: string, ids: readonly string[], lease: Lease) {
  const intent = await recordIntent({
    actor: systemActor('recorder'),
    role: null,
    workspace,
    operation: consoleRecords.moveRecordings.id,
    params: { recordings: String(ids.length), bucket: String(env().S3_BUCKET) },
    fields: [],
    requestId: newRequestId(),
  })
  let moved = 0
  let failure: string | undefined
  for (const id of ids) {
    if (!(await lease.confirm())) failure = 'another instance goes on'
    if (failure) break
    try {
      if (await move(objects, id, `${env().S3_PREFIX}${workspace}/${id}/${randomUUID()}.gz`)) moved += 1
    } catch (error) {
      const told = toldBy(error)
      log.warn('recorder.not_moved', { recording: id, ...told })
      failure = told.reason
    }
  }
  const outcome = failure ? `${moved} of ${ids.length} moved: ${failure}` : 'done'
  await recordOutcome({ intent, status: failure ? 502 : 200, outcome })
  return { moved, failure }
}

/** The blocks become one object, each compressed by itself, so that a page of a recording is one range of it. */
async function move(objects: ObjectStore, id: string, key: string): Promise<boolean> {
  const store = await db()
  const { rows: blocks } = await store.execute<Block>(
    sql`select first_seq as first, body from console.segments where recording = ${id} order by first_seq`,
  )
  const parts: Buffer[] = []
  const places: (Moved & { first: number })[] = []
  let at = 0
  for (const { first, body } of blocks) {
    const part = await compress(body)
    parts.push(part)
    places.push({ first, at, length: part.length })
    at += part.length
  }
  // Noted first: whatever happens next, an object that no recording has is removed.
  await store.execute(sql`insert into console.unused_objects (key, due_at) values (${key}, now() + ${UPLOAD})`)
  await objects.put(key, Buffer.concat(parts))
  return await store.transaction(async (one) => {
    const { rowCount } = await one.execute(sql`
      with noted as (delete from console.unused_objects where key = ${key} and due_at > now() and exists (
        select from console.recordings where id = ${id} and object is null and phase = 'ended' for update) returning key)
      update console.recordings set object = ${key} where id = ${id} and object is null and exists (select from noted)`)
    if (rowCount !== 1) return false // another instance was first, or it was deleted
    for (const { first, at: start, length } of places)
      await one.execute(sql`
        update console.segments set packed_on = 'infinity', size = octet_length(body), body = '', object_at = ${start}::bigint,
          object_length = ${length}::int where recording = ${id} and first_seq = ${first}`)
    return true
  })
}

/** Removes the objects of deleted recordings, and those whose upload was cut off. Returns how many. */
export async function removeUnused(): Promise<number> {
  const objects = await objectStore()
  if (!objects) return 0
  const store = await db()
  const { rows } = await store.execute<{ key: string }>(
    sql`select key from console.unused_objects where due_at < now() order by due_at limit ${PORTION}`,
  )
  let removed = 0
  for (const { key } of rows) {
    try {
      await objects.remove(key)
    } catch (error) {
      log.warn('recorder.object_not_removed', { key, ...toldBy(error) })
      break
    }
    await store.execute(sql`delete from console.unused_objects where key = ${key}`)
    removed += 1
  }
  return removed
}

/** The texts of consecutive blocks of an object, with one request. */
export async function readMoved(key: string, blocks: readonly Moved[]): Promise<Buffer[]> {
  const objects = await objectStore()
  if (!objects)
    throw new AppError('upstream_failed', 'This recording was moved to object storage, which is no longer set up.')
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return []
  const bytes = await objects.read(key, first.at, last.at + last.length - first.at)
  return await Promise.all(
    blocks.map(({ at, length }) => decompress(bytes.subarray(at - first.at, at - first.at + length))),
  )
}
