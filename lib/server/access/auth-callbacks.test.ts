import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { softDevice } from '../identity/testing'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testConsole } from '../testing'
import { type Account, createAccount, setPassword } from './accounts'
import { authOptions, hasSingleSignOn } from './auth'
import { register, registrationOptions, signInOptions } from './passkeys'
import { claimsFor, cookieName, endSession, rememberProviderSession, takeProviderSession } from './session'
import { browser } from './testing'

vi.mock('next/headers', () => import('./testing'))
const jar = browser.cookies

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
  home.set({})
  vi.clearAllMocks()
  await (await db()).execute(
    sql`truncate console.accounts, console.sign_in_attempts, console.ended_sessions, console.sessions cascade`,
  )
  account = await createAccount(await db(), { email: 'owner@example.com', name: 'Owner' })
})

type Authorize = (given: object | undefined, request: { headers?: object }) => Promise<{ id: string } | null>
const provider = (index: number) =>
  (authOptions().providers[index] as unknown as { options: { authorize: Authorize } }).options
const byPassword: Authorize = (given, request) => provider(0).authorize(given, request)
const byPasskey: Authorize = (given, request) => provider(1).authorize(given, request)
const request = { headers: { 'x-forwarded-for': '192.0.2.1' } }

/** While `work` runs, the store has no accounts. */
async function withoutAccounts<T>(work: () => Promise<T>): Promise<T> {
  const store = await db()
  await store.execute(sql`alter table console.accounts rename to accounts_away`)
  try {
    return await work()
  } finally {
    await store.execute(sql`alter table console.accounts_away rename to accounts`)
  }
}

describe('a password', () => {
  test('that is not given, or is wrong, signs nobody in and makes no device known', async () => {
    expect(await byPassword(undefined, request)).toBeNull()
    expect(await byPassword({ email: account.email, password: 'wrong' }, request)).toBeNull()
    expect(jar.size).toBe(0)
  })

  test('makes its device known', async () => {
    await setPassword(await db(), account.id, 'violet tractor lantern')
    const given = { email: account.email, password: 'violet tractor lantern' }
    expect(await byPassword(given, request)).toMatchObject({ id: account.id })
    expect(jar.has(cookieName('device'))).toBe(true)
  })

  test('is counted for the address of the client, and for all clients without one together', async () => {
    const keys = async () =>
      (await (await db()).execute(sql`select key from console.sign_in_attempts where key like 'address:%'`)).rows.map(
        ({ key }) => key,
      )
    await byPassword({ email: account.email, password: 'wrong' }, request)
    expect(await keys()).toEqual(['address:192.0.2.1'])
    await byPassword({ email: account.email, password: 'wrong' }, {})
    await byPassword({ email: account.email, password: 'wrong' }, { headers: {} })
    expect(await keys()).toEqual(['address:192.0.2.1', 'address:unknown', 'address:unknown'])
  })

  test('that was wrong too often has to wait for a quarter of an hour, which is told in seconds', async () => {
    await (await db()).execute(
      sql`insert into console.sign_in_attempts (key) select 'email:owner@example.com' from generate_series(1, 25)`,
    )
    const refused = await byPassword({ email: account.email, password: 'x' }, request).catch((error: Error) => error)
    const seconds = Number(/^RateLimited:(\d+)$/.exec((refused as Error).message)?.[1])
    expect(seconds).toBeGreaterThan(800)
    expect(seconds).toBeLessThanOrEqual(900)
  })

  test('cannot be checked while the store fails, which is no refusal', async () => {
    await withoutAccounts(() =>
      expect(byPassword({ email: account.email, password: 'x' }, request)).rejects.toThrow('Unavailable'),
    )
    expect(log.error).toHaveBeenCalledWith('sign_in.failed', { error: expect.any(Error) })
  })
})

describe('a passkey', () => {
  const add = async () => {
    const device = softDevice()
    await register(account.id, 'Laptop', device.create((await registrationOptions(account)).challenge))
    return device
  }
  const answer = async (device: ReturnType<typeof softDevice>) => ({
    passkey: JSON.stringify(device.get((await signInOptions('203.0.113.9')).challenge)),
  })

  test('signs its owner in, and makes the device known', async () => {
    const device = await add()
    expect(await byPasskey(await answer(device), request)).toEqual(account)
    expect(jar.has(cookieName('device'))).toBe(true)
    const known = jar.get(cookieName('device'))
    expect(await byPasskey(await answer(device), request)).toEqual(account)
    expect(jar.get(cookieName('device'))).toBe(known)
    expect(log.info).toHaveBeenLastCalledWith('sign_in.done', {
      ...{ email: account.email, address: '192.0.2.1', by: 'passkey' },
    })
  })

  test('that nobody has, or that is not given, signs nobody in', async () => {
    expect(await byPasskey(await answer(softDevice()), request)).toBeNull()
    expect(await byPasskey(undefined, request)).toBeNull()
    expect(jar.has(cookieName('device'))).toBe(false)
    expect(log.info).toHaveBeenLastCalledWith('sign_in.refused', expect.objectContaining({ by: 'passkey' }))
  })

  test('cannot be checked while the store fails, which is no refusal', async () => {
    const given = await answer(await add())
    await withoutAccounts(() => expect(byPasskey(given, request)).rejects.toThrow('Unavailable'))
    expect(log.error).toHaveBeenCalledWith('sign_in.failed', { error: expect.any(Error) })
  })
})

