import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Role } from '@/lib/contracts/wire/api'
import type { Result } from '@/lib/errors'
import { type Account, createAccount } from '../server/access/accounts'
import { roleOf, sessionActor } from '../server/access/actor'
import { claimsFor, cookieName, encodeSession } from '../server/access/session'
import { browser } from '../server/access/testing'
import { db } from '../server/process/db'
import { memberships } from '../server/process/schema'
import { verifyAudit } from '../server/records/audit'
import { listSessions } from '../server/records/sessions'
import { type TestConsole, testActor, testConsole } from '../server/testing'
import { changePassword, endOtherSessions, endSession } from './account'
import { createInvitation, revokeInvitation } from './invitations'
import { disableMember, inviteMember, resetMemberPassword, setRole, signOutEverywhere } from './members'
import {
  addDirectServer,
  createWorkspace,
  deleteWorkspace,
  removeDirectServer,
  testAgentServer,
  testControlPlane,
  updateWorkspace,
} from './workspaces'

vi.mock('next/headers', () => import('../server/access/testing'))
const jar = browser.cookies

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})

const signIn = async (account: Account) =>
  void jar.set(cookieName('session'), await encodeSession(claimsFor(account), account))
const signInAs = async (roles: Record<string, Role>) => {
  const person = await testActor(roles)
  await signIn(person.account)
  return person
}
const trail = async () =>
  (
    await (
      await db()
    ).execute(sql`select kind, operation, workspace, params, fields, outcome, actor from console.audit order by seq`)
  ).rows as { kind: string; operation: string; params: object; fields: string[]; outcome: string | null }[]

let admin: Awaited<ReturnType<typeof testActor>>
beforeEach(async () => {
  browser.origin = 'http://localhost:3000'
  browser.headers = {}
  jar.clear()
  home.set({})
  await (await db()).execute(
    sql`truncate console.accounts, console.workspaces, console.audit, console.audit_head cascade`,
  )
  admin = await testActor({ '*': 'admin' })
})

const uuid = '00000000-0000-4000-8000-000000000000'
const staging = {
  kind: 'control-plane' as const,
  slug: 'staging',
  name: 'Staging',
  dialect: 'auto' as const,
  allowedOrigins: [],
  baseUrl: 'https://api.example.com',
  keys: { apiKey: 'canary' },
}
/** Every action with a valid input. `needs` says where the user must be an admin. */
const ACTIONS: Record<string, { needs: 'console' | 'workspace' | 'nobody'; act: () => Promise<Result<unknown>> }> = {
  createWorkspace: { needs: 'console', act: () => createWorkspace(staging) },
  updateWorkspace: { needs: 'console', act: () => updateWorkspace('staging', { name: 'Other' }) },
  deleteWorkspace: { needs: 'console', act: () => deleteWorkspace('staging') },
  testControlPlane: {
    needs: 'console',
    act: () => testControlPlane({ slug: 'staging', baseUrl: 'http://127.0.0.1:1', dialect: 'auto' }),
  },
  testAgentServer: { needs: 'console', act: () => testAgentServer('staging', { url: 'http://127.0.0.1:1' }) },
  addDirectServer: {
    needs: 'console',
    act: () => addDirectServer('staging', { name: 'x', url: 'http://127.0.0.1:8000' }),
  },
  removeDirectServer: { needs: 'console', act: () => removeDirectServer('staging', uuid) },
  inviteMember: {
    needs: 'workspace',
    act: () => inviteMember({ workspace: 'staging', email: 'new@example.com', role: 'viewer' }),
  },
  setRole: { needs: 'workspace', act: () => setRole({ workspace: 'staging', account: uuid, role: 'viewer' }) },
  createInvitation: {
    needs: 'workspace',
    act: () => createInvitation({ workspace: 'staging', email: 'new@example.com', role: 'viewer', days: 7 }),
  },
  revokeInvitation: { needs: 'workspace', act: () => revokeInvitation({ workspace: 'staging', id: uuid }) },
  disableMember: { needs: 'console', act: () => disableMember({ account: uuid, isDisabled: true }) },
  resetMemberPassword: { needs: 'console', act: () => resetMemberPassword({ account: uuid }) },
  signOutEverywhere: { needs: 'console', act: () => signOutEverywhere({ account: uuid }) },
  endSession: { needs: 'console', act: () => endSession({ account: uuid, session: 'x' }) },
  endOtherSessions: { needs: 'nobody', act: () => endOtherSessions() },
  changePassword: { needs: 'nobody', act: () => changePassword({ current: 'x', next: 'a new long password' }) },
}
const names = Object.keys(ACTIONS)
const act = (name: string) => (ACTIONS[name] as (typeof ACTIONS)[string]).act() // names come from the table

