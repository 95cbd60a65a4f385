import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { checkPassword, createAccount } from '../access/accounts'
import { rightsOf, roleOf, sessionActor } from '../access/actor'
import { browser } from '../access/testing'
import { insertWorkspace } from '../access/workspace-settings'
import { db } from '../process/db'
import { createInvitation, listInvitations, revokeInvitation } from '../records/invitations'
import { forgetLimits, signIn, type TestConsole, testActor, testConsole } from '../testing'
import { acceptInvitation, readInvitation } from './invitations'

vi.mock('next/headers', () => import('../access/testing'))

const workspace = 'staging'
const email = 'new@example.com'
const password = 'violet tractor lantern'
let home: TestConsole
let admin: Awaited<ReturnType<typeof testActor>>
let address = 0
const from = () => `203.0.113.${address}`

beforeAll(async () => {
  home = await testConsole()
  await insertWorkspace({ kind: 'direct', slug: workspace, name: 'Staging', dialect: 'auto', allowedOrigins: [] })
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  browser.cookies.clear()
  address += 1
  await (await db()).execute(sql`truncate console.accounts, console.invitations, console.audit cascade`)
  admin = await testActor({ '*': 'admin' })
})

const invite = async (who = email) =>
  (await createInvitation(admin, { workspace, email: who, role: 'developer', days: 7 }, 'request')).token
const ended = { code: 'not_found', message: expect.stringContaining('Ask for a new one') }

test('the invited person chooses name and password, is signed in with the role, and the link is used up', async () => {
  const token = await invite()
  expect(await readInvitation({ token }, from())).toEqual({
    ...{ email, workspaceName: 'Staging', role: 'developer', step: 'create', isLimited: false, hasSingleSignOn: false },
  })
  expect(await readInvitation({}, from())).toMatchObject({ email }) // from the cookie
  expect(await acceptInvitation({ name: 'New One', password }, from())).toEqual({ workspace })
  const actor = await sessionActor()
  expect([actor.email, await roleOf(actor, workspace), await roleOf(actor, 'other')]).toEqual([
    email,
    'developer',
    null,
  ])
  expect(await checkPassword(email, password, from())).toMatchObject({ name: 'New One' })
  browser.cookies.clear()
  await expect(readInvitation({ token }, from())).rejects.toMatchObject(ended)
  await expect(readInvitation({}, from())).rejects.toMatchObject(ended)
  const { rows } = await (await db()).execute<{ line: string }>(
    sql`select kind || ' ' || operation || ' ' || actor as line from console.audit order by seq`,
  )
  expect(rows.map(({ line }) => line)).toEqual([
    `intent createInvitation ${admin.id}`,
    `outcome createInvitation ${admin.id}`,
    `intent acceptInvitation ${actor.id}`,
    `outcome acceptInvitation ${actor.id}`,
  ])
  const stored = await (await db()).execute(sql`select to_jsonb(i) as row from console.invitations i`)
  expect(JSON.stringify(stored.rows)).not.toContain(token.slice(-43))
})

test('of two attempts at once one gets the account', async () => {
  await readInvitation({ token: await invite() }, from())
  const results = await Promise.allSettled(
    ['A', 'B'].map((name) => acceptInvitation({ name, password: `${password} ${name}` }, from())),
  )
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a revoked, expired, replaced or wrong link is refused, also for a browser that has opened it', async () => {
  const token = await invite()
  await readInvitation({ token }, from())
  const [listed] = await listInvitations(admin, workspace)
  await revokeInvitation(admin, { workspace, id: listed?.id ?? '' }, 'request')
  expect(await listInvitations(admin, workspace)).toEqual([])
  await expect(acceptInvitation({ name: 'x', password }, from())).rejects.toMatchObject(ended)

  const replaced = await invite()
  const last = await invite()
  for (const wrong of [token, replaced, `${last.slice(0, -1)}${last.endsWith('A') ? 'B' : 'A'}`, 'phi_', '', 'x'])
    await expect(readInvitation({ token: wrong || 'none' }, from())).rejects.toMatchObject(ended)
  await readInvitation({ token: last }, from())
  await (await db()).execute(sql`update console.invitations set expires_at = now() - interval '1 second'`)
  await expect(readInvitation({ token: last }, from())).rejects.toMatchObject(ended)
})

test('a password that is easy to guess is refused and the link stays usable', async () => {
  const token = await invite()
  await readInvitation({ token }, from())
  for (const easy of ['short', 'password1234', `${email}`])
    await expect(acceptInvitation({ name: 'New', password: easy }, from())).rejects.toMatchObject({
      code: 'invalid',
      view: { fields: [{ path: ['password'] }] },
    })
  await expect(acceptInvitation({ name: ' ', password }, from())).rejects.toMatchObject({ code: 'invalid' })
  expect(await readInvitation({ token }, from())).toMatchObject({ step: 'create' })
})

test('an existing account joins after signing in, and no other account can', async () => {
  await createAccount(await db(), { email, password })
  const token = await invite()
  expect(await readInvitation({ token }, from())).toMatchObject({ step: 'sign in' })
  await expect(acceptInvitation({ name: 'Thief', password }, from())).rejects.toMatchObject({ code: 'conflict' })

  const other = await testActor({})
  await signIn(other)
  expect(await readInvitation({ token }, from())).toMatchObject({ step: 'other' })
  await expect(acceptInvitation({}, from())).rejects.toMatchObject({ code: 'forbidden' })

  const person = await testActor({})
  const theirs = await invite(person.email)
  await signIn(person)
  expect(await readInvitation({ token: theirs }, from())).toMatchObject({ step: 'join' })
  expect(await acceptInvitation({}, from())).toEqual({ workspace })
  expect(await roleOf(person, workspace)).toBe('developer')
})

test('a member is not invited again, and one address has 30 attempts a minute at all instances', async () => {
  const member = await testActor({ [workspace]: 'viewer' })
  await expect(invite(member.email)).rejects.toMatchObject({
    code: 'conflict',
    view: { fields: [{ path: ['email'] }] },
  })
  for (let count = 0; count < 30; count += 1)
    await expect(readInvitation({ token: 'x' }, from())).rejects.toMatchObject(ended)
  for (const instance of ['first', 'second']) {
    await expect(readInvitation({ token: 'x' }, from()), instance).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(acceptInvitation({}, from()), instance).rejects.toMatchObject({ code: 'rate_limited' })
    await forgetLimits({ all: false })
  }
})

test('an invitation may be for some deployments, which its page does not name', async () => {
  const rights = { role: null, deployments: { a: 'developer', b: 'viewer' } } as const
  const { token } = await createInvitation(admin, { workspace, email, days: 7, ...rights }, 'request')
  const opened = await readInvitation({ token }, from())
  expect(opened).toMatchObject({ role: 'developer', isLimited: true })
  expect(opened).not.toHaveProperty('deployments')
  await acceptInvitation({ name: 'New One', password }, from())
  expect(await rightsOf(await sessionActor(), workspace)).toEqual(rights)
})
