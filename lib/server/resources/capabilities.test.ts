import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { Actor } from '../access/actor'
import { insertDirectServer, NewDirectServer } from '../access/direct-servers'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from '../upstream/call'
import { offeredAt } from './capabilities'

let home: TestConsole
let upstream: StubUpstream
let viewer: Actor
let place: DeploymentPlace
let count = 0

beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
  viewer = await testActor({ bare: 'viewer' })
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'bare', name: 'Bare', dialect: 'auto', allowedOrigins: [] }),
  )
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
// A server of its own for each test: what is known of one is kept.
beforeEach(async () => {
  count += 1
  const server = { name: `Server ${count}`, url: `${upstream.url}/${count}` }
  place = { workspace: 'bare', deploymentId: (await insertDirectServer('bare', NewDirectServer.parse(server))).id }
  upstream.seen.length = 0
})

type Reply = { status?: number; body?: unknown }
/** Answers by the end of the path; everything else is an unknown route. */
const respondWith = (replies: Record<string, Reply>) =>
  upstream.respondWith(({ path }) => {
    const [, reply] = Object.entries(replies).find(([end]) => path.split('?')[0]?.endsWith(end)) ?? []
    return reply ?? { status: 404, body: 'Not Found' }
  })
const states = async () =>
  Object.fromEntries(
    (await offeredAt(place, { actor: viewer })).map(({ name, capability }) => [name, capability.state]),
  )
const reasonFor = async (feature: string) => {
  const capability = (await offeredAt(place, { actor: viewer })).find(({ name }) => name === feature)?.capability
  return capability && 'reason' in capability ? capability.reason : undefined
}

test('a feature without a flag is checked once, and the result is cached', async () => {
  respondWith({
    '/info': { body: { version: '1', flags: {} } },
    '/runs/crons/search': { body: [] },
    '/store/namespaces': { status: 422, body: { detail: 'limit: too small' } },
    '/mcp/': { status: 500, body: { detail: 'boom' } },
    '/assistants/search': { body: [] },
    '/metrics': { status: 405, body: '' },
  })
  expect(await states()).toEqual({
    Crons: 'yes',
    Store: 'yes', // a refusal of the route itself
    MCP: 'unknown',
    'Agent-to-agent (A2A)': 'unknown', // no assistant to ask for
    Metrics: 'no',
    'API reference': 'no',
    Logs: 'no',
  })
  const asked = upstream.seen.filter(({ path }) => path.endsWith('/runs/crons/search')).length
  await states()
  expect(upstream.seen.filter(({ path }) => path.endsWith('/runs/crons/search'))).toHaveLength(asked)
  expect(await reasonFor('Metrics')).toBe('This agent server does not offer metrics (it responded with status 405).')
  expect(await reasonFor('Logs')).toBe('Logs come from a control plane, and this workspace has none.')
})

test('flags of the server decide, and no feature is checked', async () => {
  respondWith({
    '/info': { body: { version: '1', flags: { crons: false, store: true, mcp: true } } },
    '/assistants/search': { body: [{ assistant_id: SAMPLE_ID, graph_id: 'agent' }] },
    '/agent-card.json': { body: { name: 'agent' } },
  })
  expect(await states()).toMatchObject({ Crons: 'no', Store: 'yes', MCP: 'yes', 'Agent-to-agent (A2A)': 'yes' })
  expect(await reasonFor('Crons')).toBe('This agent server reports that it does not offer crons.')
  expect(upstream.seen.filter(({ path }) => /crons|store|mcp/.test(path))).toEqual([])
})

test('a refusal met elsewhere becomes the reason', async () => {
  respondWith({ '/info': { status: 404, body: '404 Not Found' }, '/store/items/search': { status: 405, body: '' } })
  const refused = await failure(call(agentServer.searchItems, { ...place, body: {} }, { actor: viewer }))
  expect(refused).toMatchObject({ code: 'unsupported' })
  expect(await reasonFor('Store')).toBe(refused.message)
})

test('a server that cannot be reached fails as a whole', async () => {
  upstream.respondWith(() => ({ status: 500, body: '' }))
  expect(await failure(offeredAt(place, { actor: viewer }))).toMatchObject({ code: 'upstream_failed' })
})
