import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type FaultProxy, startFaultProxy } from '@/e2e/support/fault-proxy'
import { insertDirectServer } from '@/lib/server/access/direct-servers'
import { testServer } from '@/platform/agent-server/testing'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { InboxReader } from '../inbox/inbox-reader'
import { testActor, testConsole } from '../testing'
import { readDeploymentRows } from './deployment-rows'
import { readPlatformRetention } from './platform-retention'
import { readRunRows } from './runs/list'
import { readWorkspaceThreads } from './threads/across'

// One agent server of ten accepts requests and never answers. Every reader of the whole workspace still gives the nine, and
// names the tenth.

const WORKSPACE = 'ten'
const NINE = Array.from({ length: 9 }, (_, index) => `server ${index}`)
const server = await testServer()
const home = await testConsole()
const viewer = await testActor({ [WORKSPACE]: 'viewer' })
let silent: FaultProxy
let tenth = ''

beforeAll(async () => {
  silent = await startFaultProxy(server.url)
  await insertWorkspace({ kind: 'direct', slug: WORKSPACE, name: WORKSPACE, dialect: 'graph', allowedOrigins: [] })
  for (const name of NINE) await insertDirectServer(WORKSPACE, { name, url: server.url })
  await insertDirectServer(WORKSPACE, { name: 'tenth', url: silent.url })
  tenth =
    (await readDeploymentRows(WORKSPACE, {}, { actor: viewer })).rows.find(({ name }) => name === 'tenth')?.id ?? ''
  const waiting = await server.newThread()
  await server.post(`/threads/${waiting}/runs/wait`, { assistant_id: 'approval', input: { topic: 'x' } })
  const busy = await server.newThread()
  await server.post(`/threads/${busy}/runs`, { assistant_id: 'counter', input: { until: 2, delay: 60_000 } })
  await silent.set({ kind: 'black-hole' })
})
afterAll(async () => {
  await home.close()
  await silent.stop()
  await server.close()
})

/** How long a page may take, also where the nine are slow. */
const soon = <T>(look: () => Promise<T>, timeout = 8_000) => vi.waitFor(look, { timeout, interval: 200 })
const namesOf = (rows: readonly { deploymentName: string }[]) =>
  new Set(rows.map(({ deploymentName }) => deploymentName))

test.concurrent('the list of deployments has all ten', async () => {
  const { rows } = await readDeploymentRows(WORKSPACE, {}, { actor: viewer })
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set([...NINE, 'tenth']))
})

test.concurrent('threads are those of the nine', () =>
  soon(async () => {
    const { rows, pending, problems } = await readWorkspaceThreads(WORKSPACE, {}, viewer)
    expect(namesOf(rows)).toEqual(new Set(NINE))
    expect([...pending, ...problems.map(({ name }) => name)]).toEqual(['tenth'])
  }))

// Not with the others: they share the processor, and the nine must be there before the tenth is given up after 6 s.
test('runs are those of the nine, before the tenth is given up and after', async () => {
  const said = new Set<string>()
  const look = async () => {
    const { rows, looked } = await readRunRows(WORKSPACE, { status: 'active' }, viewer)
    expect(new Set(rows.map(({ deployment }) => deployment)).size).toBe(9)
    expect(looked).toMatchObject({ isPending: false, problems: [{ deployment: tenth }] })
    said.add(looked?.problems[0]?.message ?? '')
  }
  await soon(look, 5_500)
  await soon(async () => {
    await look()
    expect([...said].at(-1)).toBe('It did not respond within 6 seconds.')
  })
})

test.concurrent('the Inbox has the waiting threads of the nine at once, and names the tenth when it is given up', async () => {
  const reader = new InboxReader(WORKSPACE)
  const signal = AbortSignal.timeout(12_000)
  await soon(async () => {
    const { threads, unread, pending } = await reader.read(signal, 200)
    expect([namesOf(threads), unread, pending]).toEqual([new Set(NINE), [], 1])
    expect(reader.isReading).toBe(true)
  })
  const { threads, unread, pending } = await reader.read(signal)
  expect(namesOf(threads)).toEqual(new Set(NINE))
  expect([unread.map(({ deploymentName }) => deploymentName), pending]).toEqual([['tenth'], 0])
})

test('the page of retention waits five seconds for a control plane', { timeout: 40_000 }, async () => {
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'hung', name: 'Hung', dialect: 'graph', allowedOrigins: [], keys: {} },
      baseUrl: silent.url,
    }),
  )
  const began = Date.now()
  const read = await readPlatformRetention('hung', await testActor({ hung: 'admin' }))
  expect(read).toMatchObject({
    ok: false,
    error: { code: 'upstream_unreachable', message: expect.stringContaining('5 s') },
  })
  expect(Date.now() - began).toBeLessThan(9_000)
})
