import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkPassword } from '../access/accounts'
import { roleOf, sessionActor } from '../access/actor'
import { cookieName } from '../access/session'
import { signInWays } from '../access/sign-in-link'
import { browser } from '../access/testing'
import { db } from '../process/db'
import { inviteMember } from '../records/members'
import { ensureFirstAdmin } from '../start/first-run'
import { forgetLimits, type TestConsole, testConsole } from '../testing'
import { printSignInLink, signInByLink } from './sign-in-by-link'

vi.mock('next/headers', () => import('../access/testing'))

let home: TestConsole
const file = () => path.join(home.dataDir, 'sign-in-link.txt')
const keptToken = () => new URL(readFileSync(file(), 'utf8')).searchParams.get('token') ?? ''
/** As another process would start. */
const startAgain = (settings: Record<string, string> = { PILOTHOUSE_SIGN_IN: 'link' }) => {
  home.set(settings)
  for (const name of ['pilothouseFirstAdmin', 'pilothouseSignInLink', 'pilothouseLimiter'])
    Reflect.deleteProperty(globalThis, name)
  browser.cookies.clear()
  return ensureFirstAdmin()
}
const isSignedIn = () => browser.cookies.has(cookieName('session'))

beforeEach(async () => {
  home = await testConsole()
  await startAgain()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await home.close()
})

test('the link signs its browser in as the administrator, once, and the audit trail says so', async () => {
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(existsSync(path.join(home.dataDir, 'first-sign-in.txt'))).toBe(false)
  const token = keptToken()
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(await signInByLink(token, '127.0.0.1')).toBe(true)
  const actor = await sessionActor()
  expect(await roleOf(actor, 'any-workspace')).toBe('admin')
  const { rows } = await (await db()).execute(
    sql`select kind, actor, operation, outcome from console.audit order by seq`,
  )
  expect(rows).toEqual([
    { kind: 'intent', actor: actor.id, operation: 'signInByLink', outcome: null },
    { kind: 'outcome', actor: actor.id, operation: 'signInByLink', outcome: expect.stringMatching(/^200 /) },
  ])

  browser.cookies.clear()
  expect(existsSync(file())).toBe(false)
  expect(await signInByLink(token, '127.0.0.1')).toBe(false)
  expect(isSignedIn()).toBe(false)
})

test('of two requests with one token at once, one gets a session', async () => {
  const token = keptToken()
  const results = await Promise.all([signInByLink(token, '127.0.0.1'), signInByLink(token, '127.0.0.1')])
  expect(results.sort()).toEqual([false, true])
})

test('another token signs nobody in and leaves the link as it is', async () => {
  for (const wrong of ['', 'x', keptToken().slice(1), `${keptToken()}=`])
    expect(await signInByLink(wrong, '127.0.0.1')).toBe(false)
  expect(isSignedIn()).toBe(false)
  expect(await signInByLink(keptToken(), '127.0.0.1')).toBe(true)
})

test('one address has 30 wrong tokens a minute at all instances, and others are not held up', async () => {
  for (let count = 0; count < 30; count += 1) expect(await signInByLink('x', '192.0.2.1')).toBe(false)
  for (const instance of ['first', 'second']) {
    for (const token of ['x', keptToken()])
      await expect(signInByLink(token, '192.0.2.1'), instance).rejects.toMatchObject({ code: 'rate_limited' })
    await forgetLimits({ all: false })
  }
  expect(await signInByLink(keptToken(), '192.0.2.2')).toBe(true)
})

test('a new link goes to the terminal and replaces the one before', async () => {
  const before = keptToken()
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await printSignInLink()
  const printed = /token=([\w-]+)/.exec(out.mock.calls.join(''))?.[1] ?? ''
  for (let round = 0; round < 9; round += 1) await printSignInLink()
  await expect(printSignInLink()).rejects.toMatchObject({ code: 'rate_limited' })
  out.mockRestore()
  expect(printed).toHaveLength(43)
  for (const old of [before, printed]) expect(await signInByLink(old, '127.0.0.1')).toBe(false)
  expect(await signInByLink(keptToken(), '127.0.0.1')).toBe(true)
})

test('the account of links gets a password when the console is started to sign in with passwords', async () => {
  await signInByLink(keptToken(), '127.0.0.1')
  const { id } = await sessionActor()
  await startAgain()
  const stale = keptToken()
  await startAgain({})
  expect(existsSync(file())).toBe(false)
  expect(await signInByLink(stale, '127.0.0.1')).toBe(false)
  await expect(printSignInLink()).rejects.toMatchObject({ code: 'not_found' })
  const password = /Password: (\S+)/.exec(readFileSync(path.join(home.dataDir, 'first-sign-in.txt'), 'utf8'))?.[1]
  expect(await checkPassword('admin@pilothouse.local', password, 'test')).toMatchObject({
    id,
    hasInitialPassword: true,
  })

  // It has a password of its own now, so no link opens it.
  await startAgain()
  expect(await signInWays()).toEqual({ byLink: false, byPassword: true })
  expect(existsSync(file())).toBe(false)
})

test('members sign in with passwords beside the link', async () => {
  expect(await signInWays()).toEqual({ byLink: true, byPassword: false })
  await signInByLink(keptToken(), '127.0.0.1')
  home.set({ PILOTHOUSE_SIGN_IN: 'link', AGENT_SERVER_URL: 'http://127.0.0.1:1' })
  await inviteMember(await sessionActor(), { workspace: 'default', email: 'a@example.com', role: 'viewer' }, 'request')
  expect(await signInWays()).toEqual({ byLink: true, byPassword: true })
})
