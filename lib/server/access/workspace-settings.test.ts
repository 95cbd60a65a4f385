import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '../process/db'
import { alertChannels, alertRules, apiTokens } from '../process/schema'
import { type TestConsole, testActor, testConsole } from '../testing'
import { insertDirectServer } from './direct-servers'
import {
  changeWorkspace,
  eraseWorkspace,
  insertWorkspace,
  NewWorkspace,
  refuseEnvironment,
  WorkspaceChange,
  withStoredKeys,
} from './workspace-settings'
import { workspace } from './workspaces'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  home.set({})
  await (await db()).execute(
    sql`truncate console.workspaces, console.accounts, console.api_tokens, console.alert_rules, console.alert_channels cascade`,
  )
})

const url = 'https://api.example.com/host'
const staging = {
  ...{ kind: 'control-plane' as const, slug: 'staging', name: 'Staging', dialect: 'graph' as const },
  ...{ allowedOrigins: [], baseUrl: url },
}
const desk = { kind: 'direct' as const, slug: 'desk', name: 'Desk', dialect: 'auto' as const, allowedOrigins: [] }
const make = (given: NewWorkspace = staging) => insertWorkspace(NewWorkspace.parse(given))
const change = (slug: string, given: WorkspaceChange) => changeWorkspace(slug, WorkspaceChange.parse(given))
const sealed = async (slug = 'staging') =>
  (
    await (
      await db()
    ).execute(
      sql`select sealed_auth is not null as keys, traces_sealed_auth is not null as traces from console.workspaces where slug = ${slug}`,
    )
  ).rows[0]

describe('a new workspace', () => {
  test('seals keys only if there are any', async () => {
    await make({ ...staging, traces: { url } })
    expect(await sealed()).toEqual({ keys: false, traces: false })
    expect(await workspace('staging')).toMatchObject({ auth: {}, dialect: 'graph', traces: { url } })
    await make({ ...staging, slug: 'empty', keys: { apiKey: undefined }, traces: { url, apiKey: undefined } })
    expect(await sealed('empty')).toEqual({ keys: false, traces: false })
    await make({ ...staging, slug: 'second', keys: { apiKey: undefined, bearer: 'b' } })
    expect(await sealed('second')).toEqual({ keys: true, traces: false })
    expect((await workspace('second')).auth).toEqual({ bearer: 'b' })
    await make({ ...staging, slug: 'third', traces: { url, apiKey: undefined, tenantId: 't' } })
    expect((await workspace('third')).traces).toEqual({ url, tenantId: 't' })
  })

  test('can hide the names of secrets from its members', async () => {
    await make({ ...staging, secretNames: 'admins' })
    expect((await workspace('staging')).secretNames).toBe('admins')
    await change('staging', { secretNames: 'members' })
    expect((await workspace('staging')).secretNames).toBe('members')
  })

  test.each(['local', 'default'])('leaves %s to the environment, also while that defines none', (slug) => {
    expect(() => refuseEnvironment(slug)).toThrow('defined by the environment')
    expect(() => refuseEnvironment('staging')).not.toThrow()
  })
})

