import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type TestConsole, testConsole } from '../testing'
import { db } from './db'
import { assertLease, changingUnder, takeLease, whileLeased } from './lease'

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
