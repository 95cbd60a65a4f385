import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { decodeChunk } from './log/chunk'
import { packSegments } from './packed/pack'
import { deleteExpired } from './retention'
import { retention } from './schema'
import { readNews, readSegments, writeSegments } from './segments'
import { claimAgain, findRecording, insertRecording, renewLeases } from './store'

const INSTANCE = 7
let console_: TestConsole
beforeAll(async () => {
  console_ = await testConsole()
})
afterAll(async () => {
  await console_.close()
})

async function recording(
  phase: string,
  startedDaysAgo: number,
  endedDaysAgo: number | null,
  recordedDaysAgo = endedDaysAgo,
): Promise<string> {
  const id = randomUUID()
  await insertRecording({
    ...{ id, workspace: 'tests', deployment: 'one', assistant: 'agent', startedBy: 'ada@example.com', request: '{}' },
    ...{ isStateless: false, isResumable: true, owner: INSTANCE },
  })
  await (await db()).execute(sql`update console.recordings set phase = ${phase},
    started_at = now() - make_interval(days => ${startedDaysAgo}::int),
    ended_at = now() - make_interval(days => ${endedDaysAgo}::int),
    lease_until = now() - make_interval(days => ${recordedDaysAgo}::int) where id = ${id}`)
  return id
}
const entry = (n: number) => ({ at: 1, kind: 'event' as const, event: 'custom', data: String(n) })

