import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import type { DeploymentRoles, Rights } from '@/lib/contracts/wire/rights'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testActor, testConsole } from '../testing'
import { systemActor } from './actor'
import { attachedServers } from './attached'
import { directServer, insertDirectServer, listDirectServers, visibleServers } from './direct-servers'
import { insertWorkspace, NewWorkspace } from './workspace-settings'
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
  vi.clearAllMocks()
  await (await db()).execute(sql`truncate console.workspaces, console.direct_servers, console.accounts cascade`)
})

const url = 'https://api.example.com'
const common = { dialect: 'graph' as const, allowedOrigins: ['https://a.example.com'] }
const direct = (slug: string, name = slug): NewWorkspace => ({ ...common, kind: 'direct', slug, name })
const plane = (slug: string, more: object = {}): NewWorkspace => ({
  ...{ ...common, kind: 'control-plane', slug, name: slug, baseUrl: url },
  ...more,
})
const make = (given: NewWorkspace) => insertWorkspace(NewWorkspace.parse(given))
const environment = { CONTROL_PLANE_URL: url, CONTROL_PLANE_API_KEY: 'env-key' }

describe('the list of workspaces', () => {
  test('shows what a workspace is set to, and which keys it has', async () => {
    const keys = { bearer: 'secret', agentApiKey: 'secret', tenantId: 'tenant-1' }
    const traces = { url: 'https://traces.example.com', apiKey: 'secret' }
    await make(plane('staging', { keys, traces, secretNames: 'admins' }))
    await make(direct('desk'))
    const rights = { role: 'viewer', deployments: {} }
    const without = { hasKey: false, hasAgentKey: false, tracesUrl: null, hasTracesKey: false, tenantId: null }
    const shown = { ...common, source: 'console', keyProblem: null, role: 'viewer', rights }
    expect(await listWorkspaces(await testActor({ '*': 'viewer' }))).toEqual([
      { ...shown, ...without, slug: 'desk', name: 'desk', kind: 'direct', baseUrl: null, secretNames: 'members' },
      {
        ...{ ...shown, slug: 'staging', name: 'staging', kind: 'control-plane', baseUrl: url, secretNames: 'admins' },
        ...{ hasKey: true, hasAgentKey: true, tracesUrl: traces.url, hasTracesKey: true, tenantId: 'tenant-1' },
      },
    ])
  })

  test('begins with that of the environment, and goes on by name, without deleted ones', async () => {
    home.set(environment)
    for (const [slug, name] of [
      ['bbb', 'Same'],
      ['aaa', 'Same'],
      ['ccc', 'Another'],
      ['ddd', 'Deleted'],
    ] as const)
      await make(direct(slug, name))
    await (await db()).execute(sql`update console.workspaces set deleted_at = now() where slug = 'ddd'`)
    const slugs = ['default', 'ccc', 'aaa', 'bbb']
    for (const actor of [await testActor({ '*': 'admin' }), systemActor('poller')])
      expect((await listWorkspaces(actor)).map(({ slug }) => slug)).toEqual(slugs)
    expect((await listWorkspaces(systemActor('poller')))[0]).toMatchObject({
      ...{ source: 'environment', hasKey: true, hasAgentKey: false, role: 'viewer' },
    })
    expect(JSON.stringify(await listWorkspaces(systemActor('poller')))).not.toContain('env-key')
  })

  test.each<[DeploymentRoles | Rights, string]>([
    [{ a: 'viewer' }, 'viewer'],
    [{ a: 'viewer', b: 'developer' }, 'developer'],
    [{ a: 'admin' }, 'developer'],
    [{ role: 'viewer', deployments: { a: 'admin' } }, 'viewer'],
  ])('shows a member with the rights %j as %s', async (rights, role) => {
    await make(direct('desk'))
    await make(direct('bench'))
    const [own, ...others] = await listWorkspaces(await testActor({ desk: rights }))
    expect([own?.slug, own?.role, others]).toEqual(['desk', role, []])
    expect(own?.rights.deployments).toEqual('deployments' in rights ? rights.deployments : rights)
  })

  test('says why keys cannot be used, and still shows the workspace', async () => {
    const traces = { url: 'https://traces.example.com', apiKey: 'secret' }
    await make(plane('staging', { keys: { apiKey: 'secret' }, traces }))
    const actor = await testActor({ staging: 'admin' })
    await (await db()).execute(sql`update console.workspaces set traces_sealed_auth = 'damaged'`)
    const [shown] = await listWorkspaces(actor)
    expect(shown).toMatchObject({
      hasKey: false,
      hasTracesKey: false,
      tracesUrl: traces.url,
      keyProblem: expect.stringContaining('damaged'),
    })
    expect(log.warn).toHaveBeenCalledWith('workspace.keys_closed', expect.objectContaining({ workspace: 'staging' }))
    const refused = await failure(workspace('staging'))
    expect(refused).toMatchObject({ code: 'upstream_refused_key', message: expect.stringContaining('damaged') })
    expect(refused.cause).toBeInstanceOf(Error)
  })
})

