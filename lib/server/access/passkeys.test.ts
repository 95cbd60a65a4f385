import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { passkeysOf } from '../identity/passkeys'
import { softDevice } from '../identity/testing'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testConsole } from '../testing'
import { type Account, createAccount } from './accounts'
import { accountOfPasskey, passkeyHost, register, registrationOptions, signInOptions } from './passkeys'
import { cookieName } from './session'
import { browser } from './testing'

vi.mock('next/headers', () => import('./testing'))

let home: TestConsole
let account: Account
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  browser.cookies.clear()
  browser.options.clear()
  home.set({})
  vi.clearAllMocks()
  await (await db()).execute(sql`truncate console.accounts, console.ended_sessions cascade`)
  account = await createAccount(await db(), { email: 'owner@example.com', name: 'Owner' })
})

type Device = ReturnType<typeof softDevice>
const add = async (device = softDevice()) => {
  await register(account.id, 'Laptop', device.create((await registrationOptions(account)).challenge))
  return device
}
const answerOf = async (device: Device) => device.get((await signInOptions('203.0.113.9')).challenge)
const accountBy = async (answer: object) => (await accountOfPasskey(JSON.stringify(answer)))?.id ?? null
const hasChallenge = () => browser.cookies.has(cookieName('passkey'))

describe('a new passkey', () => {
  test('is asked for with the name of its owner, a check of the owner, and none that they have already', async () => {
    expect(await registrationOptions(account)).toMatchObject({
      rp: { name: 'Pilothouse', id: 'localhost' },
      user: { name: 'owner@example.com', displayName: 'Owner', id: Buffer.from(account.id).toString('base64url') },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    })
    await add()
    const [stored] = await passkeysOf(account.id)
    const { user, excludeCredentials } = await registrationOptions({ ...account, name: '' })
    expect(user.displayName).toBe('owner@example.com')
    expect(excludeCredentials?.map(({ id }) => id)).toEqual([stored?.id])
    home.set({ NEXTAUTH_URL: 'https://console.example.com:8443' })
    expect(passkeyHost()).toBe('console.example.com')
  })

  test('is stored with its name, and belongs to its account', async () => {
    await add()
    expect(await passkeysOf(account.id)).toMatchObject([
      { account: account.id, name: 'Laptop', counter: 1, lastUsedAt: null },
    ])
  })

  test('needs a challenge of its own, within five minutes and once', async () => {
    const { challenge } = await registrationOptions(account)
    expect(browser.options.get(cookieName('passkey'))).toMatchObject({ maxAge: 300 })
    const kept = browser.cookies.get(cookieName('passkey')) ?? ''
    await register(account.id, 'Laptop', softDevice().create(challenge))
    expect(hasChallenge()).toBe(false)
    browser.cookies.set(cookieName('passkey'), kept)
    const refusal = { code: 'invalid' }
    await expect(register(account.id, 'Phone', softDevice().create(challenge))).rejects.toMatchObject(refusal)
    const signIn = await signInOptions('203.0.113.9')
    await expect(register(account.id, 'Phone', softDevice().create(signIn.challenge))).rejects.toMatchObject(refusal)
    browser.cookies.clear()
    await expect(register(account.id, 'Phone', softDevice().create('unasked'))).rejects.toMatchObject(refusal)
    for (const wrong of [undefined, {}, { ...softDevice().create(challenge), type: 'other' }]) {
      await registrationOptions(account)
      await expect(register(account.id, 'Phone', wrong)).rejects.toMatchObject(refusal)
      expect(hasChallenge()).toBe(false)
    }
    expect(await passkeysOf(account.id)).toHaveLength(1)
    expect(log.info).not.toHaveBeenCalled() // nothing was worth checking
  })

  test('is registered once', async () => {
    const device = await add()
    await expect(add(device)).rejects.toMatchObject({ code: 'conflict' })
    expect(await passkeysOf(account.id)).toHaveLength(1)
  })

  test('that is refused is logged with the reason', async () => {
    const { challenge } = await registrationOptions(account)
    const theirs = softDevice().create(challenge, { origin: 'https://evil.example.com' })
    await expect(register(account.id, 'x', theirs)).rejects.toMatchObject({ code: 'invalid' })
    expect(log.info).toHaveBeenCalledWith('passkey.refused', {
      ...{ purpose: 'registration', reason: expect.stringContaining('evil.example.com') },
    })
  })
})

describe('a sign-in', () => {
  test('asks for any passkey, with a check of the owner', async () => {
    const options = await signInOptions('203.0.113.9')
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(options.allowCredentials ?? []).toEqual([])
    expect(browser.options.get(cookieName('passkey'))).toMatchObject({ maxAge: 300 })
  })

  test('gives the account, and counts the use', async () => {
    const device = await add()
    expect(await accountOfPasskey(JSON.stringify(await answerOf(device)))).toEqual(account)
    expect(hasChallenge()).toBe(false)
    expect(await passkeysOf(account.id)).toMatchObject([{ counter: 2, lastUsedAt: expect.any(Date) }])
  })

  test('by a copy of the passkey, which counts on its own, is refused', async () => {
    const device = await add()
    await (await db()).execute(sql`update console.passkeys set counter = 50`)
    expect(await accountBy(await answerOf(device))).toBeNull()
    expect(log.info).toHaveBeenCalledWith('passkey.refused', {
      ...{ purpose: 'sign-in', reason: expect.stringContaining('counter') },
    })
    expect(await passkeysOf(account.id)).toMatchObject([{ counter: 50, lastUsedAt: null }])
  })

  test('with the signature of another key is refused, and is no use of the passkey', async () => {
    const device = await add()
    const { challenge } = await signInOptions('203.0.113.9')
    const answer = device.get(challenge)
    const { signature } = softDevice().get(challenge).response
    expect(await accountBy({ ...answer, response: { ...answer.response, signature } })).toBeNull()
    expect(await passkeysOf(account.id)).toMatchObject([{ lastUsedAt: null }])
  })

  test('that cannot be read uses the challenge up', async () => {
    const device = await add()
    for (const wrong of [undefined, 7, 'x', '{}', JSON.stringify(softDevice().get('x'))]) {
      const { challenge } = await signInOptions('203.0.113.9')
      const kept = browser.cookies.get(cookieName('passkey')) ?? ''
      expect(await accountOfPasskey(wrong)).toBeNull()
      expect(hasChallenge()).toBe(false)
      browser.cookies.set(cookieName('passkey'), kept)
      expect(await accountBy(device.get(challenge))).toBeNull()
    }
    expect(log.info).not.toHaveBeenCalled() // nothing was worth checking
    expect(await accountBy(await answerOf(device))).toBe(account.id)
    expect(await accountBy(device.get('unasked'))).toBeNull() // without any challenge
  })
})
