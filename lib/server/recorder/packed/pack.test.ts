import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { db } from '../../process/db'
import { type TestConsole, testConsole } from '../../testing'
import { decodeChunk } from '../log/chunk'
import { deleteExpired, readUsage } from '../retention'
import { readSegments, storedEnd, writeSegments } from '../segments'
import { findRecording, insertRecording, renewLeases } from '../store'
import { packForgotten, packLive, packSegments } from './pack'
import { weekOf } from './weeks'

const INSTANCE = 7
const DAY_MS = 86_400_000
let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(() => home.close())

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

/** A recording of `count` events in as many segments, which ended so many days ago. */
async function recording(count: number, endedDaysAgo: number | null, workspace = 'tests'): Promise<string> {
  const id = randomUUID()
  await insertRecording({
    ...{ id, workspace, deployment: 'one', assistant: 'agent', startedBy: 'ada@example.com', request: '{}' },
    ...{ isStateless: false, isResumable: true, owner: INSTANCE },
  })
  const rows = Array.from({ length: count }, (_, index) => {
    const data = JSON.stringify({ token: `word ${index}`, metadata: { node: 'model', step: 1, owner: 'somebody' } })
    const entry = { at: 1, kind: 'event' as const, event: 'messages', data }
    const chunk = { first: index + 1, last: index + 1, bytes: Buffer.from(encodeEntries(index + 1, [entry])) }
    return { recording: id, chunk, lastEventId: String(index) }
  })
  for (let at = 0; at < rows.length; at += 128) await writeSegments(rows.slice(at, at + 128), INSTANCE, false)
  if (endedDaysAgo !== null) {
    const at = daysAgo(endedDaysAgo)
    await (await db()).execute(sql`update console.recordings set phase = 'ended', outcome = 'success',
      entries = ${count}, ended_at = ${at.toISOString()}, lease_until = ${at.toISOString()} where id = ${id}`)
  }
  return id
}
const read = async (id: string) => (await readSegments(id, 0, Number.MAX_SAFE_INTEGER)).flatMap(decodeChunk)
const rowsOf = async (id: string) =>
  (
    await (
      await db()
    ).execute<{ at: string; raw: number; stored: number; week: string | null }>(sql`
      select tableoid::regclass::text as at, packed_on::text as week, octet_length(body) as raw,
        pg_column_size(body) as stored from console.segments where recording = ${id} order by first_seq`)
  ).rows
const weeks = async () =>
  (
    await (
      await db()
    ).execute<{ week: string }>(
      sql`select right(relid::text, 8) as week from pg_partition_tree('console.segments') where isleaf order by 1`,
    )
  ).rows.map(({ week }) => week)

test('a packed recording is a few compressed blocks of this week, and reads as before', async () => {
  const id = await recording(1000, 0)
  const before = { entries: await read(id), end: await storedEnd(id) }
  expect(await rowsOf(id)).toHaveLength(1000)
  await packSegments(id)
  const [block, ...others] = await rowsOf(id)
  expect(others).toEqual([])
  expect(block?.week).toBe(weekOf(new Date()))
  expect(block?.stored).toBeLessThan((block?.raw ?? 0) / 3)
  expect({ entries: await read(id), end: { ...(await storedEnd(id)), bytes: before.end.bytes } }).toEqual(before)
  expect((await read(id)).slice(500)).toEqual((await readSegments(id, 500, 1)).flatMap(decodeChunk).slice(500))
  await packSegments(id)
  expect(await rowsOf(id)).toEqual([block])
})

test('of a recording in progress all rows but the newest are packed, each time that there is a block more of them', async () => {
  const id = await recording(1000, null)
  const [entries, end] = [await read(id), await storedEnd(id)]
  const held = { id, totalBytes: 48 * 1024 - 1, packedBytes: 0 }
  await packLive([held])
  expect(await rowsOf(id)).toHaveLength(1000)
  held.totalBytes += 1
  await packLive([held])
  const rows = await rowsOf(id)
  expect(rows.map(({ at }) => at.replace(/_\d+$/, ''))).toEqual(['console.segments', 'console.segments_live'])
  expect(await read(id)).toEqual(entries)
  expect(await storedEnd(id)).toMatchObject({ last: end.last, lastEventId: end.lastEventId, beforeGap: undefined })
  await packLive([held])
  expect(await rowsOf(id)).toEqual(rows)
  await packSegments(id)
  expect((await rowsOf(id)).map(({ week }) => week)).toEqual([weekOf(new Date()), weekOf(new Date())])
  expect(await read(id)).toEqual(entries)
})

test('a recording in progress that cannot be packed does not keep the others from it, and is tried again', async () => {
  const id = await recording(3, null)
  const full = { totalBytes: 48 * 1024, packedBytes: 0 }
  const [bad, good] = [
    { id: 'not-a-uuid', ...full },
    { id, ...full },
  ]
  await packLive([bad, good])
  expect((await rowsOf(id)).map(({ week }) => week)).toEqual([weekOf(new Date()), null])
  expect([bad.packedBytes, good.packedBytes]).toEqual([0, 48 * 1024])
})

