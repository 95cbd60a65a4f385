import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '../../process/db'
import { type TestConsole, testConsole } from '../../testing'
import { deleteExpired } from '../retention'
import { writeSegments } from '../segments'
import { findRecording } from '../store'
import { insertRow } from '../testing'
import { packSegments } from './pack'
import { createWeek, dropExpiredWeeks, isWeekMissing, weekOf } from './weeks'

const INSTANCE = 7
let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(() => home.close())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
async function packed(endedDaysAgo: number, packedDaysAgo = endedDaysAgo): Promise<string> {
  const id = await insertRow({ owner: INSTANCE })
  const chunk = { first: 1, last: 1, bytes: Buffer.from('{"seq":1}') }
  await writeSegments([{ recording: id, chunk, lastEventId: null }], INSTANCE, false)
  const at = daysAgo(endedDaysAgo).toISOString()
  await (await db()).execute(sql`update console.recordings set phase = 'ended', entries = 1,
    ended_at = ${at}, lease_until = ${at} where id = ${id}`)
  await packSegments(id, daysAgo(packedDaysAgo))
  return id
}
const blocksOf = async (id: string) =>
  (await (await db()).execute(sql`select from console.segments where recording = ${id}`)).rowCount
const weeks = async () => {
  const { rows } = await (await db()).execute<{ week: string }>(sql`
    select to_char(to_date(right(relid::text, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as week
    from pg_partition_tree('console.segments') where relid::text ~ 'segments_[0-9]{8}$'`)
  return rows.map(({ week }) => week)
}

test.each([
  ['2026-11-23T00:00:00Z', '2026-11-23'],
  ['2026-11-22T23:59:59Z', '2026-11-16'],
  ['2026-11-27T12:00:00Z', '2026-11-23'],
  ['2026-11-29T23:59:59Z', '2026-11-23'],
  ['2027-01-01T00:00:00Z', '2026-12-28'],
])('%s is in the week of %s', (at, week) => {
  expect(weekOf(new Date(at))).toBe(week)
})

test('a missing week is told from other errors, wherever it is among the causes', () => {
  const missing = Object.assign(new Error('no partition'), { code: '23514' })
  expect([missing, new Error('query', { cause: new Error('again', { cause: missing }) })].map(isWeekMissing)).toEqual([
    ...[true, true],
  ])
  const others = [new Error('no'), Object.assign(new Error('no'), { code: '23505' }), 'text', undefined]
  expect(others.map(isWeekMissing)).toEqual([false, false, false, false])
})

test('a week can be made by several at once, and again', async () => {
  await Promise.all([createWeek('2026-01-05'), createWeek('2026-01-05'), createWeek('2026-01-12')])
  await createWeek('2026-01-05')
  expect(await weeks()).toEqual(expect.arrayContaining(['2026-01-05', '2026-01-12']))
  expect(await dropExpiredWeeks(sql`true`)).toBe(0)
  expect(await weeks()).not.toContain('2026-01-05')
})

test('what cannot be packed for another reason makes no week', async () => {
  await expect(packSegments('no id', daysAgo(300))).rejects.toThrow()
  expect(await weeks()).not.toContain(weekOf(daysAgo(300)))
})

test('this week stays, though all its recordings have expired', async () => {
  const id = await packed(60, 0)
  expect(await deleteExpired()).toBe(1)
  expect([await findRecording(id), await blocksOf(id)]).toEqual([undefined, 0])
  expect(await weeks()).toContain(weekOf(new Date()))
})

test('a week that somebody reads is dropped at the next look; its recordings are gone at once', async () => {
  const id = await packed(90)
  const week = weekOf(daysAgo(90))
  const reader = await (await db()).$client.connect()
  try {
    await reader.query('begin')
    await reader.query(`select from console.segments_${week.replaceAll('-', '')}`)
    expect(await deleteExpired()).toBe(1)
    expect(await findRecording(id)).toBeUndefined()
    expect(await weeks()).toContain(week)
  } finally {
    await reader.query('rollback')
    reader.release()
  }
  expect(await deleteExpired()).toBe(0)
  expect(await weeks()).not.toContain(week)
})

test('a question that the store cannot answer is reported, and drops nothing', async () => {
  await packed(120)
  await expect(dropExpiredWeeks(sql`no_such_column`)).rejects.toThrow()
  expect(await weeks()).toContain(weekOf(daysAgo(120)))
  expect(await dropExpiredWeeks(sql`true`)).toBe(1)
})

test('a week with recordings to keep is kept whole, and what has moved to object storage goes with its recording', async () => {
  const [old, kept, moved, gone] = [await packed(150), await packed(150), await packed(1), await packed(1)]
  for (const id of [moved, gone])
    await (await db()).execute(sql`update console.segments set packed_on = 'infinity', size = 9, body = ''
      where recording = ${id}`)
  await (await db()).execute(sql`delete from console.recordings where id = ${gone}`)
  expect(await dropExpiredWeeks(sql`id = ${old}`)).toBe(0)
  expect(await Promise.all([old, kept, moved, gone].map(blocksOf))).toEqual([1, 1, 1, 0])
})
