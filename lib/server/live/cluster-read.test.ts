import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseJson, printJson } from '@/lib/json/lossless'
import { adoptStore, db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { clusterReader, type Reader } from './cluster-read'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => void (await (await db()).execute(sql`truncate console.cluster_reads`)))

const HOUR = 3_600_000
const leaving = new AbortController()
/** An instance that watches what is called so: `read()` with what it was told, and how often it asked the upstream. */
function instance(name = 'a list', answer: () => unknown = () => 'value', isAlone = false) {
  const reader: Reader<unknown> = clusterReader(name, () => isAlone)
  const self = {
    asked: 0,
    read: (freshMs = HOUR, { signal } = leaving) =>
      reader(
        async () => {
          self.asked += 1
          return await answer()
        },
        freshMs,
        signal,
      ),
  }
  return self
}
/** Everything is as it was this long ago. */
const pass = async (ms: number) =>
  void (await (
    await db()
  ).execute(sql`update console.cluster_reads
    set read_at = read_at - ${ms} * interval '1 millisecond', claimed_until = claimed_until - ${ms} * interval '1 millisecond'`))
/** What was read is stored after its reader has gone on. */
const stored = (what: string) =>
  expect
    .poll(async () => (await (await db()).execute(sql`select body from console.cluster_reads`)).rows)
    .toEqual([{ body: what }])

test('what one instance has read is taken by the others while it is fresh, with its age', async () => {
  const [one, other] = [instance(), instance()]
  const before = Date.now()
  const { at } = await one.read()
  expect(at).toBeGreaterThanOrEqual(before)
  await stored('"value"')
  await pass(60_000)
  const taken = await other.read()
  expect([taken.value, one.asked, other.asked, Number.isInteger(taken.at)]).toEqual(['value', 1, 0, true])
  expect(taken.at).toBeLessThanOrEqual(Date.now() - 60_000)
  expect(taken.at).toBeGreaterThan(before - 65_000)
  expect((await other.read(60_000)).at).toBeGreaterThanOrEqual(before)
  expect(other.asked).toBe(1)
})

test('of all that ask at once, one reads', async () => {
  let answer: (value: unknown) => void = () => {}
  const answered = new Promise((resolve) => {
    answer = resolve
  })
  const all = Array.from({ length: 4 }, () => instance('a list', () => answered))
  const reads = all.map((one) => one.read())
  await expect.poll(() => all.reduce((sum, { asked }) => sum + asked, 0)).toBe(1)
  answer('the answer')
  expect((await Promise.all(reads)).map(({ value }) => value)).toEqual(Array(4).fill('the answer'))
  expect(all.reduce((sum, { asked }) => sum + asked, 0)).toBe(1)
})

test('large numbers, and a text with NUL, are the same for both', async () => {
  const value = parseJson('{"n":12345678901234567890.10,"text":"a\\u0000b"}')
  await instance('a list', () => value).read()
  await stored(printJson(value))
  const other = instance()
  expect(printJson((await other.read()).value)).toBe(printJson(value))
  expect(other.asked).toBe(0)
})

test('other lists, and one instance alone, are read by themselves', async () => {
  await instance().read()
  await stored('"value"')
  const others = [instance('another list'), instance('a list', () => 'own', true)]
  for (const one of others) await one.read()
  expect(others.map(({ asked }) => asked)).toEqual([1, 1])
})

test('a failure is not shared, and the next one reads at once', async () => {
  const failing = instance('a list', () => Promise.reject(new Error('The server is away.')))
  await expect(failing.read()).rejects.toThrow('The server is away.')
  const other = instance()
  expect(await other.read()).toMatchObject({ value: 'value' })
  expect(other.asked).toBe(1)
})

test('where the reader is gone, another instance reads after three seconds', async () => {
  void instance('a list', () => new Promise(() => {})).read()
  const other = instance()
  await expect.poll(async () => (await (await db()).execute(sql`select from console.cluster_reads`)).rowCount).toBe(1)
  const read = other.read()
  await pass(2_000)
  expect(other.asked).toBe(0)
  await pass(3_000)
  expect((await read).value).toBe('value')
  expect(other.asked).toBe(1)
})

test('one that waits for another instance stops with its last viewer', async () => {
  void instance('a list', () => new Promise(() => {})).read()
  await expect.poll(async () => (await (await db()).execute(sql`select from console.cluster_reads`)).rowCount).toBe(1)
  const gone = new AbortController()
  const read = instance().read(HOUR, gone)
  gone.abort()
  await expect(read).rejects.toThrow()
})

test('what nobody has watched for an hour is forgotten', async () => {
  await instance('an old list').read()
  await stored('"value"')
  await pass(HOUR + 1_000)
  await instance('a list', () => 'new').read()
  await stored('"new"')
})

test('each instance reads by itself while the database is away', async () => {
  const url = home.databaseUrl
  await adoptStore('postgres://nobody@127.0.0.1:1/none')
  try {
    const all = [instance(), instance()]
    for (const one of all) expect((await one.read()).value).toBe('value')
    expect(all.map(({ asked }) => asked)).toEqual([1, 1])
  } finally {
    await adoptStore(url)
  }
})
