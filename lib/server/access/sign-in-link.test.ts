import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '../process/db'
import { log } from '../process/log'
import { memberships } from '../process/schema'
import { type TestConsole, testConsole } from '../testing'
import { type Account, createAccount, setPassword } from './accounts'
import { forgetSignInLink, linkAccount, makeSignInLink, signInWays, takeSignInLink } from './sign-in-link'

let home: TestConsole
let admin: Account
beforeAll(async () => {
  home = await testConsole({ PILOTHOUSE_SIGN_IN: 'link' })
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  home.set({})
  forgetSignInLink()
  vi.clearAllMocks()
  await (await db()).execute(sql`truncate console.accounts cascade`)
  admin = await createAccount(await db(), { email: 'admin@pilothouse.local' })
  await (await db()).insert(memberships).values({ account: admin.id, workspace: '*', role: 'admin' })
})

const file = () => path.join(home.dataDir, 'sign-in-link.txt')
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const account = async () => linkAccount(await db())

describe('the account that links sign in', () => {
  test('is the administrator whose address is in the environment', async () => {
    await createAccount(await db(), { email: 'other@example.com' })
    expect(await account()).toEqual(admin)
    home.set({ PILOTHOUSE_ADMIN_EMAIL: 'other@example.com' })
    expect(await account()).toBeUndefined()
  })

  test.each([
    ['it has a password', sql`update console.accounts set password_hash = 'x'`],
    ['it signs in with the identity provider', sql`update console.accounts set oidc_subject = 'x'`],
    ['it is disabled', sql`update console.accounts set disabled_at = now()`],
    ['it is a member of one workspace only', sql`update console.memberships set workspace = 'desk'`],
    ['it is no member', sql`delete from console.memberships`],
  ])('is none once %s', async (_, change) => {
    const token = tokenOf(makeSignInLink())
    await (await db()).execute(change)
    expect(await account()).toBeUndefined()
    expect(await takeSignInLink(token, '127.0.0.1')).toBeNull()
    expect(log.info).toHaveBeenLastCalledWith('sign_in.refused', expect.objectContaining({ by: 'link' }))
    expect(await signInWays()).toEqual({ byLink: false, byPassword: true })
  })
})

describe('a link', () => {
  test('leads to this console, and is in a file until it is used', async () => {
    const link = makeSignInLink()
    expect(link).toMatch(/^http:\/\/localhost:3000\/sign-in\/link\?token=[\w-]{43}$/)
    expect(readFileSync(file(), 'utf8')).toBe(`${link}\n`)
    expect(await takeSignInLink(tokenOf(link), '127.0.0.1')).toEqual(admin)
    expect(log.info).toHaveBeenLastCalledWith('sign_in.done', {
      ...{ email: admin.email, address: '127.0.0.1', by: 'link' },
    })
    expect(existsSync(file())).toBe(false)
    expect(await takeSignInLink(tokenOf(link), '127.0.0.1')).toBeNull()
  })

  test('that is forgotten signs nobody in, and a wrong one leaves it', async () => {
    const token = tokenOf(makeSignInLink())
    expect(await takeSignInLink(`${token}x`, '127.0.0.1')).toBeNull()
    expect(existsSync(file())).toBe(true)
    forgetSignInLink()
    expect(existsSync(file())).toBe(false)
    expect(await takeSignInLink(token, '127.0.0.1')).toBeNull()
  })
})

test('people sign in by link, by password once somebody has one, and only by password without links', async () => {
  expect(await signInWays()).toEqual({ byLink: true, byPassword: false })
  const { id } = await createAccount(await db(), { email: 'other@example.com' })
  expect(await signInWays()).toEqual({ byLink: true, byPassword: false })
  await setPassword(await db(), id, 'violet tractor lantern')
  expect(await signInWays()).toEqual({ byLink: true, byPassword: true })
  home.set({ PILOTHOUSE_SIGN_IN: 'password' })
  expect(await signInWays()).toEqual({ byLink: false, byPassword: true })
})
