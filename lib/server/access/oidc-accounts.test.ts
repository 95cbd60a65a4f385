import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testConsole } from '../testing'
import { createAccount } from './accounts'
import { accountOfSubject, admitFromClaims, oidcProvider } from './oidc'
import { browser } from './testing'

// How claims of the identity provider become accounts and memberships.
vi.mock('next/headers', () => import('./testing'))

const settings = {
  ...{ OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'canary' },
  ...{ OIDC_ROLE_MAP: 'ops=admin, ops=viewer@lab', AGENT_SERVER_URL: 'http://127.0.0.1:1' },
}
let home: TestConsole
beforeAll(async () => {
  home = await testConsole(settings)
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  browser.cookies.clear()
  home.set({})
  vi.clearAllMocks()
  await (await db()).execute(sql`truncate console.accounts cascade`)
})

const claims = { sub: 's', email: 'someone@example.com', groups: ['ops'] }
const all = async () => (await (await db()).execute(sql`select email, name, oidc_subject from console.accounts`)).rows
const members = async () =>
  (
    await (
      await db()
    ).execute<{ line: string }>(
      sql`select workspace || ' ' || role || ' ' || is_kept as line from console.memberships order by workspace`,
    )
  ).rows.map(({ line }) => line)
const disable = async () => (await db()).execute(sql`update console.accounts set disabled_at = now()`)

describe('somebody who is new', () => {
  test('gets an account with their name, for this issuer and subject', async () => {
    expect(await admitFromClaims({ ...claims, name: 'Some One', email_verified: 'true' })).toBeNull()
    expect(await all()).toEqual([
      { email: claims.email, name: 'Some One', oidc_subject: '["https://id.example.com","s"]' },
    ])
    expect(await members()).toEqual(['default admin false', 'lab viewer false'])
    expect(await accountOfSubject('s')).toMatchObject({ email: claims.email, name: 'Some One' })
    expect(await accountOfSubject('t')).toBeNull()
    expect(log.info).toHaveBeenLastCalledWith('sign_in.done', {
      ...{ email: claims.email, by: 'oidc', why: null, roles: ['admin@default', 'viewer@lab'] },
    })
    home.set({ OIDC_ISSUER: 'https://other.example.com' })
    expect(await accountOfSubject('s')).toBeNull()
  })

  test.each([
    ['a name that is no text', { name: 7 }],
    ['a name of 201 letters', { name: 'x'.repeat(201) }],
    ['an unreadable verification', { email_verified: 'maybe' }],
  ])('may have claims with %s, which is left out', async (_, more) => {
    expect(await admitFromClaims({ ...claims, ...more })).toBeNull()
    expect(await all()).toMatchObject([{ name: '' }])
  })

  test.each([
    ['no subject', { sub: '' }],
    ['a subject that is too long', { sub: 'x'.repeat(256) }],
    ['no address', { email: undefined }],
    ['an address that is none', { email: 'someone' }],
  ])('is refused with %s', async (_, more) => {
    expect(await admitFromClaims({ ...claims, ...more })).toBe('AccessDenied')
    expect(await all()).toEqual([])
    expect(log.warn).toHaveBeenCalledWith('sign_in.refused', expect.objectContaining({ by: 'oidc' }))
  })

  test('is refused without a role, and gets no account', async () => {
    expect(await admitFromClaims({ ...claims, groups: ['other'] })).toBe('AccessDenied')
    expect(await all()).toEqual([])
    expect(log.info).toHaveBeenLastCalledWith('sign_in.refused', {
      ...{ email: claims.email, by: 'oidc', why: 'AccessDenied', roles: [] },
    })
  })
})

describe('somebody who has an account', () => {
  test('is found by their subject, whatever their address is now', async () => {
    await admitFromClaims(claims)
    await createAccount(await db(), { email: 'moved@example.com' })
    expect(await admitFromClaims({ ...claims, email: 'moved@example.com' })).toBeNull()
    expect(await accountOfSubject('s')).toMatchObject({ email: claims.email })
  })

  test('is linked to it by a verified address, if no other subject is', async () => {
    const { id } = await createAccount(await db(), { email: claims.email, name: 'Local' })
    await createAccount(await db(), { email: 'other@example.com' })
    expect(await admitFromClaims({ ...claims, name: 'Theirs' })).toBe('OAuthAccountNotLinked')
    expect(await accountOfSubject('s')).toBeNull()
    expect(await members()).toEqual([])
    expect(await admitFromClaims({ ...claims, name: 'Theirs', email_verified: true })).toBeNull()
    expect(await accountOfSubject('s')).toEqual({ id, email: claims.email, name: 'Local', sessionVersion: 1 })
    expect(await admitFromClaims({ ...claims, sub: 't', email_verified: true })).toBe('OAuthAccountNotLinked')
    expect((await all()).map(({ oidc_subject }) => oidc_subject !== null).sort()).toEqual([false, true])
  })

  test('that is disabled is refused, linked or not', async () => {
    await createAccount(await db(), { email: claims.email })
    await disable()
    expect(await admitFromClaims({ ...claims, email_verified: true })).toBe('AccessDenied')
    expect(await all()).toMatchObject([{ oidc_subject: null }])
    await (await db()).execute(sql`truncate console.accounts cascade`)
    await admitFromClaims(claims)
    await disable()
    expect(await admitFromClaims(claims)).toBe('AccessDenied')
    expect(await accountOfSubject('s')).toBeNull()
  })

  test('loses the memberships that the claims gave, and keeps those of an administrator', async () => {
    await admitFromClaims(claims)
    await (await db()).execute(sql`update console.memberships set is_kept = true where workspace = 'lab'`)
    expect(await admitFromClaims({ ...claims, groups: [] })).toBeNull() // still a member of one
    expect(await members()).toEqual(['lab viewer true'])
    await (await db()).execute(sql`update console.memberships set role = 'admin'`)
    expect(await admitFromClaims(claims)).toBeNull()
    expect(await members()).toEqual(['default admin false', 'lab admin true'])
    home.set({ OIDC_ROLE_MAP: 'ops=developer' })
    expect(await admitFromClaims(claims)).toBeNull()
    expect(await members()).toEqual(['default developer false', 'lab admin true'])
    await (await db()).execute(sql`delete from console.memberships where workspace = 'lab'`)
    expect(await admitFromClaims({ ...claims, groups: [] })).toBe('AccessDenied')
    expect(await members()).toEqual([])
  })
})

test('without an issuer there is no provider', () => {
  expect(oidcProvider()).toMatchObject({ id: 'oidc', clientId: 'console', idToken: true })
  home.set({ OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', OIDC_ROLE_MAP: '' })
  expect(oidcProvider()).toBeUndefined()
})
