import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { query, testDatabase } from '@/scripts/testing'
import { Listener } from '../compute/listener/listener'
import { memoryCluster } from '../compute/listener/testing'
import { TunnelClient } from '../compute/listener/tunnel-client'
import { startGatewayProgram } from '../testing/gateway-program.mjs'
import { createClient, createRepository, waitFor } from '../testing/platform-fixture'
import { startProgram } from '../testing/program.mjs'
import { testFolder } from '../testing/test-folder'
import { tickerFiles } from '../testing/ticker.mjs'
import { CHANNEL, type Entry, entrySealer, gatewayRole, isConnected } from './entries'

// A platform and two gateways, each a process of its own. The tests run in order.

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const GATEWAY_KEY = 'a key of forty characters for all gateways'
const { path: folder, remove } = testFolder()
const started: ChildProcess[] = []
let database: Awaited<ReturnType<typeof testDatabase>>
let gatewayDatabase: string
let platform: Awaited<ReturnType<typeof startProgram>>
let client: ReturnType<typeof createClient>
let a: string
let b: string
let killFirst = () => true
/** A deployment of this machine, and one whose servers outlive the platform. */
const ids = { local: '', remote: '' }
const ends: (() => unknown)[] = []

/** The agent servers of the other clusters. The first part of a path is the name of a revision's service. */
const held = new Map<string, http.ServerResponse>()
const agents = http.createServer((request, response) => {
  const [, service = '', first = ''] = (request.url ?? '').split('/')
  if (first.startsWith('hold')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    held.set(first, response)
  } else response.end(JSON.stringify({ service, headers: request.headers, url: request.url }))
})
const sockets = new WebSocketServer({ server: agents })
sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)))

async function startPlatform(settings: Record<string, string> = {}) {
  platform = await startProgram({
    dataDir: path.join(folder, 'data'),
    databaseUrl: database.url,
    settings: { PILOTHOUSE_GATEWAY_KEY: GATEWAY_KEY, PILOTHOUSE_READABLE: folder, ...settings },
    stdio: 'ignore',
  })
  started.push(platform.child)
  client = createClient(platform.ready)
}

async function startGateway(settings: Record<string, string> = {}) {
  const gateway = await startGatewayProgram({
    DATABASE_URL: gatewayDatabase,
    PILOTHOUSE_GATEWAY_KEY: GATEWAY_KEY,
    ...settings,
  })
  started.push(gateway.child)
  return gateway
}
const isReady = (url: string) => waitFor('ready', async () => (await fetch(`${url}/readyz`)).ok)

/** Joins a cluster whose pods are those of this process. */
async function join(name: string, hasTunnels: boolean) {
  const { port } = agents.address() as AddressInfo
  const { body } = await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: name })
  const both = { url: platform.ready.url, token: body.token as string }
  const agentUrl = `http://127.0.0.1:${port}/{service}`
  const memory = memoryCluster()
  const about = { version: '1', agentUrl, database: null, hasTunnels }
  const listener = new Listener({ ...both, cluster: memory.cluster, about, log: () => {} })
  const ended = listener.run().catch(() => {})
  ends.push(() => {
    listener.stop()
    return ended
  })
  if (hasTunnels) {
    const tunnels = new TunnelClient({ ...both, addressOf: () => ({ host: '127.0.0.1', port }) })
    void tunnels.run()
    ends.push(() => tunnels.stop())
  }
  return { id: body.id as string, ...memory }
}
let remote: Awaited<ReturnType<typeof join>>

async function createRemote(name: string, listenerId: string, config: Record<string, unknown> = {}) {
  const { body } = await client.request('POST', '/v2/deployments', {
    name,
    source: 'external_docker',
    source_config: { listener_id: listenerId, ...config },
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [],
  })
  await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  return body.id as string
}

async function rollOut() {
  const { body } = await client.request('POST', `/v2/deployments/${ids.remote}/revisions`, {})
  await client.waitForStatus(ids.remote, body.id, 'DEPLOYED')
}

const ask = (url: string, id: string, place = '/x', headers: Record<string, string> = {}) =>
  fetch(`${url}/agents/${id}${place}`, { headers: { 'x-api-key': platform.ready.apiKey, ...headers } })
const serviceAt = async (url: string) => ((await (await ask(url, ids.remote)).json()) as { service: string }).service

