import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { testDatabase } from '@/scripts/testing'
import { importsOf } from '../scripts/pack/bundles.mjs'
import { Listener } from './compute/listener/listener'
import { memoryCluster } from './compute/listener/testing'
import { createGateway } from './gateway/gateway'
import type { Route, Upstream } from './gateway/upstream'
import { listenOn } from './kernel/listen'
import { startTelemetry } from './kernel/telemetry'
import { startCollector } from './testing/collector'
import { createClient, createFixture, createRepository, waitFor } from './testing/platform-fixture'
import { startProgram } from './testing/program.mjs'
import { testFolder } from './testing/test-folder'

vi.setConfig({ testTimeout: 60_000 })

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SOCKETS = '1bf7651916cd43dd8448eb211c80319d'
const CALLER = 'b7ad6b7169203331'
const SECRET = 'the canary of a secret'
const GRAPH = `
import { StateGraph, START, END, Annotation } from '@langchain/langgraph'
const State = Annotation.Root({ text: Annotation() })
console.log('loaded with ' + process.env.KEY)
const told = () => Object.keys(process.env).filter((name) => name.startsWith('OTEL_')).map((name) => name + '=' + process.env[name])
export const graph = new StateGraph(State).addNode('one', () => ({ text: told().join() })).addEdge(START, 'one').addEdge('one', END).compile()
`
let collector: Awaited<ReturnType<typeof startCollector>>
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(() => collector.close())

test('a run is traced from its request to its execution, and what is logged is sent without secrets', async () => {
  const { path: folder, remove } = testFolder()
  const database = await testDatabase()
  const platform = await startProgram({
    dataDir: path.join(folder, 'data'),
    databaseUrl: database.url,
    stdio: 'ignore',
    settings: {
      PILOTHOUSE_READABLE: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BLRP_SCHEDULE_DELAY: '100',
    },
  })
  const client = createClient(platform.ready)
  const repository = createRepository(path.join(folder, 'traced'))
  repository.commit({ 'graph.json': JSON.stringify({ graphs: { chat: './chat.mjs:graph' } }), 'chat.mjs': GRAPH })
  const secrets = [
    { name: 'KEY', value: SECRET },
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://127.0.0.1:9' },
  ]
  const { body } = await client.create('traced', repository.url, { secrets })
  await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  const answer = await fetch(`${platform.ready.url}/agents/${body.id}/runs/wait?key=${encodeURIComponent(SECRET)}`, {
    method: 'POST',
    headers: {
      'x-api-key': platform.ready.apiKey,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${CALLER}-01`,
    },
    body: JSON.stringify({ assistant_id: 'chat', input: { text: SECRET } }),
  })
  // The deployment's code has its own settings, and not the operator's.
  expect(await answer.json()).toEqual({ text: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9' })
  const found = (name: string, service: string) =>
    collector.spans.find(
      (span) => span.traceId === TRACE && span.name === name && span.resource['service.name'] === service,
    )
  await waitFor('the run is traced', () => found('run chat', 'pilothouse-agent-server') !== undefined)
  await waitFor('its log is sent', () => collector.logs().includes('loaded with'))
  platform.child.kill('SIGTERM')
  await platform.ended
  await database.drop()
  remove()

  const [gateway, request, run] = [
    found('POST agents', 'pilothouse-platform'),
    found('POST /runs/wait', 'pilothouse-agent-server'),
    found('run chat', 'pilothouse-agent-server'),
  ]
  expect([gateway?.parentSpanId, request?.parentSpanId, run?.parentSpanId]).toEqual([
    CALLER,
    gateway?.spanId,
    request?.spanId,
  ])
  expect(gateway?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'pilothouse.deployment.id': body.id,
  })
  expect(run?.attributes).toMatchObject({ 'pilothouse.graph.id': 'chat', 'pilothouse.run.result': 'done' })
  expect(run?.resource).toMatchObject({ 'pilothouse.deployment.name': 'traced' })
  const names = collector.spans.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['POST /v2/deployments', 'build', 'roll-out']))
  expect(collector.logs()).toContain('Serving: new requests go to this revision.')
  for (const secret of [SECRET, encodeURIComponent(SECRET), platform.ready.apiKey])
    expect(collector.bytes()).not.toContain(secret)
})

test('what a listener does is part of the trace of the roll-out that asked for it', async () => {
  const stopTelemetry = await startTelemetry('tests', {
    variables: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces` },
  })
  const fixture = await createFixture()
  const { client, platform } = fixture
  const joined = await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: 'east' })
  const listener = new Listener({
    url: platform.url,
    token: joined.body.token,
    cluster: memoryCluster().cluster,
    about: { version: '1', agentUrl: 'http://127.0.0.1:9', database: null },
    log: () => {},
  })
  const ended = listener.run()
  const { body } = await client.request('POST', '/v2/deployments', {
    name: 'remote',
    source: 'external_docker',
    source_config: { listener_id: joined.body.id },
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [],
  })
  await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  listener.stop()
  await ended
  await fixture.close()
  await stopTelemetry()
  const { spans } = collector
  const rollout = spans.find(
    ({ name, attributes }) => name === 'roll-out' && attributes['pilothouse.deployment.id'] === body.id,
  )
  const [asked, done] = spans
    .filter(({ name, traceId }) => name === 'listener apply' && traceId === rollout?.traceId)
    .sort((a, b) => a.kind - b.kind)
    .reverse()
  expect([asked?.parentSpanId, done?.parentSpanId]).toEqual([rollout?.spanId, asked?.spanId])
  expect(spans.map(({ name }) => name)).toContain('POST /v1/listener/report')
})