describe('a session', () => {
  const jwt = (given: object) => authOptions().callbacks?.jwt?.(given as never)

  test('begins for the account that has signed in, is listed, and ends what the provider began before', async () => {
    await rememberProviderSession('id token')
    const token = await jwt({ token: {}, user: account })
    expect(token).toMatchObject({ sub: account.id, email: account.email, name: 'Owner', version: 1 })
    expect(jar.has(cookieName('provider'))).toBe(false)
    expect((await (await db()).execute(sql`select id from console.sessions`)).rows).toEqual([{ id: token?.session }])
  })

  test('that has ended, or is none, is not renewed', async () => {
    const claims = claimsFor(account)
    expect(await jwt({ token: claims })).toEqual(claims)
    await expect(jwt({ token: {} })).rejects.toThrow()
    await endSession(claims)
    await expect(jwt({ token: claims })).rejects.toThrow('The session has ended.')
  })

  test('ends when its user signs out, and a token that is none ends nothing', async () => {
    const signOut = (token: object | undefined) => authOptions().events?.signOut?.({ token } as never)
    const claims = claimsFor(account)
    await signOut(claims)
    await expect(jwt({ token: claims })).rejects.toThrow('The session has ended.')
    await signOut({ sub: 'x' })
    await signOut(undefined)
    const { rows } = await (await db()).execute(sql`select id, ends_at from console.ended_sessions`)
    expect(rows).toEqual([{ id: claims.session, ends_at: expect.anything() }])
  })

  test('shows its user and its end, eight hours after sign-in', async () => {
    const show = (token: object) =>
      authOptions().callbacks?.session?.({ session: { user: {}, expires: 'then' }, token } as never)
    const user = { email: 'a@example.com', name: 'A' }
    const signedInAt = Date.parse('2026-11-20T08:00:00Z')
    expect(show({ ...user, signedInAt, sub: 'secret' })).toEqual({ user, expires: '2026-11-20T16:00:00.000Z' })
    expect(show(user)).toEqual({ user, expires: 'then' })
  })
})

describe('single sign-on', () => {
  const settings = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'canary' }
  const signIn = (provider: string | undefined) =>
    authOptions().callbacks?.signIn?.({
      account: provider && { provider },
      profile: { sub: 's', email: 'owner@example.com', groups: [] },
    } as never)

  test('is offered with an issuer only, and asks it for the address and name', () => {
    expect(hasSingleSignOn()).toBe(false)
    home.set(settings)
    expect(hasSingleSignOn()).toBe(true)
    const offered = authOptions().providers[2] as unknown as { profile(claims: object): object }
    expect(offered).toMatchObject({
      ...{ type: 'oauth', clientId: 'console', clientSecret: 'canary' },
      authorization: { params: { scope: 'openid profile email' } },
    })
    expect(offered.profile({ sub: 's', email: 'a@example.com', name: 'A', extra: 1 })).toEqual({
      ...{ id: 's', email: 'a@example.com', name: 'A' },
    })
  })

  test('decides about its own users only', async () => {
    home.set({ ...settings, OIDC_ROLE_MAP: 'ops=admin' })
    expect([await signIn('credentials'), await signIn('passkey'), await signIn(undefined)]).toEqual([true, true, true])
    expect(await signIn('oidc')).toBe('/sign-in?error=OAuthAccountNotLinked')
  })

  test('begins the session of the account with that subject, and keeps what ends it at the provider', async () => {
    home.set(settings)
    const begin = () =>
      authOptions().callbacks?.jwt?.({
        ...{ token: {}, user: { id: 's' }, account: { provider: 'oidc', id_token: 'id token' } },
      } as never)
    await expect(begin()).rejects.toThrow('The account was disabled while it signed in.')
    expect(jar.size).toBe(0)
    const subject = JSON.stringify([settings.OIDC_ISSUER, 's'])
    await (await db()).execute(sql`update console.accounts set oidc_subject = ${subject}`)
    expect(await begin()).toMatchObject({ sub: account.id, email: account.email })
    expect(await takeProviderSession()).toMatchObject({ idToken: 'id token' })
  })

  test('says that it is unavailable while the store fails', async () => {
    home.set(settings)
    expect(await withoutAccounts(async () => await signIn('oidc'))).toBe('/sign-in?error=Unavailable')
    expect(log.error).toHaveBeenCalledWith('sign_in.failed', { error: expect.any(Error) })
  })
})

describe('the cookies of a sign-in', () => {
  test('last for a quarter of an hour, and that of the session for as long as next-auth says', () => {
    const { cookies = {} } = authOptions()
    expect(Object.entries(cookies).map(([name, { options }]) => [name, options.maxAge])).toEqual([
      ['sessionToken', undefined],
      ['callbackUrl', undefined],
      ['csrfToken', undefined],
      ['pkceCodeVerifier', 900],
      ['state', 900],
      ['nonce', 900],
    ])
    expect(cookies.sessionToken?.options).toEqual({ httpOnly: true, sameSite: 'lax', path: '/', secure: false })
  })

  test('lead to pages of the console', () => {
    expect(authOptions().pages).toEqual({ signIn: '/sign-in', error: '/sign-in', signOut: '/sign-in' })
  })
})

test('the cookie of an ended session is no error in the log, and anything else of next-auth is one', () => {
  const { logger } = authOptions()
  logger?.error?.('JWT_SESSION_ERROR', new Error('ended'))
  expect(log.info).toHaveBeenCalledWith('session.dropped', { code: 'JWT_SESSION_ERROR' })
  expect(log.error).not.toHaveBeenCalled()
  const error = new Error('no')
  logger?.error?.('OTHER', error)
  logger?.error?.('OTHER', { error, more: 1 })
  expect(vi.mocked(log.error).mock.calls).toEqual([
    ['next_auth.error', { code: 'OTHER', error }],
    ['next_auth.error', { code: 'OTHER', error }],
  ])
  logger?.warn?.('NEXTAUTH_URL')
  expect(log.warn).toHaveBeenCalledWith('next_auth.warning', { code: 'NEXTAUTH_URL' })
})
