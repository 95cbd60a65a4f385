import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { startStubAgent } from '@/e2e/support/stub-agent'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { eraseDirectServer, insertDirectServer, listDirectServers } from '../access/direct-servers'
import { listWorkspaces, workspace } from '../access/workspaces'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from '../upstream/call'
import { attach } from './attach'

let home: TestConsole
let agent: StubUpstream

beforeAll(async () => {
  home = await testConsole()
  agent = await startStubAgent(() => undefined)
})
afterAll(async () => {
  await agent.stop()
  await home.close()
})
beforeEach(() => {
  Reflect.deleteProperty(globalThis, 'pilothouseAttachedControlPlane')
  agent.seen.length = 0
})
afterEach(() => vi.restoreAllMocks())

const searchAt = async (deploymentId: string) =>
  call(
    agentServer.searchAssistants,
    { workspace: 'default', deploymentId, body: { limit: 1 } },
    { actor: await testActor({ '*': 'admin' }) },
  )

test('attached servers are deployments, in the order given, and get the key', async () => {
  home.set({ AGENT_SERVER_URL: `${agent.url}/ http://localhost:8123/api`, AGENT_SERVER_API_KEY: 'the key' })
  const actor = await testActor({ '*': 'admin' })
  const { resources } = await call(controlPlane.listDeployments, { workspace: 'default', query: {} }, { actor })
  expect(resources.map(({ name, source_config }) => [name, source_config.custom_url])).toEqual([
    [new URL(agent.url).host, agent.url],
    ['localhost:8123/api', 'http://localhost:8123/api'],
  ])
  expect(await searchAt(resources[0]?.id ?? '')).toHaveLength(1)
  expect(agent.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['the key'])
  const shown = JSON.stringify([await listWorkspaces(actor), await listDirectServers('default')])
  expect(shown).not.toContain('the key')
  const { rows } = await (await db()).execute(sql`select 1 from console.direct_servers`)
  expect(rows).toEqual([])
})

test('an address keeps its id when others come and go, and another address has another one', async () => {
  const idsWith = async (addresses: string) => {
    home.set({ AGENT_SERVER_URL: addresses })
    return Object.fromEntries((await listDirectServers('default')).map(({ url, id }) => [url, id]))
  }
  const before = await idsWith('http://127.0.0.1:8123')
  const after = await idsWith('http://127.0.0.1:9000, http://127.0.0.1:8123/')
  expect(after['http://127.0.0.1:8123']).toBe(before['http://127.0.0.1:8123'])
  expect(new Set(Object.values(after)).size).toBe(2)
})

test('its servers cannot be changed in the console', async () => {
  home.set({ AGENT_SERVER_URL: agent.url })
  const [server] = await listDirectServers('default')
  const refusal = { code: 'conflict', message: expect.stringContaining('defined by the environment') }
  await expect(insertDirectServer('default', { name: 'x', url: 'http://x' })).rejects.toMatchObject(refusal)
  await expect(eraseDirectServer('default', server?.id ?? '')).rejects.toMatchObject(refusal)
})

test('a control plane is connected as such, with the same key', async () => {
  const plane = await startStubUpstream(({ path }) =>
    path.startsWith('/v2/deployments') ? { body: { resources: [deploymentRecord(null)], offset: 1 } } : { status: 404 },
  )
  home.set({ AGENT_SERVER_URL: plane.url, AGENT_SERVER_API_KEY: 'the key' })
  await attach()
  expect(await workspace('default')).toMatchObject({ kind: 'control-plane', baseUrl: plane.url })
  expect(plane.seen.at(-1)?.headers['x-api-key']).toBe('the key')
  home.set({ AGENT_SERVER_URL: agent.url })
  expect((await workspace('default')).kind).toBe('direct')
  await plane.stop()
})

test('a control plane beside other addresses is reported, not connected', async () => {
  const error = vi.spyOn(log, 'error').mockReturnValue()
  const plane = await startStubUpstream(() => ({ body: { resources: [], offset: 0 } }))
  home.set({ AGENT_SERVER_URL: `${agent.url} ${plane.url}` })
  await attach()
  expect(error).toHaveBeenCalledWith('attach.failed', { url: plane.url, reason: expect.stringContaining('alone') })
  expect((await workspace('default')).kind).toBe('direct')
  await plane.stop()
})

test('a server that is not up yet is reported once and found when it comes', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  const info = vi.spyOn(log, 'info').mockReturnValue()
  let isUp = false
  const late = await startStubAgent(() => (isUp ? undefined : { status: 503, body: 'starting' }))
  home.set({ AGENT_SERVER_URL: late.url })
  const attached = attach()
  await vi.waitFor(() => expect(late.seen.length).toBeGreaterThan(5))
  expect(warn.mock.calls.map(([event]) => event)).toEqual(['attach.waiting'])
  isUp = true
  await attached
  expect(info).toHaveBeenCalledWith('attach.done', { url: late.url, kind: 'agent server', version: '1.0.0' })
  await late.stop()
})
