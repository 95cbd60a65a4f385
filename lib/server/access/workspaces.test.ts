import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '../process/db'
import { parseInput } from '../process/result'
import { type TestConsole, testActor, testConsole } from '../testing'
import { roleOf } from './actor'
import { directServer, eraseDirectServer, insertDirectServer, listDirectServers } from './direct-servers'
import {
  changeWorkspace,
  eraseWorkspace,
  insertWorkspace,
  NewWorkspace,
  UpstreamUrl,
  WorkspaceChange,
} from './workspace-settings'
import { firstWorkspace, listWorkspaces, workspace } from './workspaces'

let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  home.set({})
  await (await db()).execute(sql`truncate console.workspaces, console.direct_servers, console.accounts cascade`)
})

const keys = { apiKey: 'lsv2_canary', tenantId: 'tenant-1', agentApiKey: 'agent-canary' }
const staging = {
  kind: 'control-plane' as const,
  slug: 'staging',
  name: 'Staging',
  dialect: 'auto' as const,
  allowedOrigins: ['https://*.agents.example.com'],
  baseUrl: 'https://api.example.com/host/',
  keys,
}
const make = (given: NewWorkspace = staging) => insertWorkspace(NewWorkspace.parse(given))
const change = (slug: string, given: WorkspaceChange) => changeWorkspace(slug, WorkspaceChange.parse(given))