test('what is recorded is stored while the leases are being renewed, and not once another instance has it', async () => {
  const id = await recording('live', 0, null)
  const row = (first: number) => ({
    recording: id,
    chunk: { first, last: first, bytes: Buffer.from(encodeEntries(first, [entry(first)])) },
    lastEventId: null,
  })
  const client = await (await db()).$client.connect()
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  try {
    await client.query('begin')
    await client.query('update console.recordings set lease_until = now() where id = $1', [id])
    expect(await writeSegments([row(1)], INSTANCE, false)).toEqual(new Set([id]))
    await client.query('commit')

    await client.query('begin')
    await client.query('select from console.recordings where id = $1 for update', [id]) // as `claimRecordings` does
    await client.query('update console.recordings set owner = 8 where id = $1', [id])
    const late = writeSegments([row(2)], INSTANCE, false)
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1)
    await client.query('commit')
    expect(await late).toEqual(new Set())
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('an instance that was interrupted keeps a recording with another lease, unless another one has it or it has ended', async () => {
  const id = await recording('live', 1, null, 1)
  expect(await claimAgain(id, INSTANCE)).toMatchObject({ id, phase: 'live', owner: INSTANCE })
  const lease = (await findRecording(id))?.leaseUntil?.getTime()
  expect(lease).toBeGreaterThan(Date.now())
  expect(await claimAgain(id, INSTANCE + 1)).toBeUndefined()
  expect(await claimAgain(await recording('ended', 1, 1), INSTANCE)).toBeUndefined()
})

test('retention counts from the end of a run: a recording in progress is kept, whatever its age', async () => {
  const kept = await Promise.all([
    recording('live', 90, null),
    recording('starting', 90, null),
    recording('reconnecting', 90, 60), // a row between two states has not ended
    recording('ended', 90, 29),
    recording('ended', 90, 60, 1), // joined after its end
  ])
  const gone = await recording('ended', 32, 31)
  await deleteExpired()
  expect(await Promise.all(kept.map(async (id) => (await findRecording(id))?.id))).toEqual(kept)
  expect(await findRecording(gone)).toBeUndefined()
})

test('a workspace has its own age and size; the oldest go first, and a live recording stays even beyond the size', async () => {
  const store = await db()
  const sized = async (workspace: string, phase: string, daysAgo: number, bytes: number) => {
    const id = await recording(phase, daysAgo, phase === 'ended' ? daysAgo : null, daysAgo)
    await store.execute(sql`update console.recordings set workspace = ${workspace}, bytes = ${bytes} where id = ${id}`)
    return id
  }
  await store.insert(retention).values([
    { workspace: 'short', days: 3 },
    { workspace: 'long', days: 400 },
    { workspace: 'small', days: 400, maxBytes: 250 },
    { workspace: 'full', days: 400, maxBytes: 50 },
  ])
  const kept = [
    await sized('short', 'ended', 2, 1),
    await sized('long', 'ended', 300, 1),
    await sized('small', 'ended', 1, 100),
    await sized('small', 'ended', 2, 100),
    await sized('full', 'live', 500, 100),
  ]
  const gone = [
    await sized('short', 'ended', 4, 1),
    await sized('small', 'ended', 3, 100),
    await sized('small', 'ended', 4, 100),
    await sized('full', 'ended', 1, 1),
  ]
  expect(await deleteExpired()).toBe(4)
  const found = async (ids: string[]) =>
    (await Promise.all(ids.map(findRecording))).flatMap((row) => (row ? [row.id] : []))
  expect(await found(kept)).toEqual(kept)
  expect(await found(gone)).toEqual([])
  expect(await deleteExpired()).toBe(0)
})

test('renewing a lease never ends a recording: only the end stored with its last entry does', async () => {
  const id = await recording('live', 1, null)
  await renewLeases(INSTANCE, [{ id, entries: 9, bytes: 90, phase: 'ended' }])
  expect(await findRecording(id)).toMatchObject({ phase: 'live', entries: 9, bytes: 90 })
  await renewLeases(INSTANCE, [{ id, entries: 9, bytes: 90, phase: 'reconnecting' }])
  expect((await findRecording(id))?.phase).toBe('reconnecting')
})

test('compaction joins neighbours, never across a gap', async () => {
  const id = await recording('ended', 1, 1)
  for (const [first, last] of [
    [1, 2],
    [3, 3],
    [6, 7],
    [8, 8],
  ] as const) {
    const entries = Array.from({ length: last - first + 1 }, (_, index) => entry(first + index))
    const chunk = { first, last, bytes: Buffer.from(encodeEntries(first, entries)) }
    await writeSegments([{ recording: id, chunk, lastEventId: null }], INSTANCE, false)
  }
  const read = async () => (await readSegments(id, 0, Number.MAX_SAFE_INTEGER)).flatMap(decodeChunk)
  const before = await read()
  expect(before.map(({ seq, kind }) => `${seq} ${kind}`)).toEqual([
    ...['1 event', '2 event', '3 event', '4 gap', '5 gap', '6 event', '7 event', '8 event'],
  ])
  await packSegments(id)
  expect(await read()).toEqual(before)
  const { rows } = await (await db()).execute(
    sql`select first_seq as first, last_seq as last from console.segments where recording = ${id} order by 1`,
  )
  expect(rows).toEqual([
    { first: 1, last: 3 },
    { first: 6, last: 8 },
  ])
})

test('news of several recordings come in one read: what was added, what ended, and whether there is more', async () => {
  const [quiet, busy, ended] = await Promise.all([
    recording('live', 1, null),
    recording('reconnecting', 1, null),
    recording('ended', 1, 1),
  ])
  const write = async (id: string, first: number) => {
    const chunk = { first, last: first, bytes: Buffer.from(encodeEntries(first, [entry(first)])) }
    await writeSegments([{ recording: id, chunk, lastEventId: null }], INSTANCE, false)
  }
  await Promise.all([quiet, ended].map((id) => write(id, 1)))
  for (let first = 1; first <= 70; first++) await write(busy, first)

  const missing = randomUUID()
  const held = [
    { id: quiet, last: 1 },
    { id: busy, last: 2 },
    { id: ended, last: 0 },
    { id: missing, last: 0 },
  ]
  const news = await readNews(held)
  expect(news.get(quiet)).toEqual({ phase: 'live', epoch: 0, chunks: [], isAll: true })
  expect(news.get(ended)).toEqual({ phase: 'ended', epoch: 0, chunks: [], isAll: true })
  expect(news.has(missing)).toBe(false)
  const found = news.get(busy)
  expect(found).toMatchObject({ phase: 'reconnecting', isAll: false })
  expect(found?.chunks.map(({ first }) => first)).toEqual(Array.from({ length: 64 }, (_, index) => index + 3))
  expect((await readNews([{ id: busy, last: 66 }])).get(busy)).toMatchObject({ isAll: true, chunks: { length: 4 } })
})