describe('a change of a workspace', () => {
  test('leaves everything else as it is', async () => {
    await make({ ...staging, keys: { apiKey: 'k' }, traces: { url, apiKey: 't' } })
    const before = await workspace('staging')
    expect(await change('staging', { name: 'Other' })).toEqual({ hasDroppedKeys: false })
    expect(await workspace('staging')).toEqual({ ...before, name: 'Other' })
    await make({ ...desk, traces: { url } })
    expect(await change('desk', { name: 'Desk 2', keys: null })).toEqual({ hasDroppedKeys: false })
    expect(await workspace('desk')).toMatchObject({ name: 'Desk 2', baseUrl: null, traces: { url } })
  })

  test('is made to that workspace only, and notes when', async () => {
    await make()
    await make({ ...staging, slug: 'second' })
    await (await db()).execute(sql`update console.workspaces set updated_at = now() - interval '1 day'`)
    await change('staging', { name: 'Other', allowedOrigins: ['https://a.example.com'] })
    const { rows } = await (await db()).execute(
      sql`select slug, name, updated_at > now() - interval '1 hour' as "isNew" from console.workspaces order by slug`,
    )
    expect(rows).toEqual([
      { slug: 'second', name: 'Staging', isNew: false },
      { slug: 'staging', name: 'Other', isNew: true },
    ])
    expect((await workspace('staging')).allowedOrigins).toEqual(['https://a.example.com'])
  })

  test('says that keys are dropped only if there were some, and nobody asked for it', async () => {
    const moved = { baseUrl: 'https://other.example.com', traces: { url: 'https://other.example.com' } }
    await make({ ...staging, traces: { url } })
    expect(await change('staging', moved)).toEqual({ hasDroppedKeys: false })
    await make({ ...staging, slug: 'second', traces: { url, apiKey: 't' } })
    expect(await change('second', { traces: null })).toEqual({ hasDroppedKeys: false })
    expect(await sealed('second')).toEqual({ keys: false, traces: false })
    await change('second', { traces: { url, apiKey: 't' } })
    expect(await change('second', { traces: { url: moved.baseUrl, apiKey: 'new' } })).toEqual({ hasDroppedKeys: false })
    expect((await workspace('second')).traces).toEqual({ url: moved.baseUrl, apiKey: 'new' })
  })

  test('needs a workspace that exists', async () => {
    await make()
    await eraseWorkspace('staging')
    for (const slug of ['staging', 'nowhere'])
      await expect(change(slug, { name: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('a draft is tried with the stored keys of its workspace at the same origin, or with its own', async () => {
  await make({ ...staging, keys: { apiKey: 'stored' } })
  await make(desk)
  const draft = { baseUrl: 'https://api.example.com', dialect: 'auto' as const }
  const auth = async (more: object) => (await withStoredKeys({ ...draft, ...more })).auth
  expect(await withStoredKeys({ ...draft, slug: 'staging' })).toEqual({ ...draft, auth: { apiKey: 'stored' } })
  expect(await auth({})).toEqual({})
  expect(await auth({ slug: 'staging', baseUrl: 'https://api.example.com:8443' })).toEqual({})
  expect(await auth({ slug: 'staging', keys: {} })).toEqual({})
  expect(await auth({ slug: 'staging', keys: { bearer: 'own' } })).toEqual({ bearer: 'own' })
  expect(await auth({ keys: { bearer: 'own' } })).toEqual({ bearer: 'own' })
  expect(await auth({ slug: 'desk' })).toEqual({})
  await expect(auth({ slug: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a deleted workspace takes its keys, servers, members, tokens and alerts along, and those of no other', async () => {
  const store = await db()
  const keys = { traces: { url, apiKey: 't' } }
  for (const slug of ['desk', 'bench']) {
    await make({ ...desk, ...keys, slug })
    await insertDirectServer(slug, { name: 'Mine', url: 'http://127.0.0.1:8000', apiKey: 'k' })
    await testActor({ [slug]: 'viewer' })
    const own = { workspace: slug, name: 'one' }
    await store.insert(apiTokens).values({ ...own, role: 'viewer', hash: 'h', createdBy: 'a', expiresAt: new Date() })
    await store.insert(alertRules).values({ ...own, kind: 'unhealthy', settings: { minutes: 7 } })
    await store.insert(alertChannels).values({ ...own, kind: 'email', target: 'a@example.com' })
  }
  await eraseWorkspace('desk')
  for (const table of ['direct_servers', 'memberships', 'api_tokens', 'alert_rules', 'alert_channels']) {
    const { rows } = await store.execute(sql`select workspace from console.${sql.identifier(table)}`)
    expect(rows, table).toEqual([{ workspace: 'bench' }])
  }
  expect([await sealed('desk'), await sealed('bench')]).toEqual([
    { keys: false, traces: false },
    { keys: false, traces: true },
  ])
  await expect(insertDirectServer('desk', { name: 'x', url: 'http://x' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(eraseWorkspace('default')).rejects.toMatchObject({ code: 'conflict' })
})
