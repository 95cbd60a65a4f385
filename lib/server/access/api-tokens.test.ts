import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '../process/db'
import { apiTokens } from '../process/schema'
import { type TestConsole, testActor, testConsole } from '../testing'
import { actorOfToken, rightsOf, roleOf } from './actor'
import { findToken, newApiToken, noteTokenUse, usableToken } from './api-tokens'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  await (await db()).execute(sql`truncate console.accounts, console.api_tokens cascade`)
})

const HOUR_MS = 3_600_000
async function make(more: Partial<typeof apiTokens.$inferInsert> = {}) {
  const id = randomUUID()
  const { token, hash } = newApiToken(id)
  await (await db()).insert(apiTokens).values({
    ...{ id, workspace: 'staging', name: 'ci', role: 'developer', hash, createdBy: 'a@example.com' },
    expiresAt: new Date(Date.now() + HOUR_MS),
    ...more,
  })
  return { id, token }
}
const found = async (token: string) => (await findToken(`Bearer ${token}`))?.id

describe('a token', () => {
  test('is found by its header, without its hash', async () => {
    const { id, token } = await make({ deployments: ['a'] })
    for (const header of [`Bearer ${token}`, `bearer   ${token}`])
      expect(await findToken(header)).toEqual({
        ...{ id, workspace: 'staging', name: 'ci', role: 'developer', deployments: ['a'] },
        ...{ expiresAt: expect.any(Date), account: null, email: null },
      })
  })

  test('is not found by anything else in the header', async () => {
    const { id, token } = await make()
    const { token: other } = newApiToken(id)
    const { token: unknown } = newApiToken(randomUUID())
    for (const header of [
      ...[null, '', token, `Basic ${token}`, `Bearer ${token} x`, `xBearer ${token}`, `Bearer${token}`, 'Bearer '],
      ...[other, unknown, `${token}x`, token.replace('pht', 'phi')].map((one) => `Bearer ${one}`),
    ])
      expect(await findToken(header), String(header)).toBeUndefined()
  })

  test('ends when it expires or is revoked', async () => {
    const expired = await make({ expiresAt: new Date(Date.now() - 1000) })
    const revoked = await make({ revokedAt: new Date(Date.now() - 1000) })
    for (const { id, token } of [expired, revoked])
      expect([await found(token), await usableToken(id)]).toEqual([undefined, undefined])
  })

  test('of a person ends while they cannot sign in', async () => {
    const owner = await testActor({ staging: 'admin' })
    const { id, token } = await make({ account: owner.id })
    const service = await make()
    expect(await findToken(`Bearer ${token}`)).toMatchObject({ account: owner.id, email: owner.email })
    for (const state of ['disabled_at = now()', 'disabled_at = null, has_initial_password = true']) {
      await (await db()).execute(sql`update console.accounts set ${sql.raw(state)}`)
      expect(await found(token), state).toBeUndefined()
      expect(await found(service.token), state).toBe(service.id)
    }
    await (await db()).execute(sql`update console.accounts set has_initial_password = false`)
    expect(await found(token)).toBe(id)
  })

  test('notes its use, at most once a minute', async () => {
    const { id } = await make()
    const other = await make()
    const lastUse = async (age: string) =>
      (
        await (
          await db()
        ).execute(
          sql`select last_used_at > now() - ${age}::interval as "isRecent" from console.api_tokens where id = ${id}`,
        )
      ).rows[0]?.isRecent
    const setUse = async (age: string) =>
      (await db()).execute(sql`update console.api_tokens set last_used_at = now() - ${age}::interval where id = ${id}`)
    expect(await lastUse('1 hour')).toBeNull()
    await noteTokenUse(id)
    expect(await lastUse('30 seconds')).toBe(true)
    await setUse('50 seconds')
    await noteTokenUse(id)
    expect(await lastUse('40 seconds')).toBe(false)
    await setUse('70 seconds')
    await noteTokenUse(id)
    expect(await lastUse('40 seconds')).toBe(true)
    const { rows } = await (await db()).execute(sql`select last_used_at from console.api_tokens where id = ${other.id}`)
    expect(rows).toEqual([{ last_used_at: null }])
  })
})

describe('the rights of a token', () => {
  const rightsBy = async (token: string, workspace = 'staging') => {
    const usable = await findToken(`Bearer ${token}`)
    if (!usable) throw new Error('The token is not usable.')
    return await rightsOf(actorOfToken(usable), workspace)
  }

  test('are those of a service account, in its workspace only', async () => {
    const { token } = await make()
    expect(await rightsBy(token)).toEqual({ role: 'developer', deployments: {} })
    expect(await rightsBy(token, 'other')).toEqual({ role: null, deployments: {} })
    const { token: limited } = await make({ deployments: ['a'], role: 'admin' })
    expect(await rightsBy(limited)).toEqual({ role: null, deployments: { a: 'admin' } })
  })

  test('of a person are never more than their own now', async () => {
    const owner = await testActor({ staging: { role: 'viewer', deployments: { a: 'admin' } } })
    const { token } = await make({ account: owner.id })
    expect(await rightsBy(token)).toEqual({ role: 'viewer', deployments: { a: 'developer' } })
    await (await db()).execute(sql`delete from console.memberships`)
    expect(await rightsBy(token)).toEqual({ role: null, deployments: {} })
  })

  test('end with the token, even for a request that has begun', async () => {
    const { id, token } = await make()
    const usable = await findToken(`Bearer ${token}`)
    if (!usable) throw new Error('The token is not usable.')
    const actor = actorOfToken(usable)
    expect(await roleOf(actor, 'staging')).toBe('developer')
    await (await db()).execute(sql`update console.api_tokens set revoked_at = now() where id = ${id}`)
    expect(await roleOf(actor, 'staging')).toBeNull()
  })
})
