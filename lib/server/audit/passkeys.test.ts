import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createAccount, setPassword } from '../access/accounts'
import { authOptions } from '../access/auth'
import { accountOfPasskey, signInOptions } from '../access/passkeys'
import { cookieName } from '../access/session'
import { browser } from '../access/testing'
import { hasPasskeys, requirePasskey } from '../identity/passkeys'
import { softDevice } from '../identity/testing'
import { db } from '../process/db'
import { resetMemberPassword } from '../records/members'
import { actorOf, type TestConsole, testActor, testConsole } from '../testing'
import { addPasskey, beginPasskey, readPasskeys, removePasskey, setPasskeyRequired } from './passkeys'

vi.mock('next/headers', () => import('../access/testing'))

const password = 'violet tractor lantern'
const email = 'owner@example.com'
const ADDRESS = '203.0.113.9'
let home: TestConsole
let owner: ReturnType<typeof actorOf>

beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  browser.cookies.clear()
  await (await db()).execute(sql`truncate console.accounts, console.sign_in_attempts, console.audit cascade`)
  owner = actorOf(await createAccount(await db(), { email })) // without a password, which takes time to hash
})

/** For tests about the password. */
async function givePassword() {
  const version = await setPassword(await db(), owner.id, password)
  owner = actorOf({ id: owner.id, email, name: '', sessionVersion: version })
}

async function register(device = softDevice()) {
  const { challenge } = await beginPasskey(owner, password)
  await addPasskey(owner, { name: 'Laptop', response: device.create(challenge) }, 'request')
  return device
}
type Given = Parameters<ReturnType<typeof softDevice>['get']>[1]
const accountBy = async (device: ReturnType<typeof softDevice>, place?: Given) =>
  (await accountOfPasskey(JSON.stringify(device.get((await signInOptions(ADDRESS)).challenge, place))))?.id ?? null

test('a registered passkey signs in, once for each challenge', async () => {
  expect(await hasPasskeys()).toBe(false)
  const device = await register()
  expect(await hasPasskeys()).toBe(true)
  expect(await readPasskeys(owner)).toMatchObject({
    passkeys: [{ name: 'Laptop', lastUsedAt: null }],
    ...{ hasPassword: false, isRequired: false, host: 'localhost' },
  })
  const { challenge } = await signInOptions(ADDRESS)
  const kept = browser.cookies.get(cookieName('passkey')) as string // set by signInOptions
  const answer = JSON.stringify(device.get(challenge))
  expect((await accountOfPasskey(answer))?.id).toBe(owner.id)
  browser.cookies.set(cookieName('passkey'), kept) // somebody copied both
  expect(await accountOfPasskey(answer)).toBeNull()
  expect((await readPasskeys(owner)).passkeys[0]?.lastUsedAt).not.toBeNull()
})

test('an answer from another site or host, without a check of the owner, or of another device is refused', async () => {
  const device = await register()
  expect(await accountBy(device, { origin: 'https://evil.example.com' })).toBeNull()
  expect(await accountBy(device, { host: 'evil.example.com' })).toBeNull()
  expect(await accountBy(device, { isVerified: false })).toBeNull()
  expect(await accountBy(softDevice())).toBeNull()
  for (const answer of [undefined, '', '{', '[]', JSON.stringify({ id: 'x' })]) {
    await signInOptions(ADDRESS)
    expect(await accountOfPasskey(answer)).toBeNull()
  }
  expect(await accountOfPasskey(JSON.stringify(device.get('a challenge of its own')))).toBeNull() // and no cookie
  const { challenge } = await beginPasskey(owner, password)
  expect(await accountOfPasskey(JSON.stringify(device.get(challenge)))).toBeNull() // of a registration
  expect(await accountBy(device)).toBe(owner.id)
})

const passkeyProvider = () =>
  authOptions().providers.find(({ options }) => (options as { id?: string }).id === 'passkey') as unknown as {
    options: { authorize(given: object, request: object): Promise<{ id: string } | null> }
  }

test('one address has 60 challenges and 30 refused passkeys a minute; those that sign in do not count', async () => {
  const [office, stranger] = ['198.51.100.1', '198.51.100.2']
  for (let count = 0; count < 60; count += 1) await signInOptions(office)
  await expect(signInOptions(office)).rejects.toMatchObject({ code: 'rate_limited' })

  const device = await register()
  const { authorize } = passkeyProvider().options
  const from = (address: string, passkey: string) => authorize({ passkey }, { headers: { 'x-forwarded-for': address } })
  const answer = async () => JSON.stringify(device.get((await signInOptions(ADDRESS)).challenge))
  expect(await from(stranger, await answer())).toMatchObject({ id: owner.id })
  for (let count = 0; count < 30; count += 1) expect(await from(stranger, '{}')).toBeNull()
  await expect(from(stranger, await answer())).rejects.toThrow(/^RateLimited:\d+$/)
  expect(await from(office, await answer())).toMatchObject({ id: owner.id })
})

