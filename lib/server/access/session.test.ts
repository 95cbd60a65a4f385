import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { forgetNotedSessions } from '../identity/sessions'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { type Account, createAccount } from './accounts'
import { assertSession, claimedActor, sessionActor, systemActor } from './actor'
import {
  activeAccount,
  claimedSession,
  claimsFor,
  cookieName,
  currentSession,
  encodeSession,
  endSession,
  hasSessionCookie,
  knownDevice,
  readSealedCookie,
  rememberDevice,
  rememberProviderSession,
  sessionSecret,
  setSealedCookie,
  setSessionCookie,
  takeProviderSession,
} from './session'
import { browser } from './testing'

vi.mock('next/headers', () => import('./testing'))
const jar = browser.cookies
const optionsOf = (name: string) => browser.options.get(cookieName(name))

let home: TestConsole
let account: Account
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  jar.clear()
  browser.options.clear()
  browser.headers = {}
  home.set({})
  forgetNotedSessions()
  await (await db()).execute(sql`truncate console.accounts, console.sessions, console.ended_sessions cascade`)
  account = await createAccount(await db(), { email: 'owner@example.com', name: 'Owner' })
})

const seen = async () =>
  (await (await db()).execute(sql`select account, address, browser, version from console.sessions`)).rows

describe('the session cookie', () => {
  test('is kept from scripts and other sites for eight hours, and its session is listed with its browser', async () => {
    browser.headers = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'Browser/1' }
    expect(await hasSessionCookie()).toBe(false)
    await setSessionCookie(account)
    expect(optionsOf('session')).toEqual({
      ...{ httpOnly: true, sameSite: 'lax', path: '/', secure: false, maxAge: 8 * 3600 },
    })
    expect(await hasSessionCookie()).toBe(true)
    expect(await seen()).toEqual([{ account: account.id, address: '192.0.2.7', browser: 'Browser/1', version: 1 }])
    expect(await currentSession()).toEqual({ account, stamp: (await claimedSession())?.stamp })
    home.set({ NEXTAUTH_URL: 'https://console.example.com' })
    await setSessionCookie(account)
    expect(optionsOf('session')).toMatchObject({ secure: true })
  })

  test.each([
    ['the checked session', () => sessionActor()],
    ['the claimed one', () => claimedActor()],
  ])('makes %s appear in the list of sessions when it is used', async (_, use) => {
    const claims = claimsFor(account)
    jar.set(cookieName('session'), await encodeSession(claims, account))
    expect(await seen()).toEqual([])
    expect(await use()).toMatchObject({ id: account.id, kind: 'user', session: { id: claims.session, version: 1 } })
    expect(await seen()).toMatchObject([{ account: account.id, version: 1 }])
  })

  test('of an ended session still says who it was, but acts for nobody', async () => {
    const claims = claimsFor(account)
    jar.set(cookieName('session'), await encodeSession(claims, account))
    const actor = await sessionActor()
    await endSession(claims)
    forgetNotedSessions()
    expect(await claimedSession()).toMatchObject({ account: account.id, stamp: { id: claims.session } })
    expect(await currentSession()).toBeNull()
    expect(await seen()).toEqual([])
    await expect(assertSession(actor)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await hasSessionCookie()).toBe(true)
  })

  test('is missing for a visitor, who has no session at all', async () => {
    expect([await claimedSession(), await currentSession()]).toEqual([null, null])
    await expect(claimedActor()).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(assertSession(systemActor('poller'))).resolves.toBeUndefined() // needs none
  })

  test('acts only for the enabled account, in its current version', async () => {
    const session = { id: 'one', version: 1 }
    expect(await activeAccount(account.id, session)).toEqual(account)
    expect(await activeAccount(account.id, { ...session, version: 2 })).toBeNull()
    expect(await activeAccount(randomUUID(), session)).toBeNull()
    await (await db()).execute(sql`update console.accounts set disabled_at = now()`)
    expect(await activeAccount(account.id, session)).toBeNull()
  })
})

