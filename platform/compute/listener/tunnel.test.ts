import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createFixture, type Fixture, waitFor } from '../../testing/platform-fixture'
import { Listener } from './listener'
import { memoryCluster } from './testing'
import { TunnelClient } from './tunnel-client'

vi.setConfig({ testTimeout: 30_000 })

const hashOf = (data: Buffer) => createHash('sha256').update(data).digest('hex')
const BIG = randomBytes(6_000_000)

// The agent server of the cluster: reached from the listener only.
let next = () => {}
const agent = http.createServer(async (request, response) => {
  if (request.url === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    await new Promise<void>((resolve) => {
      next = resolve
    })
    return void response.end('data: second\n\n')
  }
  if (request.url === '/big') return void response.end(BIG)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  response.end(JSON.stringify({ hash: hashOf(Buffer.concat(chunks)), secret: request.headers['x-pilothouse-child'] }))
})
const sockets = new WebSocketServer({ server: agent })
sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)))

let fixture: Fixture
let listener: Listener
let tunnels: TunnelClient
let ended: Promise<void>
let listenerId: string
let id: string
let port = 0
const asked: string[] = []

beforeAll(async () => {
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
  port = (agent.address() as AddressInfo).port
  fixture = await createFixture()
  const { client, platform } = fixture
  const { body } = await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: 'east' })
  listenerId = body.id
  const about = { version: '1', agentUrl: 'http://{service}.{namespace}.svc:8000', database: null, hasTunnels: true }
  const both = { url: platform.url, token: body.token as string }
  listener = new Listener({ ...both, cluster: memoryCluster().cluster, about, log: () => {} })
  tunnels = new TunnelClient({
    ...both,
    addressOf: ({ service, namespace }) => {
      asked.push(`${namespace}/${service}`)
      return { host: '127.0.0.1', port }
    },
  })
  ended = listener.run()
  ended.catch(() => {})
  void tunnels.run()
  const created = await client.request('POST', '/v2/deployments', {
    name: 'remote',
    source: 'external_docker',
    source_config: { listener_id: listenerId },
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [],
  })
  id = created.body.id
  await client.waitForStatus(id, created.body.latest_revision_id, 'DEPLOYED')
  expect(await client.log(id, created.body.latest_revision_id, 'deploy')).not.toContain('cannot reach')
})
afterAll(async () => {
  listener.stop()
  tunnels.stop()
  await ended.catch(() => {})
  await fixture.close()
  for (const socket of sockets.clients) socket.terminate()
  agent.closeAllConnections()
  agent.close()
})
const call = (path: string, init: RequestInit = {}) =>
  fetch(`${fixture.platform.url}/agents/${id}${path}`, {
    ...init,
    headers: { 'x-api-key': fixture.platform.apiKey },
  })

test('events arrive through the listener as they are sent', async () => {
  const response = await call('/stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('data: first\n\n')
  next()
  expect((await reader?.read())?.value).toBe('data: second\n\n')
  expect((await reader?.read())?.done).toBe(true)
  expect(asked[0]).toMatch(/^default\/agent-remote-[0-9a-f]{8}-[0-9a-f]{8}$/)
})

test('large bodies arrive whole, both ways and many at once', async () => {
  const sent = async () => (await (await call('/', { method: 'POST', body: BIG })).json()) as { hash: string }
  const received = async () => ({ hash: hashOf(Buffer.from(await (await call('/big')).arrayBuffer())) })
  const all = await Promise.all([...Array(6)].flatMap(() => [sent(), received()]))
  expect(new Set(all.map(({ hash }) => hash))).toEqual(new Set([hashOf(BIG)]))
})

test('more requests than idle tunnels are all answered', async () => {
  const all = await Promise.all([...Array(40)].map(async () => (await call('/')).status))
  expect(new Set(all)).toEqual(new Set([200]))
})

test('a WebSocket to the agent server passes', async () => {
  const address = `${fixture.platform.url.replace('http', 'ws')}/agents/${id}/socket`
  const socket = new WebSocket(address, { headers: { 'x-api-key': fixture.platform.apiKey } })
  socket.on('open', () => socket.send('hello'))
  expect(await new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))).toBe('echo hello')
  socket.close()
})

test('an agent server that does not answer is said, and its return noticed', async () => {
  const right = port
  port = 9
  const refused = await call('/', { method: 'POST', body: 'x' })
  expect([refused.status, await refused.json()]).toEqual([503, { detail: expect.stringContaining('agent server') }])
  port = right
  expect((await call('/', { method: 'POST', body: 'x' })).status).toBe(200)
})

test('a tunnel needs the token of a listener, and ends when that is revoked', async () => {
  const address = `${fixture.platform.url.replace('http', 'ws')}/v1/listener/tunnel`
  const stranger = new WebSocket(address, { headers: { authorization: 'Bearer phl_wrong' } })
  expect(await new Promise((resolve) => stranger.once('error', (error) => resolve(error.message)))).toMatch(/401/)
  const response = await call('/stream')
  const reader = response.body?.getReader()
  await reader?.read()
  await fixture.client.request('DELETE', `/v2/listeners/${listenerId}/token`)
  await expect(reader?.read()).rejects.toThrow()
  await waitFor('the listener ends', () => ended.then(() => false).catch(() => true))
  expect((await call('/')).status).toBe(503)
})

test('the listener opens connections to services of agents only', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const reasons: string[] = []
  const targets = [{ service: 'kubernetes', namespace: 'default' }, { service: 'agent-a.b', namespace: 'x' }, 'x']
  server.on('connection', (socket) => {
    socket.on('close', (_code, reason) => reasons.push(String(reason)))
    socket.send(JSON.stringify(targets[reasons.length % targets.length]))
  })
  const client = new TunnelClient({ url, token: 't', addressOf: () => ({ host: '127.0.0.1', port }) })
  void client.run()
  await waitFor('it refuses', () => reasons.length >= 30)
  expect(new Set(reasons)).toEqual(new Set(['That is no service of an agent.']))
  client.stop()
  server.close()
})

test('a tunnel is not cut while a slow viewer pauses it, and an idle one without an answer is', async () => {
  // Pings are not answered: one that is paused does not even read them.
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const addressOf = () => ({ host: '127.0.0.1', port })
  const client = new TunnelClient({ url, token: 't', pingMs: 200, addressOf })
  void client.run()
  const [used] = (await once(server, 'connection')) as [WebSocket]
  used.send(JSON.stringify({ service: 'agent-a', namespace: 'default' }))
  await once(used, 'message')
  used.pause()
  // It takes the place of the used one, so its time ends later.
  const [idle] = (await once(server, 'connection')) as [WebSocket]
  await once(idle, 'close')
  used.resume()
  used.send('GET / HTTP/1.1\r\nhost: agent\r\nconnection: close\r\n\r\n')
  expect(String((await once(used, 'message'))[0])).toMatch(/^HTTP\/1\.1 200 OK/)
  client.stop()
  server.close()
})