describe('every action', () => {
  test.each(names)('%s refuses requests from other origins before anything else', async (name) => {
    await signIn(admin.account)
    for (const from of [
      undefined,
      'null',
      'https://evil.example.com',
      'http://localhost:3001',
      'https://localhost:3000',
    ]) {
      browser.origin = from
      expect(await act(name)).toMatchObject({ ok: false, error: { code: 'forbidden', requestId: expect.any(String) } })
    }
    expect(await trail()).toEqual([])
  })

  test.each(names)('%s refuses a request without a session', async (name) => {
    expect(await act(name)).toMatchObject({ ok: false, error: { code: 'unauthenticated' } })
    expect(await trail()).toEqual([])
  })

  test.each(names.filter((name) => name !== 'changePassword'))(
    '%s refuses an administrator whose initial password is not changed yet',
    async (name) => {
      await signIn({ ...admin.account, hasInitialPassword: true })
      expect(await act(name)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
      expect(await trail()).toEqual([])
    },
  )

  test.each(names.filter((name) => ACTIONS[name]?.needs !== 'nobody'))(
    '%s refuses lower roles and audits exactly one denial',
    async (name) => {
      const lower: Record<string, Role>[] = [
        {},
        { staging: 'viewer' },
        { '*': 'developer' },
        ...(ACTIONS[name]?.needs === 'console' ? [{ staging: 'admin' as const }] : []),
      ]
      for (const roles of lower) {
        await signInAs(roles)
        expect(await act(name)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
      }
      expect((await trail()).map(({ kind, operation }) => `${kind} ${operation}`)).toEqual(
        lower.map(() => `denial ${name}`),
      )
    },
  )

  test.each(names)('%s does nothing when its intent cannot be recorded', async (name) => {
    await signIn(admin.account)
    await createWorkspace(staging)
    const store = await db()
    const state = async () =>
      (
        await store.execute(
          sql`select (select json_agg(a order by id) from console.accounts a) as a, (select json_agg(w) from console.workspaces w) as w, (select json_agg(m) from console.memberships m) as m, (select json_agg(d) from console.direct_servers d) as d`,
        )
      ).rows
    const before = await state()
    await store.execute(sql`alter table console.audit rename to audit_away`)
    try {
      const given = name === 'createWorkspace' ? await createWorkspace({ ...staging, slug: 'second' }) : await act(name)
      expect(given).toMatchObject({
        ok: false,
        error: { code: 'internal', message: expect.stringContaining('audit trail') },
      })
    } finally {
      await store.execute(sql`alter table console.audit_away rename to audit`)
    }
    expect(await state()).toEqual(before)
  })

  test.each<[string, () => Promise<Result<unknown>>]>([
    ['createWorkspace', () => createWorkspace({ ...staging, role: 'admin' } as never)],
    ['updateWorkspace', () => updateWorkspace('staging', { source: 'environment' } as never)],
    ['addDirectServer', () => addDirectServer('staging', { name: 'x', url: 'file:///etc/passwd' })],
    ['inviteMember', () => inviteMember({ workspace: 'staging', email: 'not an address', role: 'viewer' })],
    ['createInvitation', () => createInvitation({ workspace: 'staging', email: 'x', role: 'viewer', days: 7 })],
    ['setRole', () => setRole({ workspace: '*', account: uuid, role: 'root' as never })],
    ['disableMember', () => disableMember({ account: "' or 1=1", isDisabled: true })],
    ['signOutEverywhere', () => signOutEverywhere({ account: null } as never)],
    ['changePassword', () => changePassword({ current: 'x', next: 'short' })],
  ])('%s names the fields it refuses', async (_, send) => {
    await signIn(admin.account)
    const result = await send()
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid' } })
    if (!result.ok) expect(result.error.fields.length).toBeGreaterThan(0)
    jar.clear()
    expect(await send()).toMatchObject({ ok: false, error: { code: 'unauthenticated', fields: [] } })
  })

  test('is refused beyond 300 in half a minute, for this account only', async () => {
    await signIn(admin.account)
    const send = () => disableMember({ account: 'no id', isDisabled: true })
    const codes = new Set<string>()
    for (let count = 0; count < 300; count += 1)
      codes.add(await send().then((result) => (result.ok ? 'ok' : result.error.code)))
    expect([...codes]).toEqual(['invalid'])
    expect(await send()).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterMs: expect.any(Number) } })
    await signIn((await testActor({ '*': 'admin' })).account)
    expect(await send()).toMatchObject({ ok: false, error: { code: 'invalid' } })
  })
})

