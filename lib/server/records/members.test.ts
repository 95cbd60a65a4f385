import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '@/lib/contracts/wire/api'
import { highest } from '@/lib/contracts/wire/rights'
import { changeOwnPassword, checkPassword, createAccount, Email, endSessions } from '../access/accounts'
import { type Actor, rightsOf, roleOf, systemActor } from '../access/actor'
import { activeAccount, claimsFor, endSession } from '../access/session'
import { insertWorkspace } from '../access/workspace-settings'
import { db } from '../process/db'
import { audit } from '../process/schema'
import { actorOf, givePassword, type TestConsole, testActor, testConsole } from '../testing'
import * as members from './members'
import { listMembers } from './members'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
  for (const slug of ['staging', 'production'])
    await insertWorkspace({ kind: 'direct', slug, name: slug, dialect: 'auto', allowedOrigins: [] })
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  await (await db()).execute(sql`truncate console.accounts cascade`)
})

const invite = (actor: Actor, workspace: string, email: string, role: Role) =>
  members.inviteMember(actor, { workspace, email, role }, 'request')
const setRole = (actor: Actor, workspace: string, account: string, role: Role | null) =>
  members.setRole(actor, { workspace, account, role }, 'request')
const disable = (actor: Actor, account: string) =>
  members.disableMember(actor, { account, isDisabled: true }, 'request')

describe('signing in', () => {
  const password = 'a long enough password'
  const make = async () => {
    const account = await createAccount(await db(), { email: 'someone@example.com', name: 'Some One' })
    await givePassword(account.id, password)
    return account
  }

  test('accepts the right password, with the address in any case', async () => {
    const account = await make()
    expect(await checkPassword(' SomeOne@Example.com ', password, '::1')).toEqual(account)
    expect(await checkPassword('someone@example.com', `${password} `, '::1')).toBeNull()
  })

  test.each([
    [undefined, undefined],
    ['someone@example.com', undefined],
    [{}, []],
    ['', ''],
    ['nobody@example.com', password],
    ['someone@example.com', 'x'.repeat(300)],
    ["' or 1=1 --", password],
  ])('refuses %o', async (email, given) => {
    await make()
    expect(await checkPassword(email, given, '::1')).toBeNull()
  })

  test('refuses an account without a password and a disabled one', async () => {
    await createAccount(await db(), { email: 'sso@example.com' })
    expect(await checkPassword('sso@example.com', '', '::1')).toBeNull()
    const { id } = await make()
    await (await db()).execute(sql`update console.accounts set disabled_at = now() where id = ${id}`)
    expect(await checkPassword('someone@example.com', password, '::1')).toBeNull()
  })

  test('refuses even the right password after five wrong ones from one address, with the time to wait', async () => {
    await make()
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => checkPassword('someone@example.com', 'a guess that is wrong', '10.0.0.1')),
    )
    expect(tries.filter(({ status }) => status === 'rejected')).toHaveLength(3)
    const refused = await checkPassword('someone@example.com', password, '10.0.0.1').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'rate_limited', view: { retryAfterMs: expect.any(Number) } })
    expect(await checkPassword('someone@example.com', password, '10.0.0.2')).not.toBeNull() // the owner from another address
  })

  test('does not count successful sign-ins', async () => {
    await make()
    for (let round = 0; round < 7; round += 1)
      expect(await checkPassword('someone@example.com', password, '::1')).not.toBeNull()
  })

  test('accepts ASCII addresses only', () => {
    expect(Email.safeParse('Someone@Example.com').data).toBe('someone@example.com')
    for (const other of ['someone＠example.com', 'sоmeone@example.com', 'a@b', 'x@y.z\u0000', ''])
      expect(Email.safeParse(other).success).toBe(false)
  })
})