test('a WebSocket through the gateway has one span until it closes, without its query', async () => {
  const stopTelemetry = await startTelemetry('tests', {
    variables: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces` },
  })
  const passed: unknown[] = []
  const agent = createServer()
  new WebSocketServer({ server: agent }).on('connection', (socket, request) => {
    passed.push(request.headers.traceparent)
    socket.on('message', (data) => socket.send(data))
  })
  const listening = { host: '127.0.0.1', port: await listenOn(agent, [0]), secret: 's', isSecure: false }
  const target = (id: string): Route =>
    id === 'ab' ? { state: 'up', child: { ...listening, openRequests: 0 } as Upstream } : { state: 'down' }
  const gateway = createGateway({ target, isKey: (given) => given === 'key' })
  const server = createServer()
  const connections: Promise<unknown>[] = []
  server.on('connection', (socket) => connections.push(new Promise((resolve) => socket.once('close', resolve))))
  gateway.serveWebSockets(server)
  const url = `ws://127.0.0.1:${await listenOn(server, [0])}/agents`
  const headers = { traceparent: `00-${SOCKETS}-${CALLER}-01` }
  const connect = (path: string, more: object = {}) =>
    new WebSocket(`${url}/${path}?api_key=${encodeURIComponent(SECRET)}`, { headers: { ...headers, ...more } })
  const socket = connect('AB/events', { 'x-api-key': 'key' })
  await once(socket, 'open')
  socket.send('x'.repeat(10_000))
  await once(socket, 'message')
  const ends = [socket, connect('ab/events'), connect('cd/events', { 'x-api-key': 'key' })].map((one) =>
    once(one, 'close'),
  )
  socket.close()
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([1005, 4401, 4503])
  await Promise.all(connections)
  server.close()
  agent.close()
  await stopTelemetry()

  const spans = collector.spans.filter(({ traceId }) => traceId === SOCKETS)
  const of = (status: number) => spans.find(({ attributes }) => attributes['http.response.status_code'] === status)
  expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual(
    Array(3).fill(['websocket agents', CALLER]),
  )
  const { 'pilothouse.websocket.bytes_received': received, ...others } = of(101)?.attributes ?? {}
  const { 'pilothouse.websocket.bytes_sent': sent, ...rest } = others
  expect(rest).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 101,
    'network.protocol.name': 'websocket',
    'pilothouse.deployment.id': 'ab',
  })
  for (const bytes of [received, sent]) expect([Number(bytes) > 10_000, Number(bytes) < 11_000]).toEqual([true, true])
  expect(passed).toEqual([`00-${SOCKETS}-${of(101)?.spanId}-01`])
  expect(of(503)?.attributes).toMatchObject({ 'error.type': '503' })
  expect(of(401)?.attributes).not.toHaveProperty('error.type')
  for (const secret of [SECRET, encodeURIComponent(SECRET)]) expect(collector.bytes()).not.toContain(secret)
})

test.each(['platform', 'gateway', 'listener', 'agent-server'])(
  '%s loads the SDK only when it is asked for',
  async (name) => {
    const file = `.build/${name}.mjs`
    const [before] = [...readFileSync(file, 'utf8').matchAll(/^import .*"(@opentelemetry\/[^"]+)";$/gm)]
    expect(before).toBeUndefined()
    // The images keep what a program may import.
    expect((await importsOf([file])).specifiers).toContain('@opentelemetry/sdk-trace')
  },
)
