import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '../process/db'
import { log } from '../process/log'
import { metrics } from '../process/metrics'
import { type TestConsole, testConsole } from '../testing'
import { CHANNEL, WakeLine } from './instances/wake'
import { segments } from './schema'
import { insertRow } from './testing'
import { Writer } from './writer'

const INSTANCE = 41
let console_: TestConsole
beforeAll(async () => {
  console_ = await testConsole()
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => console_.close())

function writing(hasOthers = false) {
  const stored: [string, number][] = []
  const lost: [string, string][] = []
  const one = new Writer(INSTANCE, {
    onStored: (id, last) => stored.push([id, last]),
    onLost: (id, reason) => lost.push([id, reason]),
    hasOthers: () => hasOthers,
  })
  const add = (recording: string, first: number, length = 10, last = first) =>
    one.add({ recording, chunk: { first, last, bytes: Buffer.alloc(length, 'x') }, lastEventId: `e${last}` })
  return { one, add, stored, lost }
}
const recording = () => insertRow({ owner: INSTANCE })
const rowsOf = async (id: string) =>
  (await (await db()).select().from(segments).where(eq(segments.recording, id)).orderBy(segments.firstSeq)).map(
    ({ firstSeq, lastSeq, body, lastEventId }) => [firstSeq, lastSeq, body.length, lastEventId],
  )
/** Row counts of the inserts so far. */
async function inserts() {
  const query = vi.spyOn((await db()).$client, 'query')
  return () =>
    query.mock.calls.flatMap(([asked]) => {
      const { text, values } = asked as { text?: string; values?: unknown[] }
      if (!text?.includes('insert into console.segments_live')) return []
      const [, , ids] = values as [number, string[], Buffer]
      return [ids.readInt32BE(12)] // the length of PostgreSQL's binary array
    })
}

test('what several recordings add at once is one insert, with one row for the small chunks of each', async () => {
  const [a, b] = [await recording(), await recording()]
  const { one, add, stored } = writing()
  const count = await inserts()
  for (const first of [1, 2, 3]) {
    add(a, first)
    add(b, first * 2 - 1, 10, first * 2)
  }
  expect([one.waitingBytes, one.lagMs >= 0]).toEqual([60, true])
  await Promise.all([one.flushed(a), one.flushed(b)])
  expect(count()).toEqual([2])
  expect([await rowsOf(a), await rowsOf(b)]).toEqual([[[1, 3, 32, 'e3']], [[1, 6, 32, 'e6']]])
  expect(stored).toEqual([
    [a, 3],
    [b, 6],
  ])
  expect([one.waitingBytes, one.lagMs]).toEqual([0, 0])
})

test('chunks are joined up to 64 kB, and larger ones are stored as they are', async () => {
  const id = await recording()
  const { one, add } = writing()
  const kilobytes = [32, 32, 1, 100, 20, 20, 30]
  for (const [at, size] of kilobytes.entries()) add(id, at + 1, size * 1024)
  await one.flushed(id)
  expect((await rowsOf(id)).map(([first, last]) => [first, last])).toEqual([
    ...[
      [1, 2],
      [3, 3],
      [4, 4],
      [5, 6],
      [7, 7],
    ],
  ])
})

test('one insert has four megabytes at most, or one chunk that is larger', async () => {
  const id = await recording()
  const { one, add } = writing()
  const count = await inserts()
  const megabyte = 1024 * 1024
  for (let first = 1; first <= 5; first++) add(id, first, megabyte)
  add(id, 6, 5 * megabyte)
  expect(one.waitingBytes).toBe(10 * megabyte)
  await one.flushed(id)
  expect(count()).toEqual([4, 1, 1])
  expect((await rowsOf(id)).map(([first]) => first)).toEqual([1, 2, 3, 4, 5, 6])
})

test('nothing to wait for is no wait, also beside what others wait for', async () => {
  const [id, other] = [await recording(), await recording()]
  const { one, add } = writing()
  await one.flushed(id)
  add(other, 1)
  let isDone = false
  void one.flushed(other).then(() => {
    isDone = true
  })
  await one.flushed(id)
  expect(isDone).toBe(false)
  await one.flushed(other)
})

test('a clock that is set back holds up no write', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const id = await recording()
    const { one, add } = writing()
    add(id, 1)
    await one.flushed(id)
    vi.setSystemTime(Date.now() - 3_600_000)
    add(id, 2)
    await expect.poll(() => rowsOf(id)).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

test('the age of the oldest chunk is known', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const id = await recording()
    const { one, add } = writing()
    add(id, 1)
    vi.advanceTimersByTime(700)
    add(id, 2)
    vi.advanceTimersByTime(50)
    expect(one.lagMs).toBe(750)
    const stored = vi.spyOn(metrics().storeSeconds, 'observe')
    await one.flushed(id)
    expect(stored.mock.calls).toEqual([[0.75]])
  } finally {
    vi.useRealTimers()
  }
})

test('of several recordings whose text the store refuses, each is given up, and the others are stored', async () => {
  const ids = [await recording(), await recording(), await recording(), await recording()] as const
  const { one, add, lost, stored } = writing()
  for (const id of ids) add(id, 1)
  for (const id of [ids[1], ids[2]])
    one.add({ recording: id, chunk: { first: 2, last: 2, bytes: Buffer.from('a\0b') }, lastEventId: null })
  for (const id of ids) add(id, 3)
  await Promise.all(ids.map((id) => one.flushed(id)))
  expect(lost.map(([id]) => id)).toEqual([ids[1], ids[2]])
  expect(lost[0]?.[1]).toContain('refused')
  const error = expect.any(Error)
  for (const recording of [ids[1], ids[2]])
    expect(log.error).toHaveBeenCalledWith('recorder.segment_refused', { recording, first: 2, error })
  const lasts = await Promise.all(ids.map(async (id) => (await rowsOf(id)).at(-1)?.[1]))
  expect([lasts[0], lasts[3]]).toEqual([3, 3])
  expect(stored.filter(([id, last]) => id === ids[1] && last > 1)).toEqual([])
  // What comes later is not stored either, and nobody waits for it.
  add(ids[1], 4)
  expect(one.waitingBytes).toBe(0)
  await one.flushed(ids[1])
  expect(lost).toHaveLength(2)
})

test('a recording that another instance has is given up, and those written with it are stored', async () => {
  const [own, others] = [await recording(), await insertRow({ owner: INSTANCE + 1 })]
  const { one, add, lost, stored } = writing()
  for (const id of [others, own, others]) add(id, 1, 70_000)
  await Promise.all([one.flushed(own), one.flushed(others)])
  expect([new Set(lost.map(([id]) => id)), stored]).toEqual([new Set([others]), [[own, 1]]])
  expect(lost[0]?.[1]).toContain('taken')
  expect(one.waitingBytes).toBe(0)
})

test.each([true, false])('other instances are told only if there are any: %s', async (hasOthers) => {
  const id = await recording()
  const heard: unknown[] = []
  const line = new WakeLine(9, (ids) => heard.push(ids))
  await line.open()
  const { one, add } = writing(hasOthers)
  add(id, 1)
  await one.flushed(id)
  await (await db()).execute(sql`select pg_notify(${CHANNEL}, '0:end')`)
  await vi.waitFor(() => expect(heard).toContainEqual(['end']))
  expect(heard).toEqual(hasOthers ? ['all', [id], ['end']] : ['all', ['end']])
  await line.close()
})