test('the landing workspace is that of the environment, else the oldest that is not deleted', async () => {
  for (const slug of ['zzz', 'aaa', 'mmm']) await make(direct(slug))
  const age = async (slug: string, days: number) =>
    (await db()).execute(
      sql`update console.workspaces set created_at = now() - make_interval(days => ${days}) where slug = ${slug}`,
    )
  await age('mmm', 5)
  await age('zzz', 3)
  expect(await firstWorkspace()).toBe('mmm')
  await (await db()).execute(sql`update console.workspaces set deleted_at = now() where slug = 'mmm'`)
  expect(await firstWorkspace()).toBe('zzz')
  home.set(environment)
  expect(await firstWorkspace()).toBe('default')
})

describe('agent servers', () => {
  const add = (slug: string, name: string, more: object = {}) =>
    insertDirectServer(slug, { name, url: 'http://127.0.0.1:8000', ...more })

  test('are listed by name, without their keys', async () => {
    await make(direct('desk'))
    await make(direct('bench'))
    const second = await add('desk', 'Second', { apiKey: 'secret' })
    const first = await add('desk', 'First')
    await add('bench', 'Elsewhere')
    const shown = { url: 'http://127.0.0.1:8000', createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }
    expect(await listDirectServers('desk')).toEqual([
      { ...shown, id: first.id, name: 'First', hasKey: false },
      { ...shown, id: second.id, name: 'Second', hasKey: true },
    ])
    expect(await directServer('desk', second.id)).toEqual({
      ...{ ...shown, id: second.id, name: 'Second', apiKey: 'secret' },
    })
    const same = await Promise.all(['a', 'b', 'c'].map(() => add('bench', 'Same')))
    expect((await listDirectServers('bench')).map(({ id }) => id).slice(1)).toEqual(same.map(({ id }) => id).sort())
  })

  test('are those that a limited member has a role for', async () => {
    await make(direct('desk'))
    const { id: one } = await add('desk', 'One')
    const { id: two } = await add('desk', 'Two')
    const idsFor = async (rights: Parameters<typeof testActor>[0]) =>
      (await visibleServers(await testActor(rights), 'desk')).map(({ id }) => id)
    expect(await idsFor({ desk: 'viewer' })).toEqual([one, two])
    expect(await idsFor({ desk: { [two]: 'viewer' } })).toEqual([two])
    expect(await idsFor({ bench: { [one]: 'viewer' } })).toEqual([])
  })

  test('of the environment are listed beside those of other workspaces', async () => {
    home.set({ AGENT_SERVER_URL: 'http://b.example.com http://a.example.com', AGENT_SERVER_API_KEY: 'env-key' })
    await make(direct('desk'))
    const { id } = await add('desk', 'Mine')
    const [first, second] = attachedServers()
    const plain = (server = first) => ({
      ...{ id: server?.id, name: server?.name, url: server?.url, createdAt: server?.createdAt, hasKey: true },
    })
    expect(await listDirectServers('default')).toEqual([plain(first), plain(second)])
    expect(await directServer('default', second?.id ?? '')).toEqual(second)
    expect((await listDirectServers('desk')).map(({ name }) => name)).toEqual(['Mine'])
    for (const [where, what] of [
      ['default', id],
      ['desk', second?.id ?? ''],
      ['default', 'none'],
    ] as const)
      await expect(directServer(where, what)).rejects.toMatchObject({ code: 'not_found' })
    home.set({ AGENT_SERVER_URL: 'http://b.example.com' })
    expect((await listDirectServers('default')).map(({ hasKey }) => hasKey)).toEqual([false])
    home.set(environment)
    expect(await listDirectServers('default')).toEqual([])
  })

  test('whose key cannot be read are refused with the reason', async () => {
    await make(direct('desk'))
    const { id } = await add('desk', 'Mine', { apiKey: 'secret' })
    await (await db()).execute(sql`update console.direct_servers set sealed_auth = 'damaged'`)
    const refused = await failure(directServer('desk', id))
    expect(refused).toMatchObject({ code: 'upstream_refused_key', message: expect.stringContaining('damaged') })
    expect(refused.cause).toBeInstanceOf(Error)
  })
})
