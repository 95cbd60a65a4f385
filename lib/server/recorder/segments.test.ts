import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { decodeChunk } from './log/chunk'
import { recordings } from './schema'
import {
  readNews,
  readSegments,
  type SegmentRow,
  storedEnd,
  storedLast,
  truncateSegments,
  writeSegments,
} from './segments'
import { insertRow } from './testing'

const INSTANCE = 7
let console_: TestConsole
beforeAll(async () => {
  console_ = await testConsole()
})
afterEach(() => console_.set({}))
afterAll(() => console_.close())

const recording = (more: Parameters<typeof insertRow>[0] = {}) => insertRow({ owner: INSTANCE, ...more })
function rowOf(id: string, first: number, last = first, lastEventId: string | null = null): SegmentRow {
  const entries = Array.from({ length: last - first + 1 }, (_, at) => ({
    ...{ at: 1, kind: 'event' as const, event: 'custom', data: `${first + at}` },
  }))
  return { recording: id, chunk: { first, last, bytes: Buffer.from(encodeEntries(first, entries)) }, lastEventId }
}
const write = (...rows: SegmentRow[]) => writeSegments(rows, INSTANCE, false)
const entriesOf = async (id: string, cursor = 0, most = 1e9) =>
  (await readSegments(id, cursor, most)).flatMap(decodeChunk)
const told = async (id: string, cursor = 0, most = 1e9) =>
  (await entriesOf(id, cursor, most)).map(({ seq, kind }) => `${seq} ${kind}`)

test('only what this instance owns is stored, and it is told what that was', async () => {
  const [own, others] = [await recording(), await recording({ owner: 8 })]
  const written = await write(rowOf(own, 1), rowOf(others, 1), rowOf(own, 2, 3))
  expect(written).toEqual(new Set([own]))
  expect([await told(own), await told(others)]).toEqual([['1 event', '2 event', '3 event'], []])
  const [empty, missing] = [await recording(), randomUUID()]
  expect(await storedLast([own, empty, others, missing], INSTANCE)).toEqual(
    new Map([
      [own, 3],
      [empty, 0],
    ]),
  )
})

describe('a page of a recording', () => {
  test('begins with the segment of the next entry, and is at least one', async () => {
    const id = await recording()
    await write(rowOf(id, 1, 2), rowOf(id, 3, 4), rowOf(id, 5, 6))
    expect(await told(id, 3, 1)).toEqual(['3 event', '4 event'])
    expect(await told(id, 0, rowOf(id, 1, 2).chunk.bytes.length + 1)).toHaveLength(4)
    expect([await told(id, 6), await told(randomUUID())]).toEqual([[], []])
  })

  test('that is not the last one of an ended recording does not end it', async () => {
    const endedAt = new Date(1_767_225_600_500)
    const id = await recording({ phase: 'ended', outcome: 'error', entries: 6, endedAt })
    await write(rowOf(id, 1, 2), rowOf(id, 3, 4))
    expect(await told(id, 0, 1)).toEqual(['1 event', '2 event'])
    // Exactly full: there may be more.
    const { length } = rowOf(id, 1, 2).chunk.bytes
    expect(await told(id, 2, length)).toEqual(['3 event', '4 event'])
    expect((await entriesOf(id, 2, length + 1)).slice(2)).toMatchObject([
      { seq: 5, kind: 'gap' },
      { seq: 6, kind: 'final', outcome: 'error', at: endedAt.getTime() },
    ])
    expect(await told(id, 6)).toEqual([])
  })

  test('of one in progress says nothing about its end, whatever its row has', async () => {
    const id = await recording({ entries: 9 })
    await write(rowOf(id, 1))
    expect(await told(id)).toEqual(['1 event'])
  })
})

test('the end of what is stored is its last entry, its size and the event after which a replay goes on', async () => {
  const id = await recording({ entries: 9 })
  expect(await storedEnd(id)).toEqual({ last: 0, bytes: 0, lastEventId: '' })
  const rows = [rowOf(id, 1, 2, '11'), rowOf(id, 3, 3, '12')]
  await write(...rows)
  const bytes = rows.reduce((sum, { chunk }) => sum + chunk.bytes.length, 0)
  expect(await storedEnd(id)).toEqual({ last: 3, bytes, lastEventId: '12' })
  // Of an ended recording more is known than the store may still have.
  await (await db()).update(recordings).set({ phase: 'ended' }).where(eq(recordings.id, id))
  expect(await storedEnd(id)).toEqual({ last: 9, bytes, lastEventId: '12' })
})

test('what comes after an entry is removed, of this recording only, and the first gap is found', async () => {
  const [id, other] = [await recording(), await recording()]
  await write(...[1, 2, 4, 6].map((first) => rowOf(id, first)), rowOf(other, 1), rowOf(other, 2))
  expect([(await storedEnd(id)).beforeGap, (await storedEnd(other)).beforeGap]).toEqual([2, undefined])
  await truncateSegments(id, 2)
  expect(await told(id)).toEqual(['1 event', '2 event'])
  expect([(await storedEnd(id)).beforeGap, await told(other)]).toEqual([undefined, ['1 event', '2 event']])
})

test('a log whose beginning is lost has its gap there', async () => {
  const id = await recording()
  await write(rowOf(id, 2))
  expect((await storedEnd(id)).beforeGap).toBe(0)
})

test('behind a pooler no statement is prepared, and without one inserts of any size share one', async () => {
  const [id, ended] = [await recording(), await recording({ phase: 'ended' })]
  const query = vi.spyOn((await db()).$client, 'query')
  const namesOf = async (work: () => Promise<unknown>) => {
    query.mockClear()
    await work()
    return query.mock.calls.map(([asked]) => (asked as { name?: string }).name)
  }
  let next = 1
  const rows = (count: number) => Array.from({ length: count }, () => rowOf(id, next++))
  const writing = (count: number, isTold: boolean) =>
    namesOf(async () => expect(await writeSegments(rows(count), INSTANCE, isTold)).toEqual(new Set([id])))
  const reading = () => namesOf(async () => expect((await readNews([{ id, last: 0 }])).size).toBe(1))
  const asked = async () => [
    await writing(1, false),
    await writing(3, true),
    await writing(400, false),
    await reading(),
  ]
  expect(await asked()).toEqual([['segments-false'], ['segments-true'], ['segments-false'], ['news']])
  console_.set({ DATABASE_DIRECT_URL: `${console_.databaseUrl}?application_name=direct` })
  expect(await asked()).toEqual([[undefined], [undefined], [undefined], [undefined]])
  query.mockRestore()
  expect((await entriesOf(id)).map(({ seq }) => seq)).toEqual(Array.from({ length: next - 1 }, (_, at) => at + 1))
  expect((await readNews([{ id: ended, last: 0 }])).get(ended)).toMatchObject({ phase: 'ended', chunks: [] })
})

test('news tell how often crashes cut a log off', async () => {
  const id = await recording({ cuts: [3, 5] })
  await write(rowOf(id, 6))
  expect(await readNews([{ id, last: 5 }])).toEqual(
    new Map([[id, { phase: 'live', epoch: 2, chunks: [rowOf(id, 6).chunk], isAll: true }]]),
  )
  await (await db()).execute(sql`delete from console.recordings where id = ${id}`)
  expect((await readNews([{ id, last: 5 }])).size).toBe(0)
})