test('a recording with blocks in two weeks is kept whole until it expires, and goes with both', async () => {
  const id = await recording(3, 60, 'two weeks')
  await (await db()).execute(sql`insert into console.retention (workspace, days) values ('two weeks', 90)`)
  await packLive([{ id, totalBytes: 48 * 1024, packedBytes: 0 }], { at: daysAgo(67) })
  await packSegments(id, daysAgo(60))
  const packedIn = (await rowsOf(id)).map(({ week }) => week)
  expect(packedIn).toEqual([weekOf(daysAgo(67)), weekOf(daysAgo(60))])
  expect(await deleteExpired()).toBe(0)
  expect(await read(id)).toHaveLength(3)
  await (await db()).execute(sql`update console.retention set days = 59 where workspace = 'two weeks'`)
  expect(await deleteExpired()).toBe(1)
  expect(await rowsOf(id)).toEqual([])
  expect((await weeks()).filter((week) => packedIn.some((one) => one?.replaceAll('-', '') === week))).toEqual([])
})

test('what is written after packing follows the blocks, and its gap is found', async () => {
  const id = await recording(3, null)
  await packSegments(id)
  const entry = { at: 1, kind: 'event' as const, event: 'custom', data: '5' }
  const chunk = { first: 5, last: 5, bytes: Buffer.from(encodeEntries(5, [entry])) }
  await writeSegments([{ recording: id, chunk, lastEventId: '9' }], INSTANCE, false)
  expect((await read(id)).map(({ seq, kind }) => `${seq} ${kind}`)).toEqual([
    ...['1 event', '2 event', '3 event', '4 gap', '5 event'],
  ])
  expect((await storedEnd(id)).beforeGap).toBe(3)
  expect(await storedEnd(id)).toMatchObject({ last: 5, lastEventId: '9' })
})

test('retention drops a week with its recordings once all have expired, and not before', async () => {
  const [first, second] = [await recording(2, 60), await recording(2, 60, 'long')]
  await (await db()).execute(sql`insert into console.retention (workspace, days) values ('long', 90)`)
  for (const id of [first, second]) await packSegments(id, daysAgo(60))
  const week = weekOf(daysAgo(60)).replaceAll('-', '')
  expect(await weeks()).toContain(week)
  expect(await deleteExpired()).toBe(1)
  expect(await rowsOf(first)).toEqual([])
  expect(await read(second)).toHaveLength(2)
  expect(await weeks()).toContain(week)
  await (await db()).execute(sql`update console.retention set days = 30 where workspace = 'long'`)
  expect(await deleteExpired()).toBe(1)
  expect(await findRecording(second)).toBeUndefined()
  expect(await weeks()).not.toContain(week)
})

test('blocks that another version left behind when it deleted their recording go too', async () => {
  const id = await recording(2, 1)
  await packSegments(id)
  await (await db()).execute(sql`delete from console.recordings where id = ${id}`)
  expect(await rowsOf(id)).toHaveLength(1)
  await deleteExpired()
  expect(await rowsOf(id)).toEqual([])
})

test('recordings that nobody packed when they ended are packed later, and none in progress', async () => {
  const [forgotten, recent, live] = [await recording(3, 2), await recording(3, 0), await recording(3, null)]
  expect(await packForgotten()).toBe(1)
  expect(await rowsOf(forgotten)).toHaveLength(1)
  for (const id of [recent, live]) expect(await rowsOf(id)).toHaveLength(3)
})

test('what recordings take on disk includes all weeks', async () => {
  const { tableBytes } = await readUsage('tests')
  const [sum] = (
    await (
      await db()
    ).execute<{ bytes: string }>(sql`select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c
      where c.relnamespace = 'console'::regnamespace and c.relkind = 'r' and (relname like 'segments%' or relname = 'recordings')`)
  ).rows
  expect(tableBytes).toBe(Number(sum?.bytes))
})

test('renewing leases leaves no dead index entries', async () => {
  const id = await recording(1, null)
  // While statistics are gathered, pages keep their old rows.
  await (await db()).execute(sql`alter table console.recordings set (autovacuum_enabled = off)`)
  const updates = async () => {
    const { rows } = await (await db()).execute<{ all: number; hot: number }>(sql`
      select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables
      where relid = 'console.recordings'::regclass`)
    return rows[0] as { all: number; hot: number }
  }
  const flushed = async () => {
    await (await db()).execute(sql`select pg_stat_force_next_flush()`)
    return await updates()
  }
  for (let n = 0; n < 20; n++) await renewLeases(INSTANCE, [{ id, entries: n, bytes: n, phase: 'live' }])
  await expect.poll(flushed, { timeout: 10_000 }).toMatchObject({ all: expect.any(Number) })
  const before = await flushed()
  for (let n = 0; n < 20; n++) await renewLeases(INSTANCE, [{ id, entries: n, bytes: n, phase: 'live' }])
  await expect.poll(async () => (await flushed()).all - before.all, { timeout: 10_000 }).toBeGreaterThanOrEqual(20)
  const after = await flushed()
  // A snapshot of anyone, such as statistics of another table, can fill a page once. An index on what changes would leave none.
  expect(after.hot - before.hot).toBeGreaterThanOrEqual((after.all - before.all) * 0.9)
})
