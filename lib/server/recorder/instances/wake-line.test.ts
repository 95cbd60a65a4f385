import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { db, LOCKS } from '../../process/db'
import { shownInstance } from '../../process/instance'
import { type TestConsole, testConsole } from '../../testing'
import { until } from '../testing'
import { CHANNEL, WakeLine } from './wake'

let console_: TestConsole
let proxy: Awaited<ReturnType<typeof databaseProxy>>
let lines: WakeLine[]
beforeAll(async () => {
  console_ = await testConsole()
  proxy = await databaseProxy(console_.databaseUrl)
  lines = []
})
afterEach(async () => {
  for (const line of lines.splice(0)) await line.close()
  proxy.setDown(false)
  console_.set({})
})
afterAll(async () => {
  await proxy.close()
  await console_.close()
})

const lineOf = (instance: number, answerMs?: number) => {
  const heard: (string[] | 'all' | 'left')[] = []
  const line = new WakeLine(instance, (ids) => heard.push(ids), undefined, answerMs)
  lines.push(line)
  return { line, heard }
}
const notify = async (payload: string) => (await db()).execute(sql`select pg_notify(${CHANNEL}, ${payload})`)
const connections = async () =>
  (
    await (
      await db()
    ).execute(sql`select from pg_stat_activity
      where application_name = 'pilothouse-recorder' and datname = current_database()`)
  ).rowCount

test('notices of others name recordings, or all of them; its own are not heard', async () => {
  const { line, heard } = lineOf(7)
  await line.open()
  expect(heard).toEqual(['all'])
  for (const payload of ['7:own', '8:a,b', '7:*', '8:*', '77:c']) await notify(payload)
  await until(() => heard.length === 4)
  expect(heard.slice(1)).toEqual([['a', 'b'], 'all', ['c']])
})

test('an instance that leaves tells the others', async () => {
  const [first, second] = [lineOf(7), lineOf(8)]
  await first.line.open()
  await second.line.open()
  await until(() => second.heard.length === 2 && first.heard.length === 2)
  await second.line.leave()
  await until(() => first.heard.length === 3)
  expect([first.heard[2], second.heard.length]).toEqual(['left', 2])
})

test('who was alone greets a new instance once, so that it reads what it was not told', async () => {
  const [first, second] = [lineOf(7), lineOf(8)]
  await first.line.open()
  await second.line.open()
  await until(() => second.heard.length === 2)
  await notify('9:x')
  await until(() => first.heard.length === 3 && second.heard.length === 3)
  expect(first.heard).toEqual(['all', 'all', ['x']])
  expect(second.heard).toEqual(['all', 'all', ['x']])
})

test('a lock that a lost connection still holds is taken once that has ended', async () => {
  const lost = new pg.Client({ connectionString: console_.databaseUrl })
  await lost.connect()
  await lost.query('select pg_advisory_lock($1::int, $2::int)', [LOCKS.instance, 7])
  const [mine, other] = [lineOf(7), lineOf(8)]
  await mine.line.open()
  expect(shownInstance()).toBeUndefined()
  await lost.end()
  await until(async () => {
    await mine.line.look()
    return shownInstance()?.number === 7
  })
  await other.line.open()
  expect(other.line.hasOthers).toBe(true)
  await mine.line.close()
  expect(shownInstance()?.number).not.toBe(7)
})

test('a line is opened once, however many ask, and not again while it is open', async () => {
  const { line, heard } = lineOf(7)
  expect(line.isOpen).toBe(false)
  await Promise.all([line.open(), line.open()])
  await line.open()
  expect([line.isOpen, heard, await connections()]).toEqual([true, ['all'], 1])
  expect(performance.now() - line.openedAt).toBeLessThan(60_000)
})

test('a line that was closed stays closed, also if it was being opened, and shows no longer that its instance lives', async () => {
  const [closed, other] = [lineOf(7), lineOf(8)]
  const opening = closed.line.open()
  await closed.line.close()
  await opening
  expect(closed.line.isOpen).toBe(false)
  await until(async () => (await connections()) === 0)
  await other.line.open()
  expect(other.line.hasOthers).toBe(false)
  // It has nobody to ask any more, so it takes others for granted.
  const before = closed.line.hasOthers
  await closed.line.look()
  expect(closed.line.hasOthers).toBe(before)
  await closed.line.close()
})

test('a line that breaks is opened again by itself, once the store answers, and then everything may have changed', async () => {
  console_.set({ DATABASE_DIRECT_URL: proxy.url })
  const { line, heard } = lineOf(7)
  await line.open()
  const { openedAt } = line
  proxy.setDown(true)
  await until(() => !line.isOpen)
  await expect(line.open()).rejects.toThrow()
  const attempts = proxy.attempts()
  await until(() => proxy.attempts() > attempts)
  proxy.setDown(false)
  await until(() => line.isOpen)
  await until(() => heard.length === 2)
  expect(line.openedAt).toBeGreaterThan(openedAt)
  await notify('8:after')
  await until(() => heard.length === 3)
  expect(heard.slice(1)).toEqual(['all', ['after']])
})

test('while the store is away, a line tries four times a second, however long that lasts', async () => {
  console_.set({ DATABASE_DIRECT_URL: proxy.url })
  const { line } = lineOf(7)
  await line.open()
  proxy.setDown(true)
  await until(() => !line.isOpen)
  const [from, before] = [performance.now(), proxy.attempts()]
  await until(() => performance.now() - from > 2_000)
  expect(proxy.attempts() - before).toBeGreaterThan(0)
  expect(proxy.attempts() - before).toBeLessThanOrEqual(8)
})

test('a line whose store falls silent is opened again: nothing tells that its machine vanished', async () => {
  console_.set({ DATABASE_DIRECT_URL: proxy.url })
  const { line, heard } = lineOf(7, 300)
  await line.open()
  proxy.set('silent')
  await expect(line.look()).rejects.toThrow()
  await until(() => !line.isOpen)
  const attempts = proxy.attempts()
  await until(() => proxy.attempts() > attempts)
  proxy.set('up')
  await until(() => line.isOpen && heard.length === 2)
})

test('a question that fails does not keep later ones from being asked', async () => {
  console_.set({ DATABASE_DIRECT_URL: proxy.url })
  const { line } = lineOf(7)
  await line.open()
  proxy.failNext('lost reply', 'pg_locks')
  await expect(line.look()).rejects.toThrow()
  await until(() => line.isOpen)
  const { line: other } = lineOf(8)
  await other.open()
  await line.look()
  expect(line.hasOthers).toBe(true)
})