describe('a role', () => {
  test('is the highest of the workspace and the whole console', async () => {
    const actor = await testActor({ staging: 'developer', '*': 'viewer' })
    expect(await roleOf(actor, 'staging')).toBe('developer')
    expect(await roleOf(actor, 'other')).toBe('viewer')
    expect(await roleOf(await testActor({ staging: 'admin' }), 'other')).toBeNull()
    expect(highest([])).toBeNull()
    expect(highest(['viewer', 'admin', 'developer'])).toBe('admin')
  })

  test('of a system actor is viewer', async () => {
    expect(await roleOf(systemActor('poller'), 'staging')).toBe('viewer')
  })

  test('changes immediately for an existing actor', async () => {
    const actor = await testActor({ staging: 'admin' })
    const admin = await testActor({ '*': 'admin' })
    await setRole(admin, 'staging', actor.id, 'viewer')
    expect(await roleOf(actor, 'staging')).toBe('viewer')
    await setRole(admin, 'staging', actor.id, null)
    expect(await roleOf(actor, 'staging')).toBeNull()
  })

  test('ends with an outdated session version, a sign-out, an expired session or a disabled account', async () => {
    const store = await db()
    const admin = await testActor({ '*': 'admin' })
    const stale = await testActor({ staging: 'admin' })
    await endSessions(store, stale.id)
    expect(await roleOf(stale, 'staging')).toBeNull()
    expect(await roleOf(actorOf({ ...stale.account, sessionVersion: 2 }), 'staging')).toBe('admin')

    const person = await testActor({ staging: 'admin' })
    const claims = claimsFor(person.account)
    const signedOut = { ...person, session: { id: claims.session, version: 1, endsAt: Date.now() + 1000 } }
    await endSession(claims)
    expect(await roleOf(signedOut, 'staging')).toBeNull()
    expect(await roleOf(person, 'staging')).toBe('admin') // another session of the same user

    expect(await roleOf({ ...person, session: { id: 'x', version: 1, endsAt: Date.now() - 1 } }, 'staging')).toBeNull()

    await disable(admin, person.id)
    expect(await roleOf(person, 'staging')).toBeNull()
    expect(await roleOf({ id: person.id, email: '', kind: 'user' }, 'staging')).toBeNull() // also without a session
    expect(await activeAccount(person.id, { id: 'x', version: 2 })).toBeNull()
  })
})

