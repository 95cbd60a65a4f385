import { sql } from 'drizzle-orm'
import type { Account as ProviderAccount, User } from 'next-auth'
import { decode, type JWT } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { newInvitationToken } from '../identity/invitations'
import { db } from '../process/db'
import { disableMember } from '../records/members'
import { actorOf, type TestConsole, testActor, testConsole } from '../testing'
import { type Account, createAccount, endSessions, setPassword } from './accounts'
import { type Actor, assertSession, claimedActor, roleOf, sessionActor } from './actor'
import { authOptions } from './auth'
import { refuseAuthRequest } from './auth-request'
import { joinInvited, openInvitation } from './invitation'
import { roleFromClaims } from './oidc'
import { claimsFor, cookieName, encodeSession, SESSION_SECONDS } from './session'
import { browser } from './testing'

vi.mock('next/headers', () => import('./testing'))
const jar = browser.cookies

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  jar.clear()
  home.set({})
  await (await db()).execute(sql`truncate console.accounts, console.invitations, console.sign_in_attempts cascade`)
})

const carry = async (account: Account, more: object = {}) =>
  void jar.set(
    cookieName('session'),
    await encodeSession({ ...claimsFor(account), ...more }, { email: account.email, name: account.name }),
  )

describe('the actor of a request', () => {
  const refusal = { code: 'unauthenticated' }

  test('is the user of the session cookie', async () => {
    const person = await testActor({ staging: 'developer' })
    await carry(person.account)
    expect(await sessionActor()).toMatchObject({
      id: person.id,
      email: person.email,
      kind: 'user',
      session: { version: 1 },
    })
  })

  test('is nobody without a cookie, or with one that is damaged or signed with another secret', async () => {
    const { account } = await testActor({ '*': 'admin' })
    await expect(sessionActor()).rejects.toMatchObject(refusal)
    jar.set(cookieName('session'), 'nonsense')
    await expect(sessionActor()).rejects.toMatchObject(refusal)
    await carry(account)
    home.set({ NEXTAUTH_SECRET: 'y'.repeat(32) })
    await expect(sessionActor()).rejects.toMatchObject(refusal)
  })

  test.each<[string, (account: Account, admin: Actor) => Promise<unknown>]>([
    ['sessions were ended everywhere', async ({ id }) => endSessions(await db(), id)],
    ['the password was changed', async ({ id }) => setPassword(await db(), id, 'another password')],
    [
      'the account was disabled',
      async ({ id }, admin) => disableMember(admin, { account: id, isDisabled: true }, 'request'),
    ],
    ['the account is gone', async ({ id }) => (await db()).execute(sql`delete from console.accounts where id = ${id}`)],
  ])('is nobody from the next request after %s', async (_, act) => {
    const admin = await testActor({ '*': 'admin' })
    const { account } = await testActor({ staging: 'admin' })
    await carry(account)
    await expect(sessionActor()).resolves.toMatchObject({ id: account.id })
    await act(account, admin)
    await expect(sessionActor()).rejects.toMatchObject(refusal)
  })

  test('is nobody after signing out, even with a cookie that is still valid', async () => {
    const { account } = await testActor({ staging: 'admin' })
    await carry(account)
    const token = await decode({ token: jar.get(cookieName('session')), secret: 'x'.repeat(32) })
    const actor = await sessionActor()
    await expect(assertSession(actor)).resolves.toBeUndefined()
    await authOptions().events?.signOut?.({ token: token as JWT, session: null as never })
    await expect(sessionActor()).rejects.toMatchObject(refusal)
    await expect(assertSession(actor)).rejects.toMatchObject(refusal)
    await carry(account)
    await expect(sessionActor()).resolves.toMatchObject({ id: account.id })
  })

  test('is nobody eight hours after sign-in, even if the token was renewed', async () => {
    const { account } = await testActor({ staging: 'admin' })
    const justOver = Date.now() - SESSION_SECONDS * 1000 - 1
    await carry(account, { signedInAt: justOver })
    await expect(sessionActor()).rejects.toMatchObject(refusal)
    const renew = authOptions().callbacks?.jwt
    const token = { ...claimsFor(account), signedInAt: justOver }
    await expect(renew?.({ token, trigger: 'update' } as never)).rejects.toThrow('ended')
    const good = claimsFor(account)
    expect(await renew?.({ token: good } as never)).toEqual(good)
  })

  test('is nobody with a session that begins in the future, which would last longer than others', async () => {
    const { account } = await testActor({ staging: 'admin' })
    await carry(account, { signedInAt: Date.now() + 3_600_000 })
    await expect(sessionActor()).rejects.toMatchObject(refusal)
    const token = { ...claimsFor(account), signedInAt: Date.now() + 3_600_000 }
    await expect(authOptions().callbacks?.jwt?.({ token, trigger: 'update' } as never)).rejects.toThrow('ended')
  })

  test('cannot choose the version, account or start of its session', async () => {
    const { account } = await testActor({ staging: 'admin' })
    const jwt = authOptions().callbacks?.jwt
    const renewed = await jwt?.({
      token: claimsFor(account),
      trigger: 'update',
      session: { version: 99, sub: 'other' },
    } as never)
    expect(renewed).toMatchObject({ sub: account.id, version: 1 })
  })
})

