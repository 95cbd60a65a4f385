import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { requirePasskey } from '../identity/passkeys'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testConsole } from '../testing'
import {
  accountWays,
  changeOwnPassword,
  checkPassword,
  confirmPassword,
  createAccount,
  endSessions,
  refuseCommonPassword,
  setPassword,
} from './accounts'
import { PASSWORD_LENGTH } from './password'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  vi.mocked(log.info).mockClear()
  await (await db()).execute(sql`truncate console.accounts, console.sign_in_attempts cascade`)
})

const email = 'owner@example.com'
const password = 'violet tractor lantern'
const nobody = randomUUID()
const from = '192.0.2.1'
const make = async (more: Partial<Parameters<typeof createAccount>[1]> = {}) =>
  createAccount(await db(), { email, password, ...more })
const attempts = async () =>
  (await (await db()).execute(sql`select key from console.sign_in_attempts order by key`)).rows.map(({ key }) => key)
const refusal = (path: string) => ({ code: 'invalid', view: { fields: [{ path: [path] }] } })

describe('a sign-in with a password', () => {
  test('accepts the longest password that can be chosen, and looks up no longer one', async () => {
    const longest = 'long '.repeat(60).slice(0, PASSWORD_LENGTH.max)
    const { id } = await make({ password: longest })
    expect(await checkPassword(email, longest, from)).toMatchObject({ id })
    await setPassword(await db(), id, `${longest}x`)
    expect(await checkPassword(email, `${longest}x`, from)).toBeNull()
    expect(await attempts()).toEqual([])
  })

  test('says in how many minutes to try again', async () => {
    for (let round = 0; round < 5; round += 1) await checkPassword('nobody@example.com', 'wrong', from)
    const refused = await failure(checkPassword('nobody@example.com', 'wrong', from))
    expect(refused.view.message).toBe('Too many attempts. Try again in 15 min.')
    expect(refused.view.retryAfterMs).toBeGreaterThan(14 * 60_000)
  })

  test('asks for the passkey only after the right password, and a missing one counts as no attempt', async () => {
    const { id } = await make()
    await requirePasskey(await db(), id, true)
    const passkey = vi.fn(async () => null as string | null)
    expect(await checkPassword(email, 'wrong', from, null, passkey)).toBeNull()
    expect(passkey).not.toHaveBeenCalled()
    const before = await attempts()
    expect(before).toHaveLength(3)
    await expect(checkPassword(email, password, from)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(checkPassword(email, password, from, null, passkey)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await attempts()).toEqual(before)
    passkey.mockResolvedValue(id)
    expect(await checkPassword(email, password, from, null, passkey)).toEqual({
      ...{ id, email, name: '', sessionVersion: 1 },
    })
    await requirePasskey(await db(), id, false)
    passkey.mockClear()
    expect(await checkPassword(email, password, from, null, passkey)).toMatchObject({ id })
    expect(passkey).not.toHaveBeenCalled()
  })

  test('is logged as done only if it signs somebody in', async () => {
    const { id } = await make()
    const logged = () => vi.mocked(log.info).mock.calls.map(([event, fields]) => [event, fields?.why])
    await checkPassword('nobody@example.com', password, from)
    await checkPassword(email, 'wrong', from)
    await checkPassword(email, password, from)
    await requirePasskey(await db(), id, true)
    await checkPassword(email, password, from).catch(() => {})
    expect(logged()).toEqual([
      ['sign_in.refused', undefined],
      ['sign_in.refused', undefined],
      ['sign_in.done', undefined],
      ['sign_in.refused', 'the passkey is missing'],
    ])
  })

  test('counts the attempts of a known device apart from those of others', async () => {
    const { id } = await make()
    const device = { account: id, id: randomUUID() }
    await checkPassword(email, 'wrong', from, device)
    expect(await attempts()).toEqual([`device:${device.id}`])
    await checkPassword(email, 'wrong', from, { ...device, account: nobody })
    expect(await attempts()).toHaveLength(4)
  })
})

describe('an account', () => {
  test('is made once for an address, and has no password unless one is given', async () => {
    const { id } = await make({ password: undefined, name: 'Owner' })
    expect(await accountWays(id)).toEqual({
      ...{ id, email, name: 'Owner', hasPassword: false, requiresPasskey: false },
    })
    await expect(make()).rejects.toMatchObject({ code: 'conflict' })
    await setPassword(await db(), id, password)
    await requirePasskey(await db(), id, true)
    expect(await accountWays(id)).toMatchObject({ hasPassword: true, requiresPasskey: true })
  })

  test('gets a new session version with each new password, which may have to be changed first', async () => {
    const { id, sessionVersion } = await make({ password: undefined })
    expect(sessionVersion).toBe(1)
    expect(await setPassword(await db(), id, password)).toBe(2)
    expect(await checkPassword(email, password, from)).not.toHaveProperty('hasInitialPassword')
    expect(await setPassword(await db(), id, password, { isInitial: true })).toBe(3)
    expect(await checkPassword(email, password, from)).toMatchObject({ hasInitialPassword: true, sessionVersion: 3 })
    expect(await endSessions(await db(), id)).toBe(4)
  })

  test('that does not exist has no sessions, ways to sign in or password to change', async () => {
    const store = await db()
    for (const attempt of [
      () => endSessions(store, nobody),
      () => accountWays(nobody),
      () => changeOwnPassword(nobody, password, password),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    await expect(confirmPassword(nobody, password, 'password')).rejects.toMatchObject(refusal('password'))
  })
})

describe('a confirmed password', () => {
  test('must be the current one, and five wrong ones lock the confirmation, not the sign-in', async () => {
    const { id } = await make()
    for (let round = 0; round < 6; round += 1) await confirmPassword(id, password, 'password') // right ones do not count
    for (let round = 0; round < 5; round += 1)
      await expect(confirmPassword(id, 'wrong', 'password')).rejects.toMatchObject(refusal('password'))
    const refused = await failure(confirmPassword(id, password, 'password'))
    expect(refused).toMatchObject({ code: 'rate_limited', view: { retryAfterMs: expect.any(Number) } })
    expect(await checkPassword(email, password, from)).toMatchObject({ id })
  })

  test('is not replaced by the own address or name, or a common password', async () => {
    const { id } = await make({ email: 'bartholomew@zephyrine.example', name: 'Quillonby Marchetande' })
    for (const next of ['bartholomew@zephyrine.example', 'Quillonby Marchetande', 'password1234'])
      await expect(changeOwnPassword(id, password, next), next).rejects.toMatchObject(refusal('next'))
    expect(await changeOwnPassword(id, password, 'Quietly Orbiting Lanterns')).toEqual({
      ...{ id, email: 'bartholomew@zephyrine.example', name: 'Quillonby Marchetande', sessionVersion: 2 },
    })
    await expect(refuseCommonPassword('zephyrine.example', [], 'own')).resolves.toBeUndefined()
  })
})
