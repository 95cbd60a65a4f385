import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Actor } from '../access/actor'
import { log } from '../process/log'
import { type ScriptedServer, scriptedServer, workspaceFor } from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from '../upstream/call'
import { startTelemetry } from './telemetry'

vi.unmock('../process/log')

let home: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
/** What the collector got, by path. */
let received: Record<string, { headers: IncomingHttpHeaders; body: Buffer }[]> = {}
/** Headers of the requests at the agent server. */
let seen: IncomingHttpHeaders[] = []
const collector = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  received[request.url ?? ''] ??= []
  received[request.url ?? '']?.push({ headers: request.headers, body: Buffer.concat(parts) })
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
})
let endpoint = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  home = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
  server.intercept = ({ headers }) => {
    seen.push(headers)
    return false
  }
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.unstubAllEnvs()
  received = {}
  seen = []
})
afterAll(async () => {
  vi.restoreAllMocks()
  collector.close()
  await server.close()
  await home.close()
})

const createThread = () => call(agentServer.createThread, { workspace: 'tests', deploymentId, body: {} }, { actor })
/** As the process would be started: the exporters read the environment themselves. */
const started = (settings: Record<string, string>) => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  home.set(settings)
  return startTelemetry()
}

test('without an endpoint nothing is sent, and upstreams get no traceparent', async () => {
  const stop = await started({})
  await createThread()
  await stop()
  expect(seen.map(({ traceparent }) => traceparent)).toEqual([undefined])
  const stopDisabled = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' })
  await createThread()
  await stopDisabled()
  expect(received).toEqual({})
})

test('a request to an upstream is a span, whose traceparent the upstream gets', async () => {
  const stop = await started({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=opensesame',
    OTEL_SERVICE_NAME: 'our-console',
  })
  await createThread()
  await expect(
    call(agentServer.getThread, { workspace: 'tests', deploymentId, params: { thread_id: 'none' } }, { actor }),
  ).rejects.toThrow()
  log.warn('collected', { password: 'a secret', count: 3 })
  await stop()
  const [, trace = '', span = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(seen[0]?.traceparent)) ?? []
  const [traces] = received['/v1/traces'] ?? []
  expect(traces?.headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'x-collector-key': 'opensesame' })
  for (const part of [Buffer.from(trace, 'hex'), Buffer.from(span, 'hex'), 'createThread', 'getThread', 'our-console'])
    expect(traces?.body.includes(part), String(part)).toBe(true)
  expect(trace).not.toBe('')
  const logs = received['/v1/logs']?.map(({ body }) => body.toString()).join('') ?? ''
  expect(logs).toContain('"event":"collected"')
  expect(logs).not.toContain('a secret')
  await createThread()
  expect(seen.at(-1)?.traceparent).toBeUndefined() // stopped
})

test('queries of addresses are left out of spans, because they may hold a sign-in code', async () => {
  const stop = await started({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` })
  const { trace } = await import('@opentelemetry/api')
  const attributes = { 'http.target': '/api/auth/callback/oidc?code=canary', 'http.method': 'GET' }
  trace.getTracer('next.js').startSpan('GET /api/auth', { attributes }).end()
  await stop()
  const [traces] = received['/v1/traces'] ?? []
  expect(traces?.body.includes('/api/auth/callback/oidc')).toBe(true)
  expect(traces?.body.includes('canary')).toBe(false)
  expect(received['/v1/logs']).toBeUndefined()
})
