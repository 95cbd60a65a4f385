import { afterAll, expect, test } from 'vitest'
import { type FaultProxy, startFaultProxy } from '@/e2e/support/fault-proxy'
import { agentServer } from '@/lib/contracts/agent-server'
import { insertDirectServer } from '@/lib/server/access/direct-servers'
import { until, workspaceFor } from '@/lib/server/recorder/testing'
import { testActor, testConsole } from '@/lib/server/testing'
import { testServer } from '@/platform/agent-server/testing'
import { insertWorkspace } from '../../access/workspace-settings'
import { askAgain } from '../../process/answers'
import { call } from '../../upstream/call'
import { readWorkspaceThreads } from './across'

// Against the embedded agent server under two names; the second goes over a connection that the test can break.
const server = await testServer()
const home = await testConsole()
const first = await workspaceFor(server.url)
const wires: FaultProxy[] = []
const viewer = await testActor({ tests: 'viewer', many: 'viewer', plain: 'viewer' })
afterAll(async () => {
  await home.close()
  for (const wire of wires) await wire.stop()
  await server.close()
})

const read = (query: object = {}) => readWorkspaceThreads('tests', { deployment: first, ...query }, viewer)
const titles = ({ rows }: { rows: { title: string }[] }) => rows.map(({ title }) => title)
async function thread(metadata: object, ...texts: string[]): Promise<string> {
  const id = await server.newThread({ metadata })
  for (const content of texts)
    await server.post(`/threads/${id}/runs/wait`, {
      assistant_id: 'chat',
      input: { messages: [{ role: 'user', content }] },
    })
  return id
}

test('threads get titles and previews, those that need input first, and are found by any message', async () => {
  const asked = await thread({}, 'What is the harvest?', 'A festival in autumn?', 'Thanks')
  const named = await thread({ title: 'Named', customer: 'Ada' }, 'Hello')
  const empty = await thread({})
  const waiting = await server.newThread()
  await server.post(`/threads/${waiting}/runs/wait`, { assistant_id: 'approval', input: { topic: 'x' } })
  await thread({}, 'The newest')
  const page = await read()
  expect(titles(page)).toEqual(['x', 'The newest', 'Untitled thread', 'Named', 'What is the harvest?'])
  expect(page.rows.map(({ id }) => id)).toMatchObject([waiting, expect.any(String), empty, named, asked])
  expect(page.rows[0]).toMatchObject({ status: 'interrupted', deployment: first, deploymentName: 'scripted' })
  expect(page.rows[4]).toMatchObject({ preview: 'You said: Thanks', graph: 'chat' })
  expect(page).toMatchObject({ threads: 5, deployments: 1, isCut: false, pending: [], untitled: [], problems: [] })

  expect((await read({ q: 'AUTUMN' })).rows).toMatchObject([{ id: asked, preview: 'A festival in autumn?' }])
  expect(titles(await read({ q: 'ada' }))).toEqual(['Named'])
  expect(titles(await read({ q: named }))).toEqual(['Named'])
  expect(titles(await read({ q: 'nowhere' }))).toEqual([])
  expect((await read({ status: 'interrupted' })).rows.map(({ id }) => id)).toEqual([waiting])
  const pages = [await read({ limit: 2 }), await read({ limit: 2, offset: 2 }), await read({ limit: 2, offset: 4 })]
  expect(pages.flatMap(titles)).toEqual(titles(page))
  expect(pages.map(({ hasNext }) => hasNext)).toEqual([true, true, false])
})

test('servers that fail or are late are named and hold nobody up', async () => {
  await insertWorkspace({ kind: 'direct', slug: 'many', name: 'Many', dialect: 'graph', allowedOrigins: [] })
  await insertDirectServer('many', { name: 'healthy', url: server.url })
  wires.push(await startFaultProxy(server.url), await startFaultProxy(server.url))
  const [broken, silent] = wires
  await broken?.set({ kind: 'respond', status: 500, body: 'broken' })
  await silent?.set({ kind: 'black-hole' })
  await insertDirectServer('many', { name: 'broken', url: broken?.url ?? '' })
  // More than are asked at once.
  for (let index = 0; index < 14; index++)
    await insertDirectServer('many', { name: `silent ${index}`, url: `${silent?.url}/${index}` })
  await insertDirectServer('many', { name: 'last', url: server.url })
  const began = Date.now()
  const page = await readWorkspaceThreads('many', {}, viewer)
  expect(Date.now() - began).toBeLessThan(5_000)
  expect(page.pending.filter((name) => name.startsWith('silent'))).toHaveLength(14)
  expect(page.problems).toMatchObject([{ name: 'broken', message: expect.stringContaining('500') }])
  expect(new Set(page.rows.map(({ deploymentName }) => deploymentName))).toEqual(new Set(['healthy', 'last']))
  const grouped = (await readWorkspaceThreads('many', { sort: 'deployment' }, viewer)).rows
  const groupOf = (name: string) => grouped.filter(({ deploymentName }) => deploymentName === name)
  expect(grouped).toEqual([...groupOf('healthy'), ...groupOf('last')])
  expect(groupOf('last').map(({ id }) => id)).toEqual(groupOf('healthy').map(({ id }) => id))
  expect(groupOf('last')[0]).toMatchObject({ status: 'interrupted' })
})