describe('the cookie of a device', () => {
  test('is set for half a year at the first sign-in, and kept at the next one of that account', async () => {
    expect(await knownDevice()).toBeNull()
    await rememberDevice(account.id, null)
    expect(optionsOf('device')).toMatchObject({ httpOnly: true, maxAge: 180 * 86_400 })
    const device = await knownDevice()
    expect(device).toEqual({ account: account.id, id: expect.any(String) })
    browser.options.clear()
    await rememberDevice(account.id, device)
    expect(optionsOf('device')).toBeUndefined()
    const other = randomUUID()
    await rememberDevice(other, device)
    expect(await knownDevice()).toMatchObject({ account: other })
    expect((await knownDevice())?.id).not.toBe(device?.id)
  })

  test('is readable for as long as it is kept', async () => {
    await rememberDevice(account.id, null)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.advanceTimersByTime(179 * 86_400_000)
      expect(await knownDevice()).toMatchObject({ account: account.id })
      vi.advanceTimersByTime(2 * 86_400_000)
      expect(await knownDevice()).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  test.each(['', 'nonsense'])('is ignored as %j', async (value) => {
    jar.set(cookieName('device'), value)
    expect(await knownDevice()).toBeNull()
  })

  test('is not taken from a session, nor without the ids of an account and a device', async () => {
    jar.set(cookieName('device'), await encodeSession(claimsFor(account), account))
    expect(await knownDevice()).toBeNull()
    const salt = 'known device'
    const forged = (token: Record<string, string>) => encode({ token, secret: sessionSecret(), salt })
    jar.set(cookieName('device'), await forged({ account: account.id, id: 'x' }))
    expect(await knownDevice()).toBeNull()
  })
})

describe('a sealed cookie', () => {
  test('gives its value back under its own name only', async () => {
    await setSealedCookie('invitation', 'a token', 3600)
    expect(jar.get(cookieName('invitation'))).not.toContain('a token')
    expect(optionsOf('invitation')).toMatchObject({ httpOnly: true, maxAge: 3600 })
    expect(await readSealedCookie('invitation')).toBe('a token')
    jar.set(cookieName('passkey'), jar.get(cookieName('invitation')) ?? '')
    expect(await readSealedCookie('passkey')).toBeNull()
  })

  test('is removed by an empty value, and missing or damaged it is null', async () => {
    await setSealedCookie('invitation', 'a token', 3600)
    await setSealedCookie('invitation', '', 0)
    expect(jar.has(cookieName('invitation'))).toBe(false)
    expect(optionsOf('invitation')).toMatchObject({ maxAge: 0 })
    expect(await readSealedCookie('invitation')).toBeNull()
    jar.set(cookieName('invitation'), 'nonsense')
    expect(await readSealedCookie('invitation')).toBeNull()
  })

  test('ends with its time', async () => {
    await setSealedCookie('invitation', 'a token', 3600)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.advanceTimersByTime(3500_000)
      expect(await readSealedCookie('invitation')).toBe('a token')
      vi.advanceTimersByTime(200_000)
      expect(await readSealedCookie('invitation')).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the session at the identity provider', () => {
  test('is kept for eight hours with the token that ends it, and taken once', async () => {
    await rememberProviderSession('id token')
    expect(optionsOf('provider')).toMatchObject({ httpOnly: true, maxAge: 8 * 3600 })
    expect(await takeProviderSession()).toMatchObject({ idToken: 'id token' })
    expect(jar.has(cookieName('provider'))).toBe(false)
    expect(optionsOf('provider')).toMatchObject({ maxAge: 0 })
    browser.options.clear()
    expect(await takeProviderSession()).toBeNull()
    expect(optionsOf('provider')).toBeUndefined() // nothing to remove
  })

  test('is kept without a token that no cookie can hold', async () => {
    await rememberProviderSession('x'.repeat(2_000))
    expect((await takeProviderSession())?.idToken).toHaveLength(2_000)
    await rememberProviderSession('x'.repeat(3_800))
    expect(jar.get(cookieName('provider'))?.length).toBeLessThan(1_000)
    expect(await takeProviderSession()).toEqual({})
    await rememberProviderSession(undefined)
    expect(await takeProviderSession()).toEqual({})
  })

  test('is forgotten by a sign-in without the provider', async () => {
    await rememberProviderSession('id token')
    await rememberProviderSession(null)
    expect(jar.has(cookieName('provider'))).toBe(false)
  })

  test('is unknown if its cookie is damaged, which is removed', async () => {
    jar.set(cookieName('provider'), 'nonsense')
    expect(await takeProviderSession()).toBeNull()
    expect(jar.has(cookieName('provider'))).toBe(false)
  })
})
