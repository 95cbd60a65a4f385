import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { newInvitationToken } from '../identity/invitations'
import { db } from '../process/db'
import { invitations } from '../process/schema'
import { actorOf, type TestConsole, testActor, testConsole } from '../testing'
import { checkPassword, createAccount } from './accounts'
import { rightsOf } from './actor'
import {
  createInvited,
  forgetInvitation,
  hasAccount,
  joinInvited,
  newAccountId,
  openedInvitation,
  openInvitation,
} from './invitation'
import { cookieName } from './session'
import { browser } from './testing'

vi.mock('next/headers', () => import('./testing'))

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  browser.cookies.clear()
  await (await db()).execute(sql`truncate console.accounts, console.invitations cascade`)
})

const email = 'guest@example.com'
const password = 'violet tractor lantern'
async function invite(more: Partial<typeof invitations.$inferInsert> = {}) {
  const id = randomUUID()
  const { token, hash } = newInvitationToken(id)
  await (await db()).insert(invitations).values({
    ...{ id, workspace: 'desk', email, role: 'developer', hash, createdBy: 'a@example.com' },
    expiresAt: new Date(Date.now() + 60_000),
    ...more,
  })
  return token
}
const members = async () => (await (await db()).execute(sql`select workspace, is_kept from console.memberships`)).rows
const refusal = { code: 'not_found', message: expect.stringContaining('Ask for a new one') }

describe('an opened invitation', () => {
  test('is kept in the browser for an hour, until it is forgotten', async () => {
    expect(await openedInvitation()).toBeNull()
    const opened = await openInvitation(await invite())
    expect(opened).toEqual({ id: expect.any(String), workspace: 'desk', email, role: 'developer', deployments: {} })
    expect(browser.options.get(cookieName('invitation'))).toMatchObject({ maxAge: 3600 })
    expect(await openedInvitation()).toEqual(opened)
    await forgetInvitation()
    expect(browser.options.get(cookieName('invitation'))).toMatchObject({ maxAge: 0 })
    expect(await openedInvitation()).toBeNull()
  })

  test('ends in the browser with the invitation', async () => {
    await openInvitation(await invite())
    await (await db()).execute(sql`update console.invitations set revoked_at = now()`)
    expect(await openedInvitation()).toBeNull()
  })

  test('is none with another token', async () => {
    await invite()
    await expect(openInvitation(newInvitationToken(randomUUID()).token)).rejects.toMatchObject(refusal)
    expect(browser.cookies.size).toBe(0)
  })
})

describe('an invited person', () => {
  test('gets an account and becomes a member with the rights of the invitation, once', async () => {
    const deployments = { a: 'admin' as const }
    const invitation = await openInvitation(await invite({ deployments }))
    expect(await hasAccount(email)).toBe(false)
    const id = newAccountId()
    expect(await createInvited(invitation, { id, name: 'Guest', password })).toEqual({
      ...{ id, email, name: 'Guest', sessionVersion: 1 },
    })
    expect(await hasAccount(email)).toBe(true)
    expect(await checkPassword(email, password, '192.0.2.1')).toMatchObject({ id })
    const actor = actorOf({ id, email, name: 'Guest', sessionVersion: 1 })
    expect(await rightsOf(actor, 'desk')).toEqual({ role: 'developer', deployments })
    expect(await members()).toEqual([{ workspace: 'desk', is_kept: true }])
    await expect(joinInvited(invitation, (await testActor({})).id)).rejects.toMatchObject(refusal)
  })

  test('gets no account if the invitation has ended meanwhile', async () => {
    const invitation = await openInvitation(await invite())
    await (await db()).execute(sql`update console.invitations set used_at = now()`)
    await expect(createInvited(invitation, { id: newAccountId(), name: 'Guest', password })).rejects.toMatchObject(
      refusal,
    )
    expect(await hasAccount(email)).toBe(false)
  })

  test('cannot choose their address or name as the password, and the invitation stays usable', async () => {
    const invitation = await openInvitation(await invite({ email: 'bartholomew@zephyrine.example' }))
    for (const easy of ['bartholomew@zephyrine.example', 'Quillonby Marchetande'])
      await expect(
        createInvited(invitation, { id: newAccountId(), name: 'Quillonby Marchetande', password: easy }),
      ).rejects.toMatchObject({ code: 'invalid', view: { fields: [{ path: ['password'] }] } })
    expect(await openedInvitation()).toEqual(invitation)
  })

  test('who has an account, even a disabled one, gets no second one', async () => {
    const invitation = await openInvitation(await invite())
    await createAccount(await db(), { email })
    await (await db()).execute(sql`update console.accounts set disabled_at = now()`)
    expect([await hasAccount(email), await hasAccount('other@example.com')]).toEqual([true, false])
    await expect(createInvited(invitation, { id: newAccountId(), name: 'x', password })).rejects.toMatchObject({
      ...{ code: 'conflict' },
    })
    expect(await openedInvitation()).toEqual(invitation)
    expect(await members()).toEqual([])
  })

  test('who is a member already keeps their role', async () => {
    const person = await testActor({ desk: 'viewer', bench: 'admin' })
    await joinInvited(await openInvitation(await invite()), person.id)
    expect(await rightsOf(person, 'desk')).toEqual({ role: 'viewer', deployments: {} })
    expect(await openedInvitation()).toBeNull()
  })
})
