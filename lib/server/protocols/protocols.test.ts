import { asc } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type Reply, type Seen, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { A2A_METHODS, listParams, messageParams, outcomeOf, taskParams, tasksOf } from '@/lib/contracts/agents/a2a'
import {
  mcpServer,
  promptMessages,
  promptsOf,
  resourceBlocks,
  resourcesOf,
  toolResult,
  toolsOf,
} from '@/lib/contracts/agents/mcp'
import type { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import { exchangesOf, responsesTo, type WireEntry } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { type TestServer, testServer } from '@/platform/agent-server/testing'
import type { Actor } from '../access/actor'
import { browser } from '../access/testing'
import { db } from '../process/db'
import { audit } from '../process/schema'
import { workspaceFor } from '../recorder/testing'
import { signIn, type TestConsole, testActor, testConsole } from '../testing'
import { serveProtocol, speak } from './serve'

vi.mock('next/headers', () => import('../access/testing'))

const KEY = 'canary-api-key-77aa'
let home: TestConsole
let upstream: StubUpstream
let server: TestServer
let embedded: DeploymentPlace
let people: Record<'viewer' | 'developer', Actor>
beforeAll(async () => {
  upstream = await startStubUpstream()
  server = await testServer()
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: KEY })
  embedded = { workspace: 'tests', deploymentId: await workspaceFor(server.url) }
  people = { viewer: await testActor({ '*': 'viewer' }), developer: await testActor({ '*': 'developer' }) }
  await signIn(people.viewer)
})
afterAll(async () => {
  await home.close()
  await server.close()
  await upstream.stop()
})

const stubbed = { workspace: 'default', deploymentId: SAMPLE_ID }
async function say(ask: ProtocolAsk, actor = people.developer, place = embedded) {
  const entries: WireEntry[] = []
  await speak(place, ask, { actor, signal: AbortSignal.timeout(15_000) }, (entry) => entries.push(entry))
  return { entries, ...exchangesOf(entries) }
}
const entries = async () => (await db()).select().from(audit).orderBy(asc(audit.seq))
const results = (said: Awaited<ReturnType<typeof say>>, method: string) =>
  responsesTo(said.exchanges, method).map((one) => ('result' in one ? one.result : one))

/** An MCP server with scripted responses, behind the workspace's key. */
function serveMcp(respond: (message: { id?: number; method: string; params?: unknown }, seen: Seen) => Reply) {
  upstream.seen.length = 0
  upstream.respondWith((seen) => {
    if (seen.path.startsWith('/v2/')) return { body: deploymentRecord(`${upstream.url}/agents/demo`) }
    if (seen.method === 'DELETE') return { status: 204 }
    return respond(JSON.parse(seen.body), seen)
  })
}
const reply = (id: number | undefined, result: unknown) => ({ jsonrpc: '2.0', id, result })
const events = (...messages: unknown[]): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  body: messages.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''),
})
const call = {
  protocol: 'mcp',
  ask: 'call',
  name: 'chat',
  arguments: { messages: [{ role: 'user', content: 'hi' }] },
} as const

test('a viewer can list the tools of the embedded agent server, and a developer can call them', async () => {
  const listed = await say({ protocol: 'mcp', ask: 'tools' }, people.viewer)
  expect(listed.error).toBeUndefined()
  const tools = toolsOf(results(listed, 'tools/list'))
  expect(tools.map(({ name }) => name)).toContain('chat')
  expect(tools.every(({ inputSchema }) => inputSchema?.type === 'object')).toBe(true)

  const called = await say(call)
  expect(called.exchanges.map(({ response }) => response?.status)).toEqual([200, 202, 200])
  expect(toolResult(results(called, 'tools/call')[0])).toMatchObject({
    isError: false,
    blocks: [{ type: 'text', text: expect.stringContaining('hi') }],
  })
  // Progress notifications come before the result.
  expect(called.exchanges[2]?.messages.length).toBeGreaterThan(1)
  const refused = await say({ ...call, name: 'nobody' })
  expect(responsesTo(refused.exchanges, 'tools/call')).toMatchObject([
    { error: { message: expect.stringContaining('nobody') } },
  ])
})

test('a viewer cannot call a tool or send a message; each call is one audit entry', async () => {
  serveMcp(({ id }) => ({ body: reply(id, {}) }))
  const refused = await say(call, people.viewer, stubbed)
  expect([refused.error?.code, refused.exchanges]).toEqual(['forbidden', []])
  // The rest of the console may ask the control plane meanwhile.
  expect(upstream.seen.filter(({ path }) => !path.startsWith('/v2/'))).toEqual([])
  const message = { protocol: 'a2a', assistant: 'chat', version: '0.3', verb: 'send', params: {} } as const
  expect((await say(message, people.viewer)).error?.code).toBe('forbidden')
  const from = await entries()
  await say(call, people.developer, stubbed)
  await say({ protocol: 'mcp', ask: 'tools' }, people.developer, stubbed)
  const kept = (await entries()).slice(from.length)
  expect(kept.map(({ operation, kind }) => [operation, kind])).toEqual([
    ['agent-server.sendMcp', 'intent'],
    ['agent-server.sendMcp', 'outcome'],
  ])
})

