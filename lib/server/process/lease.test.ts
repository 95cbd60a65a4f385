import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type TestConsole, testConsole } from '../testing'
import { db } from './db'
import { hideInstance, showInstance } from './instance'
import { assertLease, changingUnder, type Lease, takeLease, whileLeased } from './lease'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(() => home.close())
const run = async (statement: ReturnType<typeof sql>) => (await db()).execute(statement)
beforeEach(async () => void (await run(sql`truncate console.leases`)))
afterEach(() => void vi.useRealTimers())
const take = async () => (await takeLease('one')) ?? expect.unreachable('It was not free.')
const expire = () => run(sql`update console.leases set until = clock_timestamp() - interval '1 millisecond'`)

test('a lease has one holder until it ends', async () => {
  const first = await take()
  expect(await takeLease('one')).toBeUndefined()
  expect(await whileLeased('one', async () => 'done')).toBeUndefined()
  expect(await whileLeased('two', async () => 'done')).toBe('done')
  await first.end()
  expect(await whileLeased('one', async () => 'done')).toBe('done')
})

test('one whose holder shows nothing passes to another, and stays with it when the first goes on', async () => {
  const first = await take()
  await expire()
  const second = await take()
  expect([await first.confirm(), await second.confirm()]).toEqual([false, true])
  await first.end()
  expect(await takeLease('one')).toBeUndefined()
  await second.end()
})

test('one that nobody has taken meanwhile is renewed', async () => {
  const lease = await take()
  await expire()
  expect(await lease.confirm()).toBe(true)
  expect(await takeLease('one')).toBeUndefined()
  await lease.end()
})

test('a process that works shows itself every five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lease = await take()
  await expire()
  vi.advanceTimersByTime(5_000)
  await vi.waitFor(async () =>
    expect((await run(sql`select until > clock_timestamp() as held from console.leases`)).rows).toEqual([
      { held: true },
    ]),
  )
  await lease.end()
})

describe('of an instance that is gone, because nobody holds its lock,', () => {
  const isSettled = performance.now() - 60_000
  let first: Lease
  beforeEach(async () => {
    showInstance(1)
    first = await take()
  })
  afterEach(async () => {
    await first.end()
    hideInstance(2)
  })

  test('a lease passes to another one at once', async () => {
    showInstance(2, isSettled)
    expect(await (await take()).confirm()).toBe(true)
    expect(await first.confirm()).toBe(false)
  })

  test('it does not if that one has just connected itself, or does not show that it lives', async () => {
    showInstance(2)
    expect(await takeLease('one')).toBeUndefined()
    showInstance(2, performance.now() - 5_000) // less than until all have renewed
    expect(await takeLease('one')).toBeUndefined()
    hideInstance(2)
    expect(await takeLease('one')).toBeUndefined()
  })

  test('it does not if its holder confirms it meanwhile', async () => {
    showInstance(2, isSettled)
    const confirming = setInterval(() => void first.confirm(), 100)
    expect(await takeLease('one')).toBeUndefined()
    clearInterval(confirming)
    expect(await first.confirm()).toBe(true)
  })
})

test('an instance keeps its leases when it loses its lock, as at its end', async () => {
  showInstance(1)
  const lease = await take()
  const held = async () => (await run(sql`select instance from console.leases`)).rows
  expect(await held()).toEqual([{ instance: 1 }])
  hideInstance(1)
  await vi.waitFor(async () => expect(await held()).toEqual([{ instance: null }]))
  showInstance(2, performance.now() - 60_000)
  expect(await takeLease('one')).toBeUndefined()
  hideInstance(2)
  await lease.end()
})

test('a change is refused once its lease is lost, and what its work left running is not part of it', async () => {
  const lease = await take()
  let go = () => {}
  const left = new Promise<void>((resolve) => (go = resolve))
  let later: Promise<void> | undefined
  await changingUnder(lease, async () => {
    await assertLease()
    later = left.then(assertLease)
    await run(sql`truncate console.leases`)
    await expect(assertLease()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/Nothing was sent/),
    })
  })
  await lease.end()
  go()
  await later
  await assertLease()
})
