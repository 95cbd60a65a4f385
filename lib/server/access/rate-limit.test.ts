import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { db, openStore } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { takePasswordAttempt, takeSignInAttempt } from './rate-limit'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => void (await (await db()).execute(sql`truncate console.sign_in_attempts`)))

/** Counted once per process, so from the start. */
const warnings: string[] = []
process.on('warning', ({ message }) => warnings.push(message))

const email = 'owner@example.com'
const device = '0b0f1d9e-1d6f-4a53-8c8e-0d8f1d3f7c11'
/** How many of these attempts are allowed. */
const allowed = async (count: number, ...[of, from, known]: Parameters<typeof takeSignInAttempt>) => {
  let sum = 0
  for (let index = 0; index < count; index += 1) sum += Number((await takeSignInAttempt(of, from, known)).isAllowed)
  return sum
}

test('five attempts for one account from one address are allowed, from another address more', async () => {
  expect(await allowed(8, email, '192.0.2.1', null)).toBe(5)
  expect(await allowed(1, email, '192.0.2.2', null)).toBe(1)
  const refused = await takeSignInAttempt(email, '192.0.2.1', null)
  if (refused.isAllowed) throw new Error('It was allowed.')
  expect(refused.retryAfterMs).toBeGreaterThan(0)
  expect(refused.retryAfterMs).toBeLessThanOrEqual(15 * 60_000)
})

test('strangers at many addresses lock an account for others, not for a device that its owner signed in from', async () => {
  for (let host = 1; host <= 6; host += 1) await allowed(5, email, `192.0.2.${host}`, null)
  expect(await allowed(1, email, '198.51.100.1', null)).toBe(0)
  expect(await allowed(12, email, '198.51.100.1', device)).toBe(10)
})

test('addresses of one IPv6 network count as one', async () => {
  let sum = 0
  for (let host = 1; host <= 8; host += 1) sum += await allowed(1, email, `2001:db8:1:2::${host}`, null)
  expect(sum).toBe(5)
  expect(await allowed(1, email, '2001:db8:1:3::1', null)).toBe(1)
})

test('one address has 60 attempts over all accounts', async () => {
  let sum = 0
  for (let person = 1; person <= 13; person += 1) sum += await allowed(5, `p${person}@example.com`, '192.0.2.1', null)
  expect(sum).toBe(60)
  expect(await allowed(1, email, '192.0.2.2', null)).toBe(1)
})

test('addresses of IPv4 count each, and what is no address counts as one', async () => {
  expect(await allowed(6, email, 'unknown', null)).toBe(5)
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.3.1'])
    expect(await allowed(5, `${address}@example.com`, address, null)).toBe(5)
})

test('the wait is that of the limit which has room last', async () => {
  await allowed(5, email, '192.0.2.1', null)
  const store = await db()
  await store.execute(sql`update console.sign_in_attempts set at = now() - interval '14 minutes'`)
  const refused = await takeSignInAttempt(email, '192.0.2.1', null)
  expect(refused).toEqual({ isAllowed: false, retryAfterMs: expect.any(Number) })
  if (refused.isAllowed) throw new Error('It was allowed.')
  expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000)
  await store.execute(
    sql`insert into console.sign_in_attempts (key, at) select ${`email:${email}`}, now() - interval '4 minutes' from generate_series(1, 25)`,
  )
  const later = await takeSignInAttempt(email, '192.0.2.1', null)
  if (later.isAllowed) throw new Error('It was allowed.')
  expect(later.retryAfterMs).toBeGreaterThan(9 * 60_000)
  expect(later.retryAfterMs).toBeLessThanOrEqual(11 * 60_000)
})

test('a password can be confirmed five times for each account, and a success is not counted', async () => {
  const attempts = async (account: string) => {
    const taken = []
    for (let round = 0; round < 6; round += 1) taken.push(await takePasswordAttempt(account))
    return taken
  }
  const taken = await attempts('one')
  expect(taken.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, true, true, false])
  expect((await takePasswordAttempt('other')).isAllowed).toBe(true)
  if (taken[0]?.isAllowed) await taken[0].forgive()
  expect((await takePasswordAttempt('one')).isAllowed).toBe(true)
  expect((await takePasswordAttempt('one')).isAllowed).toBe(false)
})

test('attempts end after a quarter of an hour, and their rows with them', async () => {
  await allowed(5, email, '192.0.2.1', null)
  const store = await db()
  await store.execute(sql`update console.sign_in_attempts set at = now() - interval '14 minutes'`)
  expect(await allowed(1, email, '192.0.2.1', null)).toBe(0)
  await store.execute(sql`update console.sign_in_attempts set at = now() - interval '16 minutes'`)
  expect(await allowed(1, email, '192.0.2.1', null)).toBe(1)
  expect((await store.execute(sql`select count(*)::int as n from console.sign_in_attempts`)).rows).toEqual([{ n: 3 }])
})

test('a success is not counted', async () => {
  for (let round = 0; round < 10; round += 1) {
    const attempt = await takeSignInAttempt(email, '192.0.2.1', null)
    if (!attempt.isAllowed) throw new Error('It was refused.')
    await attempt.forgive()
  }
})

test('attempts at once, also of several instances, cannot all pass', async () => {
  const other = await openStore(home.databaseUrl, { connections: 5 })
  try {
    const shared = globalThis as { pilothouseStore?: Promise<unknown> }
    const own = shared.pilothouseStore
    const attempts = Array.from({ length: 20 }, (_, index) => {
      shared.pilothouseStore = index % 2 ? Promise.resolve(other) : own
      const attempt = takeSignInAttempt(email, '192.0.2.1', null)
      shared.pilothouseStore = own
      return attempt
    })
    expect((await Promise.all(attempts)).filter(({ isAllowed }) => isAllowed)).toHaveLength(5)
  } finally {
    await other.close()
  }
})

test('a query never starts while another runs on its connection', async () => {
  await takeSignInAttempt(email, '192.0.2.1', null)
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual([])
})