describe('the first workspace', () => {
  const settings = {
    CONTROL_PLANE_URL: 'http://127.0.0.1:4100/',
    CONTROL_PLANE_API_KEY: 'env-canary',
    ALLOWED_UPSTREAMS: 'https://a.example.com 10.0.0.0/8',
  }

  test('comes from the environment and is never stored', async () => {
    home.set({ ...settings, PILOTHOUSE_WORKSPACE_KIND: 'embedded' })
    expect(await workspace('local')).toMatchObject({
      kind: 'embedded',
      baseUrl: 'http://127.0.0.1:4100',
      auth: { apiKey: 'env-canary' },
      source: 'environment',
      allowedOrigins: ['https://a.example.com'],
    })
    home.set(settings)
    expect(await workspace('default')).toMatchObject({ kind: 'control-plane', source: 'environment' })
    expect(await firstWorkspace()).toBe('default')
    await expect(workspace('local')).rejects.toMatchObject({ code: 'not_found' })
    expect((await (await db()).execute(sql`select * from console.workspaces`)).rows).toEqual([])
    await expect(change('default', { name: 'Mine' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(eraseWorkspace('default')).rejects.toMatchObject({ code: 'conflict' })
  })

  test('is absent if the environment names no control plane', async () => {
    expect(await firstWorkspace()).toBeNull()
    await expect(workspace('default')).rejects.toMatchObject({ code: 'not_found' })
    await make()
    expect(await firstWorkspace()).toBe('staging')
  })
})

describe('a workspace of the console', () => {
  test('stores its keys sealed and shows them only to the server', async () => {
    await make()
    expect(await workspace('staging')).toEqual({
      slug: 'staging',
      name: 'Staging',
      kind: 'control-plane',
      baseUrl: 'https://api.example.com/host',
      dialect: 'auto',
      source: 'console',
      auth: { apiKey: 'lsv2_canary', tenantId: 'tenant-1' },
      agentApiKey: 'agent-canary',
      allowedOrigins: ['https://*.agents.example.com'],
      secretNames: 'members',
    })
    const stored = JSON.stringify((await (await db()).execute(sql`select * from console.workspaces`)).rows)
    const shown = JSON.stringify(await listWorkspaces(await testActor({ '*': 'admin' })))
    for (const text of [stored, shown]) expect(text).not.toContain('canary')
    expect(shown).toContain('"hasKey":true')
  })

  test('drops its keys when its address moves to another origin', async () => {
    await make()
    expect(await change('staging', { baseUrl: 'https://api.example.com/other' })).toEqual({ hasDroppedKeys: false })
    expect((await workspace('staging')).auth.apiKey).toBe('lsv2_canary')
    expect(await change('staging', { baseUrl: 'https://api.example.com:8443' })).toEqual({ hasDroppedKeys: true })
    expect(await workspace('staging')).toMatchObject({
      baseUrl: 'https://api.example.com:8443',
      auth: {},
      agentApiKey: undefined,
    })
    expect(await change('staging', { baseUrl: 'https://evil.example.com', keys: { apiKey: 'new' } })).toEqual({
      hasDroppedKeys: false,
    })
    expect((await workspace('staging')).auth).toEqual({ apiKey: 'new' })
    expect(await change('staging', { keys: null })).toEqual({ hasDroppedKeys: false })
    expect((await workspace('staging')).auth).toEqual({})
  })

  test('has a tracing address with its own key, sealed for its origin and for traces only', async () => {
    const url = 'https://traces.example.com/api/v1'
    await make({ ...staging, traces: { url, apiKey: 'traces-canary', tenantId: 't' } })
    expect((await workspace('staging')).traces).toEqual({ url, apiKey: 'traces-canary', tenantId: 't' })
    const stored = JSON.stringify((await (await db()).execute(sql`select * from console.workspaces`)).rows)
    const shown = await listWorkspaces(await testActor({ '*': 'admin' }))
    for (const text of [stored, JSON.stringify(shown)]) expect(text).not.toContain('canary')
    expect(shown[0]).toMatchObject({ tracesUrl: url, hasTracesKey: true })
    expect(await change('staging', { name: 'Other' })).toEqual({ hasDroppedKeys: false })
    const moved = 'https://traces.example.com/other'
    expect(await change('staging', { traces: { url: moved } })).toEqual({ hasDroppedKeys: false })
    expect((await workspace('staging')).traces).toMatchObject({ url: moved, apiKey: 'traces-canary' })
    expect(await change('staging', { traces: { url: 'https://evil.example.com' } })).toEqual({ hasDroppedKeys: true })
    expect((await workspace('staging')).traces).toEqual({ url: 'https://evil.example.com' })
    await change('staging', { traces: { url: moved, apiKey: 'traces-canary' } })
    await (await db()).execute(sql`update console.workspaces set traces_url = 'https://evil.example.com'`)
    await expect(workspace('staging')).rejects.toMatchObject({ code: 'upstream_refused_key' })
    await change('staging', { traces: { url: staging.baseUrl, apiKey: 'traces-canary' } })
    await (await db()).execute(sql`update console.workspaces set traces_sealed_auth = sealed_auth`)
    await expect(workspace('staging')).rejects.toMatchObject({ code: 'upstream_refused_key' })
    await change('staging', { traces: null })
    expect(await workspace('staging')).not.toHaveProperty('traces')
    await make({ kind: 'direct', slug: 'desk', name: 'Desk', dialect: 'auto', allowedOrigins: [], traces: { url } })
    expect((await workspace('desk')).traces).toEqual({ url })
    const both = await listWorkspaces(await testActor({ '*': 'viewer' }))
    expect(Object.fromEntries(both.map(({ slug, hasKey }) => [slug, hasKey]))).toEqual({ desk: false, staging: true })
  })

  test("cannot get another workspace's keys or send its keys elsewhere by changes in the database", async () => {
    await make()
    await make({ ...staging, slug: 'other', keys: { apiKey: 'other' } })
    await (await db()).execute(
      sql`update console.workspaces set sealed_auth = (select sealed_auth from console.workspaces where slug = 'staging') where slug = 'other'`,
    )
    await expect(workspace('other')).rejects.toMatchObject({ code: 'upstream_refused_key' })
    await (await db()).execute(
      sql`update console.workspaces set base_url = 'https://evil.example.com' where slug = 'staging'`,
    )
    await expect(workspace('staging')).rejects.toMatchObject({ code: 'upstream_refused_key' })
    const shown = await listWorkspaces(await testActor({ '*': 'viewer' }))
    expect(shown.map(({ slug, keyProblem }) => [slug, keyProblem !== null])).toEqual([
      ['other', true],
      ['staging', true],
    ])
  })

  test.each(['local', 'default', 'st\0ging'])(
    'is never found as %o, which none of the console can be called',
    async (slug) => {
      await make()
      await (await db()).execute(sql`update console.workspaces set slug = ${slug.replace('\0', '')}`)
      await expect(workspace(slug)).rejects.toMatchObject({ code: 'not_found' })
    },
  )

  test('never passes its name, members or servers to a later workspace', async () => {
    await make()
    const member = await testActor({ staging: 'admin' })
    await expect(make()).rejects.toMatchObject({ code: 'conflict', view: { fields: [{ path: ['slug'] }] } })
    await eraseWorkspace('staging')
    await expect(workspace('staging')).rejects.toMatchObject({ code: 'not_found' })
    await expect(eraseWorkspace('staging')).rejects.toMatchObject({ code: 'not_found' })
    await expect(make()).rejects.toMatchObject({ code: 'conflict' })
    expect(await listWorkspaces(member)).toEqual([])
    expect(await roleOf(member, 'staging')).toBeNull()
    const { rows } = await (await db()).execute(sql`select sealed_auth from console.workspaces`)
    expect(rows).toEqual([{ sealed_auth: null }])
  })

  test('is listed for its members with their role', async () => {
    await make()
    await make({ kind: 'direct', slug: 'desk', name: 'A desk', dialect: 'graph', allowedOrigins: [] })
    const slugs = async (roles: Parameters<typeof testActor>[0]) =>
      (await listWorkspaces(await testActor(roles))).map(({ slug, role }) => `${slug} ${role}`)
    expect(await slugs({ staging: 'developer' })).toEqual(['staging developer'])
    expect(await slugs({ '*': 'viewer', staging: 'admin' })).toEqual(['desk viewer', 'staging admin'])
    expect(await slugs({})).toEqual([])
  })

  test.each([
    { slug: 'local' },
    { slug: 'default' },
    { slug: 'api' },
    { slug: 'A' },
    { slug: '../x' },
    { slug: 'x'.repeat(41) },
    { slug: '*' },
    { baseUrl: 'ftp://x' },
    { baseUrl: 'https://user:pw@x' },
    { baseUrl: 'https://x/?key=1' },
    { baseUrl: 'javascript:alert(1)' },
    { keys: { apiKey: 'line\nbreak' } },
    { keys: { apiKey: 'ключ' } },
    { keys: { other: 'x' } as never },
    { allowedOrigins: ['10.0.0.0/8'] },
    { allowedOrigins: ['https://x/path'] },
    { allowedOrigins: ['*'] },
    { name: ' ' },
  ])('is refused with %o', (wrong) => {
    expect(() => parseInput(NewWorkspace, { ...staging, ...wrong })).toThrow()
  })

  test('has an address without trailing slashes', () => {
    expect(
      ['https://X.example.com/', 'http://127.0.0.1:8000//', 'https://x.example.com/api/'].map((url) =>
        UpstreamUrl.parse(url),
      ),
    ).toEqual(['https://x.example.com', 'http://127.0.0.1:8000', 'https://x.example.com/api'])
  })
})

describe('an agent server of a direct workspace', () => {
  const desk = { kind: 'direct' as const, slug: 'desk', name: 'A desk', dialect: 'auto' as const, allowedOrigins: [] }

  test('has its own key, bound to the server and its origin', async () => {
    await make(desk)
    const { id } = await insertDirectServer('desk', {
      name: 'Mine',
      url: 'http://127.0.0.1:8000',
      apiKey: 'server-canary',
    })
    const other = await insertDirectServer('desk', { name: 'Another', url: 'http://127.0.0.1:8001' })
    expect(await directServer('desk', id)).toMatchObject({
      name: 'Mine',
      url: 'http://127.0.0.1:8000',
      apiKey: 'server-canary',
    })
    expect(await directServer('desk', other.id)).not.toHaveProperty('apiKey')
    const shown = await listDirectServers('desk')
    expect(shown.map(({ name, hasKey }) => [name, hasKey])).toEqual([
      ['Another', false],
      ['Mine', true],
    ])
    expect(JSON.stringify(shown)).not.toContain('canary')
    await (await db()).execute(sql`update console.direct_servers set url = 'http://127.0.0.1:9' where id = ${id}`)
    await expect(directServer('desk', id)).rejects.toMatchObject({ code: 'upstream_refused_key' })
  })

  test('is found only in its own workspace', async () => {
    await make(desk)
    await make({ ...desk, slug: 'bench' })
    const { id } = await insertDirectServer('desk', { name: 'Mine', url: 'http://127.0.0.1:8000' })
    for (const [where, what] of [
      ['bench', id],
      ['desk', 'x'],
      ['desk', '00000000-0000-4000-8000-000000000000'],
    ] as const)
      await expect(directServer(where, what)).rejects.toMatchObject({ code: 'not_found' })
    await expect(eraseDirectServer('bench', id)).rejects.toMatchObject({ code: 'not_found' })
    await eraseDirectServer('desk', id)
    expect(await listDirectServers('desk')).toEqual([])
  })

  test('cannot be added to a workspace with a control plane, and direct workspaces cannot have this fields keys', async () => {
    await make()
    await make(desk)
    await expect(insertDirectServer('staging', { name: 'x', url: 'http://x' })).rejects.toMatchObject({
      code: 'unsupported',
    })
    await expect(change('desk', { keys: { apiKey: 'x' } })).rejects.toMatchObject({ code: 'invalid' })
    await expect(change('desk', { baseUrl: 'https://x' })).rejects.toMatchObject({ code: 'invalid' })
    expect(await change('desk', { name: 'Desk 2' })).toEqual({ hasDroppedKeys: false })
  })
})