describe('members', () => {
  test('with a new address get an account with a password that is shown once', async () => {
    const admin = await testActor({ '*': 'admin' })
    const { account, password } = await invite(admin, 'staging', 'new@example.com', 'developer')
    expect(await checkPassword('new@example.com', password, '::1')).toMatchObject({ id: account })
    expect(await invite(admin, 'production', 'new@example.com', 'viewer')).toEqual({ account, password: null })
    await expect(invite(admin, 'staging', 'new@example.com', 'admin')).rejects.toMatchObject({ code: 'conflict' })
    expect(await roleOf(actorOf({ id: account, email: '', name: '', sessionVersion: 1 }), 'staging')).toBe('developer')
  })

  test('are listed for administrators only, with the source of their role and without hashes', async () => {
    const admin = await testActor({ '*': 'admin' })
    await invite(admin, 'staging', 'new@example.com', 'developer')
    const listed = await listMembers(admin, 'staging')
    expect(
      listed.map(({ email, role, isEverywhere, signsInWith }) => ({ email, role, isEverywhere, signsInWith })),
    ).toEqual([
      { email: 'new@example.com', role: 'developer', isEverywhere: false, signsInWith: ['password'] },
      { email: admin.email, role: 'admin', isEverywhere: true, signsInWith: [] },
    ])
    expect(JSON.stringify(listed)).not.toContain('scrypt')
    await expect(listMembers(await testActor({ other: 'admin' }), 'staging')).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('get roles for some deployments, which only a role that includes them replaces', async () => {
    const admin = await testActor({ '*': 'admin' })
    const person = await testActor({ staging: 'developer' })
    const change = (given: object) =>
      members.setRole(admin, { workspace: 'staging', account: person.id, role: null, ...given }, 'of-deployments')
    const now = async () => await rightsOf(person, 'staging')
    await change({ deployments: { a: 'developer', b: 'viewer' } })
    expect(await now()).toEqual({ role: null, deployments: { a: 'developer', b: 'viewer' } })
    await change({ role: 'viewer', deployments: { a: 'developer', b: 'viewer' } })
    expect(await now()).toEqual({ role: 'viewer', deployments: { a: 'developer' } })
    await change({ role: 'admin', deployments: { a: 'developer' } })
    expect(await now()).toEqual({ role: 'admin', deployments: {} })

    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`d${index}`, 'viewer' as const]))
    for (const deployments of [{}, many])
      await expect(change({ deployments })).rejects.toMatchObject({
        view: { code: 'invalid', fields: [{ path: ['deployments'] }] },
      })
    const everywhere = {
      workspace: '*',
      account: admin.id,
      role: 'admin' as const,
      deployments: { a: 'admin' as const },
    }
    await members.setRole(admin, everywhere, 'request') // the role includes it
    await expect(members.setRole(admin, { ...everywhere, role: null }, 'request')).rejects.toMatchObject({
      code: 'invalid',
    })
    expect(await now()).toEqual({ role: 'admin', deployments: {} })
    await change({})
    expect(await now()).toEqual({ role: null, deployments: {} })
    const isOurs = and(eq(audit.kind, 'intent'), eq(audit.requestId, 'of-deployments'))
    const entries = await (await db()).select().from(audit).where(isOurs).orderBy(audit.seq)
    expect(entries[1]?.params).toEqual({ account: person.id, role: 'viewer', deployments: 'a=developer' })
  })

  test('always keep one administrator, even if two leave at the same time', async () => {
    const store = await db()
    for (let round = 0; round < 5; round += 1) {
      await store.execute(sql`truncate console.accounts cascade`)
      const [one, two] = [await testActor({ '*': 'admin' }), await testActor({ '*': 'admin' })]
      await Promise.all([1, 2, 3].map(() => store.execute(sql`select pg_sleep(0.01)`))) // opens connections first, so that the two really overlap
      const gone = await Promise.allSettled([setRole(one, '*', one.id, 'viewer'), setRole(two, '*', two.id, null)])
      expect(gone.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const roles = [await roleOf(one, '*'), await roleOf(two, '*')]
      expect(roles.filter((role) => role === 'admin')).toHaveLength(1)
      await store.execute(sql`truncate console.accounts cascade`)
      const pair = [await testActor({ '*': 'admin' }), await testActor({ '*': 'admin' })] as const
      const disabled = await Promise.allSettled([disable(pair[0], pair[1].id), disable(pair[1], pair[0].id)])
      expect(disabled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  test('lose their sessions when their password is reset', async () => {
    const admin = await testActor({ '*': 'admin' })
    const person = await testActor({ staging: 'viewer' })
    await givePassword(person.id, 'the first password')
    const { password } = await members.resetMemberPassword(admin, person.id, 'request')
    expect(await roleOf(person, 'staging')).toBeNull()
    await expect(changeOwnPassword(person.id, 'the first password', 'another password')).rejects.toMatchObject({
      code: 'invalid',
      view: { fields: [{ path: ['current'] }] },
    })
    const initial = await checkPassword(person.email, password, '::1')
    if (!initial) throw new Error('The new password does not work.')
    expect(initial.hasInitialPassword).toBe(true)
    expect(await roleOf(actorOf(initial), 'staging')).toBeNull()
  })

  test('lose their earlier sessions when they change an initial password', async () => {
    const person = await testActor({ staging: 'viewer' })
    await expect(changeOwnPassword(person.id, 'x', 'y')).rejects.toMatchObject({ code: 'unsupported' })
    await givePassword(person.id, 'the first password')
    await (await db()).execute(sql`update console.accounts set has_initial_password = true where id = ${person.id}`)
    const after = await changeOwnPassword(person.id, 'the first password', 'another password of mine')
    expect(await roleOf(person, 'staging')).toBeNull()
    expect(await roleOf(actorOf(after), 'staging')).toBe('viewer')
    expect(await checkPassword(person.email, 'another password of mine', '::1')).toEqual(after)
    expect(await checkPassword(person.email, 'the first password', '::1')).toBeNull()
  })
})