test('a session is kept through the conversation, ended with it, and never shown', async () => {
  serveMcp(({ id, method }, { headers }) => {
    if (method === 'initialize')
      return {
        headers: { 'content-type': 'application/json', 'Mcp-Session-Id': 'canary-session-1' },
        body: reply(id, { protocolVersion: '2025-03-26', serverInfo: { name: 'x' } }),
      }
    if (headers['mcp-session-id'] !== 'canary-session-1') return { status: 400, body: { error: 'no session' } }
    if (id === undefined) return { status: 202 }
    const notice = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
    return events(notice, reply(id, { content: [{ type: 'text', text: `the key is ${KEY}` }] }))
  })
  const said = await say(call, people.developer, stubbed)
  expect(said.error).toBeUndefined()
  const asked = upstream.seen.filter(({ path }) => path.endsWith('/mcp/'))
  expect(
    asked.map(({ method, headers }) => [method, headers['mcp-session-id'], headers['mcp-protocol-version']]),
  ).toEqual([
    ['POST', undefined, undefined],
    ['POST', 'canary-session-1', '2025-03-26'],
    ['POST', 'canary-session-1', '2025-03-26'],
    ['DELETE', 'canary-session-1', '2025-03-26'],
  ])
  expect(asked.every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true)
  expect(JSON.stringify(said.entries)).not.toContain('canary')
  expect(said.exchanges[0]?.request.headers).toContainEqual(['x-api-key', '[redacted]'])
})

test('pages of tools are followed, and long numbers stay exact', async () => {
  serveMcp(({ id, method, params }) => {
    if (method !== 'tools/list') return id ? { body: reply(id, {}) } : { status: 202 }
    const { cursor } = params as { cursor?: string }
    const tool = `{"name":"${cursor ?? 'first'}","inputSchema":{"default":12345678901234567890}}`
    return {
      body: `{"jsonrpc":"2.0","id":${id},"result":{"tools":[${tool}]${cursor ? '' : ',"nextCursor":"second"'}}}`,
    }
  })
  const said = await say({ protocol: 'mcp', ask: 'tools' }, people.viewer, stubbed)
  expect(toolsOf(results(said, 'tools/list')).map(({ name }) => name)).toEqual(['first', 'second'])
  expect(said.exchanges.at(-1)?.messages[0]?.text).toContain('12345678901234567890')
})

test('a viewer can list and read prompts and resources, page by page, without audit entries', async () => {
  const lists: Record<string, unknown> = {
    'prompts/list': {
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }, 7] }, { title: 'no name' }],
    },
    'resources/list': {
      resources: [{ uri: 'file:///notes', name: 'Notes', mimeType: 'text/plain' }, { name: 'nowhere' }],
    },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'file:///{name}', description: 'Any of them' }] },
  }
  serveMcp(({ id, method, params }) => {
    if (id === undefined) return { status: 202 }
    const { cursor, name, uri, arguments: given } = (params ?? {}) as Record<string, string>
    const hasMore = method in lists && cursor === undefined
    const result =
      method === 'prompts/get'
        ? { messages: [{ role: 'user', content: { type: 'text', text: `${name} ${JSON.stringify(given)}` } }, 'odd'] }
        : method === 'resources/read'
          ? { contents: [{ uri, text: 'tea at four' }] }
          : { ...(lists[method] as object), ...(hasMore && { nextCursor: 'more' }) }
    return { body: reply(id, result) }
  })
  const from = (await entries()).length
  const list = async (ask: 'prompts' | 'resources' | 'templates', method: string) =>
    results(await say({ protocol: 'mcp', ask }, people.viewer, stubbed), method)
  const prompts = await list('prompts', 'prompts/list')
  expect(prompts).toHaveLength(2)
  expect(promptsOf(prompts.slice(0, 1))).toEqual([{ name: 'greet', arguments: [{ name: 'who', isRequired: true }] }])
  const found = [
    ...(await list('resources', 'resources/list')).slice(0, 1),
    ...(await list('templates', 'resources/templates/list')).slice(0, 1),
  ]
  expect(resourcesOf(found)).toEqual([
    { uri: 'file:///notes', name: 'Notes', isTemplate: false, mimeType: 'text/plain' },
    { uri: 'file:///{name}', name: 'file:///{name}', isTemplate: true, description: 'Any of them' },
  ])
  const got = await say(
    { protocol: 'mcp', ask: 'prompt', name: 'greet', arguments: { who: 'you' } },
    people.viewer,
    stubbed,
  )
  expect(promptMessages(results(got, 'prompts/get')[0])).toEqual([
    { role: 'user', block: { type: 'text', text: 'greet {"who":"you"}' } },
  ])
  const read = await say({ protocol: 'mcp', ask: 'resource', uri: 'file:///notes' }, people.viewer, stubbed)
  expect(resourceBlocks(results(read, 'resources/read')[0])).toEqual([{ uri: 'file:///notes', text: 'tea at four' }])
  expect(await entries()).toHaveLength(from)
})