/** A stream through a gateway that stays open until `end`. */
async function openStream(name: string, url: string, id = ids.remote) {
  const response = await ask(url, id, `/hold-${name}`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('data: first\n\n')
  return async () => {
    held.get(`hold-${name}`)?.end('data: last\n\n')
    expect((await reader?.read())?.value).toBe('data: last\n\n')
    expect((await reader?.read())?.done).toBe(true)
  }
}

beforeAll(async () => {
  database = await testDatabase()
  gatewayDatabase = Object.assign(new URL(database.url), { username: '', password: '' }).href
  agents.listen(0, '127.0.0.1')
  // The gateways are there first: they wait for the platform.
  const gateways = Promise.all([startGateway(), startGateway()])
  await startPlatform()
  const [first, second] = await gateways
  a = first.url
  b = second.url
  killFirst = () => first.child.kill('SIGKILL')
  const repository = createRepository(path.join(folder, 'repository'))
  repository.commit(tickerFiles())
  const local = await client.create('local', repository.url)
  remote = await join('east', false)
  ids.local = local.body.id
  ids.remote = await createRemote('remote', remote.id, { custom_url: 'https://remote.example.com/team' })
  await client.waitForStatus(ids.local, local.body.latest_revision_id, 'DEPLOYED')
  await Promise.all([isReady(a), isReady(b)])
})
afterAll(async () => {
  for (const end of ends) await end()
  for (const child of started) child.kill('SIGKILL')
  agents.closeAllConnections()
  agents.close()
  await database.drop()
  remove()
})

test('a run is streamed through one gateway and joined through the other', async () => {
  const clientOf = (url: string) => new Client({ apiUrl: `${url}/agents/${ids.local}`, apiKey: platform.ready.apiKey })
  const hold = path.join(folder, 'hold')
  writeFileSync(hold, '')
  const { thread_id } = await clientOf(a).threads.create()
  const numbersOf = async (events: AsyncIterable<{ event: string; data: unknown }>, onFirst = () => {}) => {
    const numbers: number[] = []
    for await (const { event, data } of events)
      if (event === 'custom' && numbers.push((data as { n: number }).n) === 1) onFirst()
    return numbers
  }
  let joined: Promise<number[]> | undefined
  const streamed = clientOf(a).runs.stream(thread_id, 'ticker', {
    input: { events: 4, steps: 2, hold },
    streamMode: 'custom',
    streamResumable: true,
    onRunCreated: ({ run_id }) => {
      const events = clientOf(b).runs.joinStream(thread_id, run_id, { lastEventId: '-1' })
      // Both have read some of it before the run goes on.
      joined = numbersOf(events, () => rmSync(hold))
    },
  })
  expect(await numbersOf(streamed)).toEqual([0, 1, 2, 3])
  expect(await joined).toEqual([0, 1, 2, 3])
})

test('what a gateway forwards is the same as what the platform forwards', async () => {
  for (const url of [platform.ready.url, a, b]) {
    const custom = { 'x-forwarded-host': 'remote.example.com', 'x-forwarded-proto': 'https' }
    const response = await fetch(`${url}/team/threads?x=1`, {
      headers: { ...custom, 'x-api-key': platform.ready.apiKey, 'x-pilothouse-child': 'forged', 'x-custom': 'yes' },
    })
    const seen = (await response.json()) as { url: string; headers: Record<string, string> }
    expect(seen.url.endsWith('/threads?x=1')).toBe(true)
    expect(seen.headers).toMatchObject({
      'x-custom': 'yes',
      'x-forwarded-prefix': '/team',
      'x-pilothouse-operator': 'true',
    })
    expect(seen.headers['x-api-key']).toBeUndefined()
    expect(seen.headers['x-pilothouse-child']).not.toContain('forged')
    const statuses = [
      await fetch(`${url}/team/x`, { headers: custom }),
      await ask(url, ids.remote, '/x', { 'x-api-key': 'wrong' }),
      await ask(url, '00000000-0000-4000-8000-000000000000'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 403, 404])
    const socket = new WebSocket(`${url.replace('http', 'ws')}/agents/${ids.remote}/socket`, {
      headers: { 'x-api-key': platform.ready.apiKey },
    })
    socket.on('open', () => socket.send('hello'))
    const [data] = await once(socket, 'message')
    expect(String(data)).toBe('echo hello')
    socket.close()
  }
})

test('a new custom_url, a new deployment and a deleted one are known to all gateways', async () => {
  const custom_url = 'https://other.example.com'
  await client.patch(`/v2/deployments/${ids.remote}`, { source_config: { custom_url } })
  const statuses = async (make: (url: string) => Promise<Response>) =>
    Promise.all([a, b].map(async (url) => (await make(url)).status))
  const at = (host: string) => (url: string) =>
    fetch(`${url}/x`, { headers: { 'x-forwarded-host': host, 'x-api-key': platform.ready.apiKey } })
  const become = (wanted: number, make: (url: string) => Promise<Response>) =>
    waitFor(`both answer ${wanted}`, async () => (await statuses(make)).every((one) => one === wanted))
  await become(200, at('other.example.com'))
  await become(404, at('remote.example.com'))
  const id = await createRemote('short', remote.id)
  expect(await statuses((url) => ask(url, id))).toEqual([200, 200])
  await client.request('DELETE', `/v2/deployments/${id}`)
  await become(404, (url) => ask(url, id))
})

test('all gateways say why a deployment of which nothing was ever deployed has no server', async () => {
  const repository = createRepository(path.join(folder, 'broken'))
  repository.commit({ 'graph.json': '{' })
  const { body } = await client.create('broken', repository.url)
  await client.waitForStatus(body.id, body.latest_revision_id, 'BUILD_FAILED')
  const details = () =>
    Promise.all([a, b].map(async (url) => ((await (await ask(url, body.id)).json()) as { detail: string }).detail))
  await waitFor('both know', async () => (await details()).every((one) => /build .* failed/.test(one)))
  await client.request('DELETE', `/v2/deployments/${body.id}`)
})

test('the role of the gateways reads the sealed entries and nothing else', async () => {
  const { name, password } = gatewayRole(GATEWAY_KEY)
  const url = Object.assign(new URL(database.url), { username: name, password }).href
  const granted = await query(
    url,
    `select c.oid::regclass::text || ' ' || string_agg(p, ' ' order by p) as rights from pg_class c
       join pg_namespace n on n.oid = c.relnamespace, unnest(array['select', 'insert', 'update', 'delete']) p
     where n.nspname in ('platform', 'drizzle') and has_table_privilege(c.oid, p) and c.relkind = 'r' group by c.oid order by 1`,
  )
  expect(granted.map(({ rights }) => rights)).toEqual([
    'platform.gateway_copies delete insert select update',
    'platform.gateway_entries select',
  ])
  await expect(query(url, 'select from platform.deployments')).rejects.toThrow(/permission denied/)
  const entries = await query(url, 'select sealed from platform.gateway_entries')
  expect(entries.length).toBeGreaterThan(2)
  expect(JSON.stringify(entries)).not.toContain('127.0.0.1')
})

test('a roll-out switches all gateways; the replaced servers stay for a stream through one of them', async () => {
  const first = await serviceAt(b)
  const end = await openStream('one', a)
  await rollOut()
  const second = await serviceAt(a)
  expect(second).not.toBe(first)
  expect(await serviceAt(b)).toBe(second)
  await rollOut()
  // What nobody reads from goes, what somebody reads from stays.
  await waitFor('the second one is gone', () => !remote.made.has(second))
  expect(remote.made.has(first)).toBe(true)
  await end()
  await waitFor('the first one is gone', () => !remote.made.has(first))
})

test('servers that only the platform reaches are reached through it, and never in a circle', async () => {
  const west = await join('west', true)
  const id = await createRemote('tunnelled', west.id)
  const through = await startGateway({ PILOTHOUSE_PLATFORM_URL: platform.ready.url })
  const circle = await startGateway({ PILOTHOUSE_PLATFORM_URL: a })
  await Promise.all([isReady(through.url), isReady(circle.url)])
  await (await openStream('tunnelled', through.url, id))()
  const detailOf = async (url: string) => {
    const response = await ask(url, id)
    return [response.status, ((await response.json()) as { detail: string }).detail]
  }
  expect(await detailOf(a)).toEqual([503, expect.stringContaining('PILOTHOUSE_PLATFORM_URL')])
  expect(await detailOf(circle.url)).toEqual([508, expect.stringContaining('PILOTHOUSE_PLATFORM_URL')])
  // A stop lets open streams end first.
  const end = await openStream('last', through.url)
  through.child.kill('SIGTERM')
  await waitFor('it takes no more', () =>
    fetch(`${through.url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  await end()
  expect(await through.ended).toBe(0)
})

test('a gateway with another key is never ready, and says why', async () => {
  const other = await startGateway({ DATABASE_URL: database.url, PILOTHOUSE_GATEWAY_KEY: 'x'.repeat(40) })
  let text = ''
  await waitFor('the reason', async () => {
    text = await (await fetch(`${other.url}/readyz`)).text()
    return text.includes('PILOTHOUSE_GATEWAY_KEY')
  })
  expect(text).toContain('is not that of the platform')
  expect((await ask(other.url, ids.remote)).status).toBe(503)
  expect((await fetch(`${other.url}/healthz`)).status).toBe(200)
  other.child.kill('SIGKILL')
  expect((await fetch(`${a}/v2/deployments`)).status).toBe(404)
})

test('without the platform, both go on; its next key is then the only one that they take', async () => {
  const end = await openStream('two', a)
  platform.child.kill('SIGKILL')
  await platform.ended
  expect(await serviceAt(a)).toBe(await serviceAt(b))
  await waitFor('agents of its machine are gone', async () => (await ask(b, ids.local)).status === 503)
  await end()
  const before = platform.ready.apiKey
  writeFileSync(path.join(folder, 'data/platform/api-key'), `plt_${'k'.repeat(32)}`)
  const endLater = await openStream('three', b)
  await startPlatform()
  for (const url of [a, b]) {
    expect((await ask(url, ids.remote, '/x', { 'x-api-key': before })).status).toBe(403)
    expect((await ask(url, ids.remote)).status).toBe(200)
  }
  // Servers that outlived the platform are the same ones, and their open streams count.
  await waitFor('the platform has found them', async () => (await ask(platform.ready.url, ids.remote)).ok)
  const first = await serviceAt(a)
  await rollOut()
  const second = await serviceAt(a)
  await rollOut()
  await waitFor('the second one is gone', () => !remote.made.has(second))
  expect(remote.made.has(first)).toBe(true)
  await endLater()
  await waitFor('the first one is gone', () => !remote.made.has(first))
})

test('with an address of their own, deployments are reached through the gateways', async () => {
  platform.child.kill('SIGKILL')
  await platform.ended
  await startPlatform({ PILOTHOUSE_GATEWAY_URL: `${b}/` })
  const { body } = await client.get(`/v2/deployments/${ids.local}`)
  expect(body.source_config.custom_url).toBe(`${b}/agents/${ids.local}`)
  const own = { source_config: { custom_url: `${b}/team` } }
  const refused = await client.request('PATCH', `/v2/deployments/${ids.remote}`, own)
  expect([refused.status, refused.body.detail[0].msg]).toEqual([422, expect.stringContaining('platform itself')])
})

test('a killed gateway is not waited for, and the other one goes on', async () => {
  const first = await serviceAt(b)
  const end = await openStream('four', a)
  killFirst()
  await expect(end()).rejects.toThrow()
  await rollOut()
  expect(await serviceAt(b)).not.toBe(first)
  await waitFor('the first one is gone', () => !remote.made.has(first))
})

test('the platform publishes that an agent server is started again, and a gateway keeps requests until it is', async () => {
  const sealer = entrySealer(GATEWAY_KEY)
  const published = async () => {
    const [row] = await query(database.url, `select sealed from platform.gateway_entries where key = '${ids.local}'`)
    return sealer.open(row?.sealed as string, ids.local) as Entry
  }
  await waitFor('its agent server serves', async () => (await ask(b, ids.local)).status !== 503)
  const { body } = await client.get(`/v2/deployments/${ids.local}`)
  const log = await client.log(ids.local, body.active_revision_id, 'deploy')
  process.kill(Number([...log.matchAll(/as process (\d+)/g)].at(-1)?.[1]), 'SIGKILL')
  await expect.poll(published, { interval: 5 }).toMatchObject({ servers: null, isReturning: true })

  // Another deployment, of a platform that only this test plays.
  const id = 'd0000000-0000-4000-8000-00000000000d'
  const publish = async (servers: Entry['servers']) => {
    const sealed = sealer.seal({ customUrl: null, servers, isReturning: !servers } satisfies Entry, id)
    const [row] = await query(
      database.url,
      `insert into platform.gateway_entries select '${id}', '${sealed}', max(version) + 1 from platform.gateway_entries
       on conflict (key) do update set sealed = excluded.sealed, version = excluded.version
       returning version, pg_notify('${CHANNEL}', '')`,
    )
    await waitFor('the gateway follows', async () => {
      const behind = await query(
        database.url,
        `select from platform.gateway_copies where version < ${row?.version} and ${isConnected('gateway_copies.id')}`,
      )
      return behind.length === 0
    })
  }
  await publish(null)
  const answer = ask(b, id)
  const { port } = agents.address() as AddressInfo
  const address = { host: '127.0.0.1', ports: [port], isSecure: false, prefix: '/x', secret: 's', loopback: null }
  await publish({ id: 'servers', authenticates: false, endsWithPlatform: false, address })
  expect((await answer).status).toBe(200)
})