test('adding needs an answer to the challenge of this browser', async () => {
  const refusal = { code: 'invalid', message: expect.stringContaining('could not be checked') }
  const add = (response: unknown) => addPasskey(owner, { name: 'x', response }, 'request')
  await expect(add(softDevice().create('unasked'))).rejects.toMatchObject(refusal)
  for (const place of [{ origin: 'https://evil.example.com' }, { host: 'evil.example.com' }, { isVerified: false }]) {
    const { challenge } = await beginPasskey(owner, password)
    await expect(add(softDevice().create(challenge, place))).rejects.toMatchObject(refusal)
  }
  const device = await register()
  const { challenge } = await beginPasskey(owner, password)
  await expect(add(device.create(challenge))).rejects.toMatchObject({ code: 'conflict' })
})

test('adding, removing and changing need the password, if there is one', async () => {
  const device = await register()
  await givePassword()
  const refusal = { view: { fields: [{ path: ['password'] }] } }
  const [stored] = (await readPasskeys(owner)).passkeys
  const given = { id: stored?.id ?? '', isRequired: true, password: 'wrong' }
  await expect(beginPasskey(owner, 'wrong')).rejects.toMatchObject(refusal)
  await expect(removePasskey(owner, given, 'request')).rejects.toMatchObject(refusal)
  await expect(setPasskeyRequired(owner, given, 'request')).rejects.toMatchObject(refusal)
  expect(await accountBy(device)).toBe(owner.id)
})

test('a required passkey is asked for after the right password only, and must be the own one', async () => {
  await givePassword()
  const change = (isRequired: boolean) => setPasskeyRequired(owner, { isRequired, password }, 'request')
  const device = await register()
  await change(true)
  const provider = authOptions().providers[0] as unknown as {
    options: { authorize(given: object, request: object): Promise<{ id: string } | null> }
  }
  const signIn = async (given: object) =>
    provider.options.authorize({ email, password, ...given }, { headers: { 'x-forwarded-for': ADDRESS } })
  const answerOf = async (one: ReturnType<typeof softDevice>) =>
    JSON.stringify(one.get((await signInOptions(ADDRESS)).challenge))
  await expect(signIn({})).rejects.toThrow('PasskeyNeeded')
  expect(await signIn({ password: 'wrong', passkey: await answerOf(device) })).toBeNull()

  const mine = owner
  owner = actorOf(await createAccount(await db(), { email: 'other@example.com' }))
  const theirs = await register()
  owner = mine
  await expect(signIn({ passkey: await answerOf(theirs) })).rejects.toThrow('PasskeyNeeded')
  expect(await signIn({ passkey: await answerOf(device) })).toMatchObject({ id: owner.id })
}, 60_000) // hashes often

test('a removed passkey, a disabled account and a reset password end it', async () => {
  const device = await register()
  const [stored] = (await readPasskeys(owner)).passkeys
  const remove = (actor: typeof owner) => removePasskey(actor, { id: stored?.id ?? '', password }, 'request')
  const other = actorOf(await createAccount(await db(), { email: 'other@example.com' }))
  await expect(remove(other)).rejects.toMatchObject({ code: 'not_found' })
  const disable = (at: string) => sql`update console.accounts set disabled_at = ${sql.raw(at)} where id = ${owner.id}`
  await (await db()).execute(disable('now()'))
  expect(await accountBy(device)).toBeNull()
  await (await db()).execute(disable('null'))
  await requirePasskey(await db(), owner.id, true)
  await remove(owner)
  expect(await accountBy(device)).toBeNull()
  expect(await readPasskeys(owner)).toMatchObject({ passkeys: [], isRequired: false })

  const second = await register()
  await resetMemberPassword(await testActor({ '*': 'admin' }), owner.id, 'request')
  expect(await accountBy(second)).toBeNull()
  const { rows } = await (await db()).execute(sql`select distinct operation from console.audit order by operation`)
  expect(rows.map(({ operation }) => operation)).toEqual([...['addPasskey', 'removePasskey', 'resetMemberPassword']])
})