test('the embedded agent server announces only the features that it has', async () => {
  const { offers } = mcpServer(results(await say({ protocol: 'mcp', ask: 'tools' }), 'initialize')[0])
  expect(offers).toEqual(['tools'])
})

test('a stranger with a malformed request learns nothing but that there is no session', async () => {
  browser.cookies.clear()
  const headers = { 'content-type': 'application/json', origin: 'http://localhost:3000' }
  const request = new Request('http://localhost/api/protocols', { method: 'POST', headers, body: '{"protocol":1}' })
  expect((await serveProtocol(request, stubbed)).status).toBe(401)
  await signIn(people.viewer)
})

test('a connection stays open while the agent works silently, and leaving ends the exchange', async () => {
  let hasLeft = false
  serveMcp(() => (response) => {
    response.on('close', () => {
      hasLeft = true
    })
  })
  const headers = { 'content-type': 'application/json', origin: 'http://localhost:3000' }
  const body = JSON.stringify({ protocol: 'mcp', ask: 'tools' })
  const request = new Request('http://localhost/api/protocols', { method: 'POST', headers, body })
  const reader = (await serveProtocol(request, stubbed, { maxSilenceMs: 15 })).body?.getReader()
  const told: string[] = []
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    told.push(new TextDecoder().decode(part.value))
    if (told.length === 4) break
  }
  expect(told.slice(1)).toEqual(['\n', '\n', '\n'])
  expect(told[0]).toContain('"kind":"request"')
  await reader?.cancel()
  await vi.waitFor(() => expect(hasLeft).toBe(true))
})

test.each([
  ['the group is missing', { status: 404, body: 'Not Found' }, 'unsupported'],
  [
    'the response ends early',
    { headers: { 'content-type': 'text/event-stream' }, body: ': nothing\n\n' },
    'upstream_shape',
  ],
  [
    'the greeting is refused',
    { body: { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'not you' } } },
    'upstream_failed',
  ],
  ['the server fails', { status: 500, body: '<html>oops' }, 'upstream_failed'],
] as const)('if %s, that is reported after the messages that arrived', async (_, respond, code) => {
  serveMcp(() => respond)
  const said = await say({ protocol: 'mcp', ask: 'tools' }, people.viewer, stubbed)
  expect([said.exchanges.length, said.error?.code]).toEqual([1, code])
})

test.each(['0.3', '1.0'] as const)(
  'a message to an assistant by A2A %s is sent, streamed, read again',
  async (version) => {
    const ask = { protocol: 'a2a', assistant: 'chat', version } as const
    const params = messageParams(version, { id: crypto.randomUUID(), text: 'one two three' })
    const sent = await say({ ...ask, verb: 'send', params })
    const task = outcomeOf(results(sent, A2A_METHODS[version].send))
    expect(task).toMatchObject({
      state: 'completed',
      artifacts: [{ parts: [{ text: expect.stringContaining('one two three') }] }],
    })
    const streamed = await say({
      ...ask,
      verb: 'stream',
      params: messageParams(version, { id: crypto.randomUUID(), text: 'a b c' }),
    })
    const parts = results(streamed, A2A_METHODS[version].stream)
    expect([parts.length > 4, outcomeOf(parts).state]).toEqual([true, 'completed'])
    const read = await say(
      { ...ask, verb: 'get', params: taskParams(version, 'get', task.task ?? '', task.context) },
      people.viewer,
    )
    expect(outcomeOf(results(read, A2A_METHODS[version].get))).toEqual(task)
    const listed = await say({ ...ask, verb: 'list', params: listParams(task.context) }, people.viewer)
    // Version 0.3 has no list method over JSON-RPC, so the server's error is shown.
    if (version === '0.3') expect(results(listed, A2A_METHODS[version].list)).toMatchObject([{ error: {} }])
    else
      expect(tasksOf(results(listed, A2A_METHODS[version].list)[0])).toEqual({
        tasks: [{ id: task.task, context: task.context, state: 'completed', at: expect.any(String) }],
        total: 1,
      })
    const cancelled = await say({
      ...ask,
      verb: 'cancel',
      params: taskParams(version, 'cancel', task.task ?? '', task.context),
    })
    expect(results(cancelled, A2A_METHODS[version].cancel)).toMatchObject([{ error: { message: expect.any(String) } }])
  },
)