test('a server that is away has its threads listed as they were read last', async () => {
  const wire = await startFaultProxy(server.url)
  wires.push(wire)
  await insertWorkspace({ kind: 'direct', slug: 'away', name: 'Away', dialect: 'graph', allowedOrigins: [] })
  await insertDirectServer('away', { name: 'away', url: wire.url })
  const reader = await testActor({ away: 'viewer' })
  const list = () => readWorkspaceThreads('away', {}, reader)
  const before = await until(async () => {
    const found = await list()
    return found.rows.length > 0 ? found : undefined
  })
  await wire.set({ kind: 'respond', status: 503 })
  const page = await until(async () => {
    const found = await list()
    return found.problems.length ? found : undefined
  })
  expect(page.rows).toEqual(before.rows)
  expect(page).toMatchObject({ threads: 0, deployments: 0, problems: [{ name: 'away', keptAt: expect.any(Number) }] })
  expect(Math.abs(Date.now() - (page.problems[0]?.keptAt ?? 0))).toBeLessThan(30_000)
})

test('messages of more threads are searched on demand, and the page tells that there are more', async () => {
  await insertWorkspace({ kind: 'direct', slug: 'deep', name: 'Deep', dialect: 'graph', allowedOrigins: [] })
  await insertDirectServer('deep', { name: 'deep', url: server.url })
  const reader = await testActor({ deep: 'viewer' })
  const old = await thread({ title: 'The oldest' })
  for (let at = 0; at < 11; at++) await server.newThread()
  const found = (query: object) =>
    until(async () => {
      const page = await readWorkspaceThreads('deep', { q: 'the oldest', ...query }, reader)
      return page.pending.length === 0 && page
    })
  expect(await found({ depth: 10 })).toMatchObject({ rows: [], isCut: true })
  expect(await found({ depth: 300 })).toMatchObject({ rows: [{ id: old }], isCut: false })
})

test('a thread that cannot be titled by its server is still listed, and the server is named', async () => {
  const wire = await startFaultProxy(server.url)
  wires.push(wire)
  await insertWorkspace({ kind: 'direct', slug: 'plain', name: 'Plain', dialect: 'graph', allowedOrigins: [] })
  await insertDirectServer('plain', { name: 'plain', url: wire.url })
  await wire.set({
    kind: 'respond',
    status: 200,
    body: JSON.stringify([
      { thread_id: 'a', status: 'idle', metadata: { title: 'By metadata' }, updated_at: '2026-01-01' },
    ]),
  })
  const page = await readWorkspaceThreads('plain', {}, viewer)
  expect(page).toMatchObject({ rows: [{ title: 'By metadata' }], untitled: ['plain'] })
})

test('a server that failed is read again once it has answered anything, or someone tries again', async () => {
  const wire = await startFaultProxy(server.url)
  wires.push(wire)
  const { id } = await insertDirectServer('many', { name: 'back', url: wire.url })
  const problems = async () => (await readWorkspaceThreads('many', { deployment: id }, viewer)).problems
  const endings = [
    () => call(agentServer.getInfo, { workspace: 'many', deploymentId: id }, { actor: viewer }),
    () => askAgain('many'),
  ]
  for (const end of endings) {
    await wire.set({ kind: 'respond', status: 503 })
    await until(async () => (await problems()).length)
    await wire.set(null)
    await end()
    await until(async () => (await problems()).length === 0, 12_000)
  }
})

test('only members read it', async () => {
  const stranger = await testActor({ elsewhere: 'admin' })
  await expect(readWorkspaceThreads('tests', {}, stranger)).rejects.toMatchObject({ code: 'not_found' })
})