describe('signing in with a password', () => {
  const authorize = (email: string, password: string) => {
    const provider = authOptions().providers[0] as unknown as {
      options: { authorize(given: object, request: object): Promise<User | null> }
    }
    return provider.options.authorize({ email, password }, { headers: { 'x-forwarded-for': '1.2.3.4, 10.0.0.9' } })
  }

  test('gives a session of the current version, or only an error code', async () => {
    await createAccount(await db(), { email: 'someone@example.com', password: 'a long password' })
    const user = await authorize('someone@example.com', 'a long password')
    const token = await authOptions().callbacks?.jwt?.({
      token: {},
      user,
      account: { provider: 'credentials' },
    } as never)
    expect(token).toMatchObject({
      sub: user?.id,
      version: 1,
      email: 'someone@example.com',
      session: expect.any(String),
      signedInAt: expect.any(Number),
    })
    expect(JSON.stringify([user, token])).not.toContain('scrypt')
    jar.clear()
    for (let round = 0; round < 5; round += 1) expect(await authorize('someone@example.com', 'wrong')).toBeNull()
    await expect(authorize('someone@example.com', 'a long password')).rejects.toThrow(/^RateLimited:\d+$/)
  }, 60_000) // eight hashes

  test('works on a device that the account has signed in from, while others locked the account', async () => {
    await createAccount(await db(), { email: 'someone@example.com', password: 'a long password' })
    await authorize('someone@example.com', 'a long password')
    const device = jar.get(cookieName('device')) ?? ''
    jar.clear()
    await (await db()).execute(
      sql`insert into console.sign_in_attempts (key) select 'email:someone@example.com' from generate_series(1, 25)`,
    )
    await expect(authorize('someone@example.com', 'a long password')).rejects.toThrow('RateLimited')
    jar.set(cookieName('device'), device)
    expect(await authorize('someone@example.com', 'a long password')).toMatchObject({ email: 'someone@example.com' })
    expect(jar.get(cookieName('device'))).toBe(device) // the same device, with its own count of attempts
    jar.set(cookieName('session'), device)
    await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' }) // it is no session
    jar.clear()
    await createAccount(await db(), { email: 'other@example.com', password: 'another long password' })
    await authorize('other@example.com', 'another long password')
    await expect(authorize('someone@example.com', 'a long password')).rejects.toThrow('RateLimited') // known to the other
  })

  test('with an initial password gives a session without rights, also when renewed', async () => {
    const email = 'someone@example.com'
    const { id } = await createAccount(await db(), { email, password: 'an initial password', hasInitialPassword: true })
    await (await db()).execute(
      sql`insert into console.memberships (account, workspace, role) values (${id}, '*', 'admin')`,
    )
    const jwt = authOptions().callbacks?.jwt
    const user = await authorize(email, 'an initial password')
    const token = await jwt?.({ token: {}, user, account: { provider: 'credentials' } } as never)
    const renewed = await jwt?.({ token, trigger: 'update', session: { hasInitialPassword: false } } as never)
    jar.set(cookieName('session'), await encodeSession(renewed as never, { email, name: '' }))
    await expect(sessionActor()).rejects.toMatchObject({ code: 'forbidden' })
    await expect(claimedActor()).rejects.toMatchObject({ code: 'forbidden' })
    const actor = await sessionActor({ mayHaveInitialPassword: true })
    expect(await roleOf(actor, 'any-workspace')).toBeNull()

    const { rows } = await (await db()).execute(
      sql`update console.accounts set oidc_subject = ${JSON.stringify(['https://id.example.com', 'abc'])} where id = ${id} returning id`,
    )
    expect(rows).toHaveLength(1)
    home.set({ OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' })
    const single = { token: {}, user: { id: 'abc' }, account: { provider: 'oidc', id_token: 'token' } }
    expect(await jwt?.(single as never)).not.toHaveProperty('hasInitialPassword') // the provider knows who it is
  })
})

describe('cookies', () => {
  test('are bound to the host and to TLS if the console uses TLS', () => {
    home.set({ NEXTAUTH_URL: 'https://console.example.com' })
    const { cookies, useSecureCookies, session } = authOptions()
    expect(session).toEqual({ strategy: 'jwt', maxAge: 8 * 3600 })
    expect(useSecureCookies).toBe(true)
    for (const cookie of Object.values(cookies ?? {})) {
      expect(cookie.name).toMatch(/^__Host-pilothouse\./)
      expect(cookie.options).toMatchObject({ httpOnly: true, sameSite: 'lax', path: '/', secure: true })
      expect(cookie.options).not.toHaveProperty('domain')
    }
  })

  test('of two consoles on one machine do not collide', () => {
    const name = authOptions().cookies?.sessionToken?.name
    expect(name).toBe('pilothouse-3000.session')
    home.set({ PORT: '3001' })
    expect(authOptions().cookies?.sessionToken?.name).not.toBe(name)
    expect(authOptions().cookies?.sessionToken?.options.secure).toBe(false)
  })
})

describe('single sign-on', () => {
  const settings = {
    OIDC_ISSUER: 'https://id.example.com/',
    OIDC_CLIENT_ID: 'console',
    OIDC_CLIENT_SECRET: 'canary',
    OIDC_ROLE_MAP: 'ops=admin, staff=developer',
    CONTROL_PLANE_URL: 'https://api.example.com',
  }
  const signIn = (claims: object) =>
    authOptions().callbacks?.signIn?.({
      user: {} as User,
      account: { provider: 'oidc' } as ProviderAccount,
      profile: claims as never,
    })
  const tokenOf = (sub: string) =>
    authOptions().callbacks?.jwt?.({ token: {}, user: { id: sub }, account: { provider: 'oidc' } } as never)
  beforeEach(() => home.set(settings))

  test('uses the settings from the environment and all three checks', () => {
    expect(authOptions().providers[2]).toMatchObject({
      id: 'oidc',
      wellKnown: 'https://id.example.com/.well-known/openid-configuration',
      checks: ['pkce', 'state', 'nonce'],
      idToken: true,
    })
    home.set({})
    expect(authOptions().providers).toHaveLength(2)
  })

  test('creates an account and sets its role on the first workspace from the claims at each sign-in', async () => {
    expect(await signIn({ sub: 's1', email: 'Ops@Example.com', name: 'Ops', groups: ['staff', 'ops'] })).toBe(true)
    const token = (await tokenOf('s1')) as JWT
    const actor = actorOf({ id: String(token.sub), email: '', name: '', sessionVersion: 1 })
    expect([await roleOf(actor, 'default'), await roleOf(actor, 'other'), await roleOf(actor, '*')]).toEqual([
      'admin',
      null,
      null,
    ])
    expect(await signIn({ sub: 's1', email: 'ops@example.com', groups: 'staff' })).toBe(true)
    expect(await roleOf(actor, 'default')).toBe('developer')
    expect(await signIn({ sub: 's1', email: 'ops@example.com', groups: [] })).toBe('/sign-in?error=AccessDenied')
    expect(await roleOf(actor, 'default')).toBeNull()
  })

  test('sets the roles of several workspaces, and leaves those that an administrator set', async () => {
    home.set({ ...settings, OIDC_ROLE_MAP: 'ops=admin@staging, staff=viewer, staff=viewer@staging, qa=viewer@testing' })
    const rolesAfter = async (groups: string[]) => {
      expect(await signIn({ sub: 's9', email: 'many@example.com', groups })).toBe(true)
      const actor = actorOf({ id: String(((await tokenOf('s9')) as JWT).sub), email: '', name: '', sessionVersion: 1 })
      return await Promise.all(['default', 'staging', 'testing', 'other'].map((one) => roleOf(actor, one)))
    }
    expect(await rolesAfter(['staff', 'ops'])).toEqual(['viewer', 'admin', null, null])
    expect(await rolesAfter(['qa'])).toEqual([null, null, 'viewer', null])
    await (await db()).execute(sql`update console.memberships set is_kept = true, role = 'developer'`)
    expect(await rolesAfter(['staff'])).toEqual(['viewer', 'viewer', 'developer', null])
    expect(await rolesAfter([])).toEqual([null, null, 'developer', null]) // still a member of one
  })

  test('admits an invited person without a mapped role, with a verified address only', async () => {
    const { token, hash } = newInvitationToken('00000000-0000-4000-8000-000000000001')
    await (await db()).execute(
      sql`insert into console.invitations (id, workspace, email, role, hash, created_by, expires_at)
        values ('00000000-0000-4000-8000-000000000001', 'default', 'guest@example.com', 'viewer', ${hash}, 'a', now() + interval '1 day')`,
    )
    const guest = { sub: 'g', email: 'guest@example.com', groups: [] }
    expect(await signIn({ ...guest, email_verified: true })).toBe('/sign-in?error=AccessDenied')
    await openInvitation(token)
    expect(await signIn(guest)).toBe('/sign-in?error=AccessDenied')
    expect(await signIn({ ...guest, sub: 'h', email: 'other@example.com', email_verified: true })).toBe(
      '/sign-in?error=AccessDenied',
    )
    expect(await signIn({ ...guest, email_verified: true })).toBe(true)
    const actor = actorOf({ id: String(((await tokenOf('g')) as JWT).sub), email: '', name: '', sessionVersion: 1 })
    expect(await roleOf(actor, 'default')).toBeNull() // until they accept
    await joinInvited(await openInvitation(token), actor.id)
    expect(await signIn({ ...guest, email_verified: true })).toBe(true)
    expect(await roleOf(actor, 'default')).toBe('viewer')
  })

  test('refuses users without a mapped role, subject or address, and disabled accounts', async () => {
    for (const claims of [
      { sub: 's', email: 'a@example.com' },
      { sub: 's', groups: ['ops'] },
      { email: 'a@example.com', groups: ['ops'] },
      { sub: 's', email: 'a@example.com', groups: 'toString' },
    ])
      expect(await signIn(claims)).toBe('/sign-in?error=AccessDenied')
    expect((await (await db()).execute(sql`select * from console.accounts`)).rows).toEqual([])
    const admin = await testActor({ '*': 'admin' })
    await signIn({ sub: 's2', email: 'b@example.com', groups: ['ops'] })
    const account = String(((await tokenOf('s2')) as JWT).sub)
    await disableMember(admin, { account, isDisabled: true }, 'request')
    expect(await signIn({ sub: 's2', email: 'b@example.com', groups: ['ops'] })).toBe('/sign-in?error=AccessDenied')
    await expect(tokenOf('s2')).rejects.toThrow()
  })

  test('links an existing account only if the provider has verified its address', async () => {
    const local = await createAccount(await db(), { email: 'someone@example.com', password: 'a long password' })
    const claims = { sub: 's3', email: 'someone@example.com', groups: ['ops'] }
    for (const more of [{}, { email_verified: false }, { email_verified: 'maybe' }])
      expect(await signIn({ ...claims, ...more })).toBe('/sign-in?error=OAuthAccountNotLinked')
    expect(await signIn({ ...claims, email_verified: true })).toBe(true)
    expect(((await tokenOf('s3')) as JWT).sub).toBe(local.id)
    expect(await signIn({ ...claims, sub: 's4', email_verified: true })).toBe('/sign-in?error=OAuthAccountNotLinked')
  })

  test('reads a claim at a dotted path and maps it to the highest role', () => {
    const map = [
      { claim: 'a', role: 'viewer' as const },
      { claim: 'b', role: 'admin' as const },
    ]
    expect(roleFromClaims({ realm_access: { roles: ['a', 'b'] } }, 'realm_access.roles', map)).toBe('admin')
    expect(roleFromClaims({ groups: 'a' }, 'groups', map)).toBe('viewer')
    expect(roleFromClaims({ groups: [1, null] }, 'groups', map)).toBeNull()
    expect(roleFromClaims({}, '__proto__.x', map)).toBeNull()
    expect(roleFromClaims({}, 'groups', [{ claim: '*', role: 'viewer' }])).toBe('viewer')
    expect(roleFromClaims({}, 'groups', undefined)).toBe('viewer')
  })
})

test.each([
  ['/default?a=b', 'http://localhost:3000/default?a=b'],
  ['http://localhost:3000/default', 'http://localhost:3000/default'],
  ['https://evil.example.com/', 'http://localhost:3000'],
  ['//evil.example.com/', 'http://localhost:3000'],
  ['/\\evil.example.com/', 'http://localhost:3000'],
  ['javascript:alert(1)', 'http://localhost:3000'],
  ['http://[', 'http://localhost:3000'],
])('after a sign-in that asks for %j the browser goes to %s', async (url, place) => {
  expect(await authOptions().callbacks?.redirect?.({ url, baseUrl: 'http://localhost:3000' })).toBe(place)
})

test.each([
  ['/api/auth/session?callbackUrl=/default', '', undefined],
  ['/api/auth/session?callbackUrl=http%3A%2F%2Flocalhost%3A3000%2F', 'a=b; CALLBACK=http%3A%2F%2Flocalhost', undefined],
  ['/api/auth/signout?callbackUrl=javascript%3Aalert(1)', '', 400],
  ['/api/auth/signout?callbackUrl=http%3A%2F%2F%5B', '', 400],
  ['/api/auth/session', 'CALLBACK=%zz', 400],
  ['/api/auth/_log', '', 404],
  ['/api/auth/callback/credentials?x=1', '', 405],
  ['/api/auth/callback/passke%79/x', '', 405],
  ['/api/auth/callback/%zz', '', undefined],
  ['/api/auth/callback/oidc?code=1', '', undefined],
])('a request for sign-in to %s with the cookies "%s" is answered %s', (path, cookies, status) => {
  const cookie = cookies.replace('CALLBACK', cookieName('callback'))
  const headers = new Headers(cookie ? { cookie } : {})
  expect(refuseAuthRequest({ method: 'GET', url: `http://localhost:3000${path}`, headers })?.status).toBe(status)
})

test.each([
  ['application/json; charset=utf-16', 415],
  ['text/plain, APPLICATION/JSON', 415],
  ['application/x-www-form-urlencoded', undefined],
])('what is posted for sign-in as %s is answered %s: next-auth would fail at what is no JSON', (type, status) => {
  const url = 'http://localhost:3000/api/auth/session'
  const headers = new Headers({ 'content-type': type })
  expect(refuseAuthRequest({ method: 'POST', url, headers })?.status).toBe(status)
  expect(refuseAuthRequest({ method: 'GET', url, headers })).toBeUndefined()
})

test('a password is posted to its callback, which the refusal says', () => {
  const url = 'http://localhost:3000/api/auth/callback/credentials'
  expect(refuseAuthRequest({ method: 'POST', url, headers: new Headers() })).toBeUndefined()
  expect(refuseAuthRequest({ method: 'GET', url, headers: new Headers() })?.headers.get('allow')).toBe('POST')
})