describe('the effects of actions', () => {
  test('a write is audited with intent, outcome and names of fields, but no values', async () => {
    await signIn(admin.account)
    expect(await createWorkspace(staging)).toEqual({ ok: true, data: { slug: 'staging' } })
    expect(await createWorkspace(staging)).toMatchObject({ ok: false, error: { code: 'conflict' } })
    expect(await updateWorkspace('staging', { baseUrl: 'https://other.example.com' })).toEqual({
      ok: true,
      data: { hasDroppedKeys: true },
    })
    const rows = await trail()
    expect(rows.map(({ kind, operation, outcome }) => `${kind} ${operation} ${outcome}`)).toEqual([
      'intent createWorkspace null',
      'outcome createWorkspace 200 done',
      'intent createWorkspace null',
      'outcome createWorkspace 409 conflict',
      'intent updateWorkspace null',
      'outcome updateWorkspace 200 done',
    ])
    expect(rows[0]?.fields).toEqual(['kind', 'slug', 'name', 'dialect', 'allowedOrigins', 'baseUrl', 'keys.apiKey'])
    expect(JSON.stringify(rows)).not.toContain('canary')
    expect(
      (await verifyAudit(admin, 'staging')).problems.filter((problem) => !problem.includes('another trail')),
    ).toEqual([])
  })

  test('servers can be added to a direct workspace and removed', async () => {
    await signIn(admin.account)
    await createWorkspace({ kind: 'direct', slug: 'desk', name: 'Desk', dialect: 'auto', allowedOrigins: [] })
    const added = await addDirectServer('desk', { name: 'Mine', url: 'http://127.0.0.1:8000', apiKey: 'canary' })
    if (!added.ok) throw new Error(added.error.message)
    expect(await removeDirectServer('desk', added.data.id)).toEqual({ ok: true, data: null })
    expect((await trail()).at(-1)).toMatchObject({ operation: 'removeDirectServer', params: { server: added.data.id } })
    expect(JSON.stringify(await trail())).not.toContain('canary')
  })

  test("a workspace's admin manages its members but not those of the console", async () => {
    await signIn(admin.account)
    await createWorkspace(staging)
    await signInAs({ staging: 'admin' })
    const invited = await inviteMember({ workspace: 'staging', email: 'New@example.com', role: 'viewer' })
    if (!invited.ok) throw new Error(invited.error.message)
    expect(invited.data.password).toMatch(/^\w{5}-/)
    expect(await setRole({ workspace: 'staging', account: invited.data.account, role: 'developer' })).toEqual({
      ok: true,
      data: null,
    })
    expect(await setRole({ workspace: '*', account: admin.id, role: 'viewer' })).toMatchObject({
      error: { code: 'forbidden' },
    })
    expect(await inviteMember({ workspace: '*', email: 'mine@example.com', role: 'admin' })).toMatchObject({
      error: { code: 'forbidden' },
    })
    expect(await inviteMember({ workspace: 'nowhere', email: 'mine@example.com', role: 'admin' })).toMatchObject({
      error: { code: 'forbidden' },
    })
    const [added] = (await trail()).filter(({ operation }) => operation === 'inviteMember')
    expect(added?.params).toEqual({ account: invited.data.account, role: 'viewer' })
    expect(JSON.stringify(await trail())).not.toContain(invited.data.password)
  })

  test('members cannot be invited to a missing workspace', async () => {
    await signIn(admin.account)
    expect(await inviteMember({ workspace: 'nowhere', email: 'new@example.com', role: 'viewer' })).toMatchObject({
      error: { code: 'not_found' },
    })
  })

  test('a disabled member is signed out and can be enabled again, and nobody can disable themselves', async () => {
    await signIn(admin.account)
    const person = await testActor({ staging: 'admin' })
    expect(await disableMember({ account: admin.id, isDisabled: true })).toMatchObject({ error: { code: 'conflict' } })
    expect(await disableMember({ account: person.id, isDisabled: true })).toEqual({ ok: true, data: null })
    await signIn(person.account)
    expect(await act('setRole')).toMatchObject({ error: { code: 'unauthenticated' } })
    await signIn(admin.account)
    expect(await disableMember({ account: person.id, isDisabled: false })).toEqual({ ok: true, data: null })
  })

  test('all users may end their own sessions', async () => {
    await signInAs({ staging: 'viewer' })
    expect(await signOutEverywhere()).toEqual({ ok: true, data: null })
    expect(await signOutEverywhere()).toMatchObject({ error: { code: 'unauthenticated' } })
  })

  test('all users see and end their own sessions, which are refused at once; an administrator those of others', async () => {
    const person = await signInAs({ staging: 'viewer' })
    const first = await sessionActor()
    const firstCookie = jar.get(cookieName('session')) as string // set by signInAs
    browser.headers = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Another/1' }
    await signIn(person.account)
    const second = await sessionActor()
    const listed = await listSessions(second, person.id)
    expect(listed.map(({ id, isCurrent }) => [id, isCurrent])).toEqual([
      [second.session?.id, true],
      [first.session?.id, false],
    ])
    expect(listed[0]).toMatchObject({ address: '203.0.113.7', browser: 'Another/1' })
    // Its own session comes first, although the other one was used later.
    expect((await listSessions(first, person.id)).map(({ id }) => id)).toEqual([first.session?.id, second.session?.id])

    expect(await endSession({ account: person.id, session: first.session?.id ?? '' })).toEqual({ ok: true, data: null })
    expect(await roleOf(first, 'staging')).toBeNull()
    jar.set(cookieName('session'), firstCookie)
    await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await listSessions(second, person.id)).map(({ id }) => id)).toEqual([second.session?.id])

    await signIn(admin.account)
    const theirs = { account: person.id, session: second.session?.id ?? '' }
    expect(await endSession({ ...theirs, account: admin.id })).toMatchObject({ error: { code: 'not_found' } })
    expect(await endSession(theirs)).toEqual({ ok: true, data: null })
    expect(await roleOf(second, 'staging')).toBeNull()
    expect(await endSession(theirs)).toMatchObject({ error: { code: 'not_found' } })
  })

  test('all users may end their other sessions and stay signed in', async () => {
    const person = await signInAs({ staging: 'viewer' })
    const other = await sessionActor()
    await signIn(person.account)
    expect(await endOtherSessions()).toEqual({ ok: true, data: null })
    const now = await sessionActor()
    expect(await roleOf(now, 'staging')).toBe('viewer')
    expect(await roleOf(other, 'staging')).toBeNull()
    expect((await listSessions(now, person.id)).map(({ isCurrent }) => isCurrent)).toEqual([true])
  })

  test('a new password ends the other sessions, keeps this one and removes the first sign-in note', async () => {
    const store = await db()
    const account = await createAccount(store, {
      email: 'admin@pilothouse.local',
      password: 'the generated one',
      hasInitialPassword: true,
    })
    await store.insert(memberships).values({ account: account.id, workspace: '*', role: 'admin' })
    const note = path.join(home.dataDir, 'first-sign-in.txt')
    writeFileSync(note, 'Password: the generated one')
    await signIn({ ...account, hasInitialPassword: true })
    const elsewhere = jar.get(cookieName('session')) as string // set by signIn
    expect(await changePassword({ current: 'wrong', next: 'a new long password' })).toMatchObject({
      error: { code: 'invalid', fields: [{ path: ['current'] }] },
    })
    expect(await changePassword({ current: 'the generated one', next: 'Password1234' })).toMatchObject({
      error: { code: 'invalid', fields: [{ path: ['next'] }] },
    })
    expect(existsSync(note)).toBe(true)
    expect(await changePassword({ current: 'the generated one', next: 'a new long password' })).toEqual({
      ok: true,
      data: null,
    })
    expect(existsSync(note)).toBe(false)
    expect(jar.get(cookieName('session'))).not.toBe(elsewhere)
    expect(await act('setRole')).toMatchObject({ error: { code: 'not_found' } }) // still signed in, as admin
    jar.set(cookieName('session'), elsewhere)
    expect(await act('setRole')).toMatchObject({ error: { code: 'unauthenticated' } })
    expect(JSON.stringify(await trail())).not.toMatch(/generated|new long/)
  })
})
