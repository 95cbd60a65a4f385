import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { adoptStore, db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { addressLimit, createSharedLimiter } from './shared-limiter'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(() => home.close())
beforeEach(async () => void (await (await db()).execute(sql`truncate console.limit_slices`)))

const [MINUTE, HOUR] = [60_000, 3_600_000]
const limit = { key: 'token', max: 100, windowMs: HOUR }
const SLICE = 5
/** How long an instance keeps a slice that it does not use up. */
const HELD_MS = 2_000
/** An instance whose own clock stands still until it is moved. */
function instance() {
  let time = 1_000_000
  const limiter = createSharedLimiter(() => time)
  return {
    ...limiter,
    limiter,
    answer: () => limiter.take(limit),
    pass: (ms: number) => {
      time += ms
    },
    async take(times = 1, of = limit) {
      const taken = await Promise.all(Array.from({ length: times }, () => limiter.take(of)))
      return taken.filter(({ isAllowed }) => isAllowed).length
    },
  }
}
/** In the database, everything is as it was this long ago. */
const pass = async (ms: number) =>
  void (await (
    await db()
  ).execute(sql`update console.limit_slices set until = until - ${ms} * interval '1 millisecond'`))
const counted = async () =>
  (
    await (
      await db()
    ).execute<{ sum: number }>(sql`select coalesce(sum(amount), 0)::int as sum from console.limit_slices`)
  ).rows[0]?.sum

test('two instances together allow the limit, at once and in turn', async () => {
  const both = [instance(), instance()] as const
  const allowed = await Promise.all(both.map((one) => one.take(70)))
  expect(allowed.reduce((sum, one) => sum + one, 0)).toBe(limit.max)
  const other = { ...limit, key: 'another token' }
  let sum = 0
  for (let turn = 0; turn < 150; turn += 1) sum += await (both[turn % 2] as (typeof both)[0]).take(1, other)
  expect(sum).toBe(limit.max)
})

test('the database is asked once for each slice', async () => {
  const one = instance()
  await one.take(SLICE)
  expect(await counted()).toBe(SLICE)
  await one.take(1)
  expect(await counted()).toBe(2 * SLICE)
})

test('what is not used of a slice is given back, and what is used counts for a window from then on', async () => {
  const [one, other] = [instance(), instance()]
  for (let turn = 0; turn < 30; turn += 1) {
    expect(await one.take()).toBe(1)
    one.pass(2_000)
    await one.settle()
  }
  expect(await counted()).toBe(30)
  expect(await other.take(100)).toBe(70)
  await pass(50 * MINUTE)
  one.pass(50 * MINUTE)
  expect(await one.take()).toBe(0)
  await pass(10 * MINUTE)
  one.pass(10 * MINUTE)
  expect(await one.take()).toBe(1)
})

test('a slice of an instance that is gone counts until its window is over', async () => {
  await instance().take()
  expect(await instance().take(100)).toBe(limit.max - SLICE)
  await pass(HOUR + MINUTE)
  expect(await instance().take(100)).toBe(limit.max)
})

test('a refused one is told when there will be room, whichever instance used it up', async () => {
  const [one, other] = [instance(), instance()]
  expect(await one.take(100)).toBe(100)
  await one.settle()
  await pass(20 * MINUTE)
  one.pass(20 * MINUTE)
  for (const { answer } of [one, other]) {
    const { retryAfterMs } = (await answer()) as { retryAfterMs: number }
    expect(retryAfterMs).toBeGreaterThan(35 * MINUTE)
    expect(retryAfterMs).toBeLessThan(41 * MINUTE)
  }
})

test('a flood of refused ones asks the database once a second', async () => {
  const [one, other] = [instance(), instance()]
  await one.take(100)
  expect(await other.take(50)).toBe(0)
  await (await db()).execute(sql`truncate console.limit_slices`)
  expect(await other.take(50)).toBe(0)
  other.pass(1_000)
  expect(await other.take(50)).toBe(50)
})

test('what is used up for long is not asked for again', async () => {
  const [one, other] = [instance(), instance()]
  await one.take(100)
  await one.settle()
  await pass(MINUTE)
  expect(await other.take(10)).toBe(0)
  await (await db()).execute(sql`truncate console.limit_slices`)
  other.pass(58 * MINUTE)
  expect(await other.take(10)).toBe(0)
  other.pass(MINUTE)
  expect(await other.take(10)).toBe(10)
})

test('an attempt against two limits counts against neither if one is used up', async () => {
  const [one, other] = [instance(), instance()]
  const [wide, narrow] = [limit, { key: 'narrow', max: 3, windowMs: HOUR }]
  const both = async () => (await one.limiter.take(wide, narrow)).isAllowed
  await other.limiter.take(narrow)
  await other.pass(HELD_MS)
  await other.settle()
  expect([await both(), await both(), await both(), await both()]).toEqual([true, true, false, false])
  one.pass(HELD_MS)
  await one.settle()
  expect(await counted()).toBe(2 + 3)
})

test('what is forgiven, or only begun, is not counted in the database', async () => {
  const one = instance()
  for (let turn = 0; turn < 150; turn += 1) {
    const attempt = one.limiter.begin(limit)
    if (!attempt.isAllowed) throw new Error('It was refused.')
    attempt.forgive()
  }
  expect(await counted()).toBe(0)
  const begun = Array.from({ length: 101 }, () => one.limiter.begin(limit))
  expect(begun.filter(({ isAllowed }) => isAllowed)).toHaveLength(100)
  expect(await counted()).toBe(0)
})

test('a refusal that is known is told before anything is looked up', async () => {
  const [one, other] = [instance(), instance()]
  await one.take(100)
  await other.take(1)
  expect(other.limiter.begin(limit)).toMatchObject({ isAllowed: false, retryAfterMs: expect.any(Number) })
})

const of = (address: string) => addressLimit('test', address, { max: 30, windowMs: MINUTE })

test('an address has one limit for all instances, and a network of IPv6 is one address', async () => {
  const [one, other] = [instance(), instance()]
  expect([await one.take(20, of('192.0.2.1')), await other.take(20, of('192.0.2.1'))]).toEqual([20, 10])
  expect(await other.take(1, of('192.0.2.2'))).toBe(1)
  expect(await one.take(20, of('2001:db8:1:2::7'))).toBe(20)
  expect(await other.take(20, of('2001:db8:1:2:ffff::8'))).toBe(10)
  expect(await other.take(1, of('2001:db8:1:3::7'))).toBe(1)
})

test('no more than 1,000 slices a minute are written for addresses, and further ones are counted alone', async () => {
  const one = instance()
  const rows = async () =>
    (await (await db()).execute(sql`select count(*)::int as n from console.limit_slices`)).rows[0]?.n
  const addresses = Array.from({ length: 1_100 }, (_, n) => of(`2001:db8:0:${n.toString(16)}::1`))
  for (const [n, address] of addresses.entries()) {
    if (n === 1_000) expect(one.limiter.isCrowded()).toBe(false)
    expect(await one.take(1, address)).toBe(1)
  }
  expect([await rows(), one.limiter.isCrowded()]).toEqual([1_000, true])
  expect(await one.take(100, of('198.51.100.1'))).toBe(30)
  expect([await one.take(1), await rows()]).toEqual([1, 1_001]) // an account is no address
  one.pass(MINUTE)
  expect(one.limiter.isCrowded()).toBe(false)
  expect([await one.take(1, of('198.51.100.2')), await rows()]).toEqual([1, 1_002])
  await pass(MINUTE + HELD_MS)
  await one.settle()
  expect(await rows()).toBe(1) // the token's
}, 30_000)

test('each instance counts alone while the database is away, and shares again', async () => {
  const url = home.databaseUrl
  const [one, other] = [instance(), instance()]
  await one.take(40)
  await adoptStore('postgres://nobody@127.0.0.1:1/none')
  try {
    expect(await one.take(100)).toBe(60)
    expect(await other.take(150)).toBe(100)
    expect([one.isApart(), other.isApart()]).toEqual([true, true])
  } finally {
    await adoptStore(url)
  }
  other.pass(HOUR + MINUTE)
  expect(other.isApart()).toBe(false)
  expect(await other.take(100)).toBe(60)
})

test('what is not used of a slice is given back by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const one = instance()
    await one.take()
    expect(await counted()).toBe(SLICE)
    one.pass(HELD_MS)
    vi.advanceTimersByTime(HELD_MS)
  } finally {
    vi.useRealTimers()
  }
  await vi.waitFor(async () => expect(await counted()).toBe(1))
})
