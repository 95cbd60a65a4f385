import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as agentRoute from '@/app/api/relay/[workspace]/agents/[deploymentId]/[...path]/route'
import * as controlPlaneRoute from '@/app/api/relay/[workspace]/control-plane/[...path]/route'
import * as tracesRoute from '@/app/api/relay/[workspace]/traces/[...path]/route'
import { deploymentRecord, rowsOf, SAMPLE_ID, sampleInput } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import { buildPath, type Operation } from '@/lib/contracts/wire/api'
import { AppError, type ErrorView } from '@/lib/errors'
import { relayFetch, relayPath } from '@/lib/queries/relay-fetch'
import type { Actor } from '../access/actor'
import { type TestConsole, type TestPeople, testActor, testConsole, testPeople } from '../testing'
import { schemasOf } from '../upstream/schemas'

const session = vi.hoisted(() => ({ actor: undefined as Actor | undefined }))
vi.mock('../access/actor', async (original) => ({
  ...(await original<typeof import('../access/actor')>()),
  sessionActor: async () => {
    if (session.actor) return session.actor
    throw new AppError('unauthenticated', 'You are not signed in.')
  },
}))

const HOME = 'http://localhost:3000'
const deployment = (url: string) => deploymentRecord(`${url}/agents/demo`)
let home: TestConsole
let upstream: StubUpstream
let people: TestPeople
beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole({
    CONTROL_PLANE_URL: upstream.url,
    CONTROL_PLANE_API_KEY: 'canary-key',
    TRACES_URL: `${upstream.url}/tracing`,
    NEXTAUTH_URL: HOME,
  })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  session.actor = people.viewer
  upstream.seen.length = 0
  upstream.respondWith(({ path }) => ({
    body: path === `/v2/deployments/${SAMPLE_ID}` ? deployment(upstream.url) : {},
  }))
})

const route = (path: string) =>
  path.includes('/agents/')
    ? agentRoute
    : path.startsWith('/api/relay/default/traces/')
      ? tracesRoute
      : controlPlaneRoute
/** Calls the handlers as the framework does; a method without a handler gets 405. */
function send(path: string, init: RequestInit = {}): Promise<Response> {
  const isPost = init.method === 'POST'
  const headers = { ...(isPost && { origin: HOME, 'content-type': 'application/json' }), ...init.headers }
  const { GET, POST } = route(path)
  const handlers: Record<string, typeof GET | undefined> = { GET, POST }
  const handler = handlers[init.method ?? 'GET']
  return handler
    ? handler(new Request(`${HOME}${path}`, { ...init, headers }))
    : Promise.resolve(new Response(null, { status: 405 }))
}
const view = async (response: Response) => (await response.json()) as ErrorView
const agents = `/api/relay/default/agents/${SAMPLE_ID}`
const pathOf = (op: Operation) => relayPath(op, sampleInput(op, false))

describe('the operations that the relay serves', () => {
  const rows = rowsOf(controlPlane, agentServer, traces)

  test.each(rows.filter(([, op]) => op.effect === 'write'))('do not include %s', async (_name, op) => {
    const response = await send(pathOf(op), { method: op.method, body: op.method === 'GET' ? undefined : '{}' })
    // A POST path may match another row, but only a read.
    expect([404, 405]).toContain(response.status)
    expect(upstream.seen).toEqual([])
  })

  test.each(rows.filter(([, op]) => op.effect === 'read' && op.response !== 'stream'))(
    'include %s, at its upstream path below the relay',
    async (_name, op) => {
      session.actor = people[op.role]
      const asked = sampleInput(op, schemasOf(op).body !== undefined)
      const body = op.method === 'POST' ? JSON.stringify(asked.body ?? {}) : undefined
      await send(relayPath(op, asked), { method: op.method, body })
      const reached = upstream.seen.at(-1)
      const prefix = { 'control-plane': '', 'agent-server': '/agents/demo', traces: '/tracing' }[op.api]
      // A hosted tracing API serves single runs through its query, several at a time.
      const sent: Operation = op.id === traces.getTraceRun.id ? traces.queryTraceRuns : op
      expect(reached?.method).toBe(sent.method)
      expect(reached?.path.split('?')[0]).toBe(prefix + buildPath(sent, sent === op ? asked.params : {}))
      expect(upstream.seen.length).toBeLessThanOrEqual(2)
    },
  )

  test.each([
    '/api/relay/default/control-plane',
    '/api/relay/default/control-plane/v2/deployments/a%2Fb',
    '/api/relay/default/control-plane/v2/deployments/a%2fb/revisions',
    '/api/relay/default/control-plane/v2/deployments/a%5Cb',
    '/api/relay/default/control-plane/v2/deployments/%00',
    '/api/relay/default/control-plane/v2/deployments/%zz',
    '/api/relay/default/control-plane/v2/deployments/%ff',
    '/api/relay/default/control-plane/v2/deployments//revisions',
    '/api/relay/default/control-plane/v2/unknown',
    '/api/relay/default/control-plane/internal/truncate',
    `${agents}/internal/truncate`,
    `${agents}/threads/../assistants/x/../../..`,
    `${agents}/threads/%2e%2e/state`,
    `${agents}/threads/${'a'.repeat(5000)}`,
  ])('do not include %s', async (path) => {
    const response = await send(path)
    expect(response.status).toBe(404)
    expect(upstream.seen).toEqual([])
  })

  test('decode an id once and encode it again', async () => {
    await send(`${agents}/assistants/a%20b%2525%23/graph`)
    expect(upstream.seen.at(-1)?.path).toBe('/agents/demo/assistants/a%20b%2525%23/graph')
  })
})

describe('the relay refuses', () => {
  test('a request without a session', async () => {
    session.actor = undefined
    const response = await send('/api/relay/default/control-plane/v2/deployments')
    expect(response.status).toBe(401)
    expect(await view(response)).toMatchObject({ code: 'unauthenticated' })
    expect(upstream.seen).toEqual([])
  })

  test('a user without a role in the workspace', async () => {
    session.actor = await testActor({ elsewhere: 'admin' })
    expect((await send('/api/relay/default/control-plane/v2/deployments')).status).toBe(404)
    expect((await send('/api/relay/nothing/control-plane/v2/deployments')).status).toBe(404)
    expect(upstream.seen).toEqual([])
  })

  test.each([
    ['absent', undefined],
    ['null', 'null'],
    ['foreign', 'https://evil.example'],
    ['on another port', 'http://localhost:3001'],
    ['on another scheme', 'https://localhost:3000'],
    ['a lookalike', 'http://localhost:3000.evil.example'],
    ['no origin at all', 'hello'],
  ])('a POST whose Origin is %s', async (_name, origin) => {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-forwarded-host': 'evil.example',
      ...(origin && { origin }),
    }
    const response = await agentRoute.POST(
      new Request(`${HOME}${agents}/threads/search`, { method: 'POST', headers, body: '{}' }),
    )
    expect(response.status).toBe(403)
    expect(upstream.seen).toEqual([])
  })

  test.each(['cross-site', 'same-site'])('a GET from a %s page', async (site) => {
    expect(
      (await send('/api/relay/default/control-plane/v2/deployments', { headers: { 'sec-fetch-site': site } })).status,
    ).toBe(403)
    expect(upstream.seen).toEqual([])
  })
})

describe('the body of a search', () => {
  const post = (body: BodyInit, headers?: Record<string, string>) =>
    send(`${agents}/threads/search`, { method: 'POST', body, headers })

  test('arrives unchanged, large numbers included', async () => {
    upstream.respondWith(({ path }) => ({ body: path.startsWith('/v2') ? deployment(upstream.url) : [] }))
    const body = '{"metadata":{"n":12345678901234567890}}'
    expect((await post(body)).status).toBe(200)
    expect(upstream.seen.at(-1)?.body).toBe(body)
  })

  test('must be JSON that fits the schema and the size limit', async () => {
    expect((await post('{"limit": ')).status).toBe(422)
    expect((await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(422)
    const refused = await post('{"limit":"many"}')
    expect([refused.status, (await view(refused)).fields.map(({ path }) => path)]).toEqual([422, [['limit']]])
    expect((await post(`{"metadata":{"a":"${'x'.repeat(1_100_000)}"}}`)).status).toBe(413)
    expect(upstream.seen).toEqual([])
  })
})

describe('a response', () => {
  test('is private, never stored, and keeps its numbers', async () => {
    upstream.respondWith(({ path }) => ({
      body: path.startsWith('/v2')
        ? deployment(upstream.url)
        : '{"values":{"n":1e400,"id":98765432109876543210},"next":[],"tasks":[]}',
    }))
    const response = await send(`${agents}/threads/t/state`)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toContain('{"n":1e400,"id":98765432109876543210}')
  })

  test("that is another server's page is served as text and cannot run scripts", async () => {
    upstream.respondWith(({ path }) =>
      path.startsWith('/v2')
        ? { body: deployment(upstream.url) }
        : { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' }, body: '<script>alert(1)</script>' },
    )
    const response = await send(`${agents}/docs`)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('that failed carries our message, a request id and the time to retry', async () => {
    upstream.respondWith(() => ({
      status: 429,
      headers: { 'retry-after': '3' },
      body: '{"detail":"slow down, canary-key"}',
    }))
    const response = await send('/api/relay/default/control-plane/v2/deployments')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3'])
    expect(await view(response)).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('slow down, [redacted]'),
      retryAfterMs: 3000,
      requestId: expect.stringMatching(/./),
    })
  })

  test('to an unexpected failure reveals no details', async () => {
    session.actor = { id: 'not-a-uuid; drop table', email: '', kind: 'user' }
    const response = await send('/api/relay/default/control-plane/v2/deployments')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/drop table|select|uuid|at \//)
  })
})

describe('a stream', () => {
  const stream = (path = `${agents}/threads/t/stream`, init?: RequestInit) => send(path, init)
  let closed: Promise<void>
  beforeEach(() => {
    let close = () => {}
    closed = new Promise((resolve) => {
      close = resolve
    })
    upstream.respondWith(({ path, headers }) => {
      if (path.startsWith('/v2')) return { body: deployment(upstream.url) }
      return (response) => {
        response.on('close', close)
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        if (path.endsWith('/runs/r/stream')) response.end(`id: 1\ndata: ${headers['last-event-id']}\n\n`)
      }
    })
  })

  test('opens immediately while the upstream is silent, and is neither stored nor transformed', async () => {
    const response = await stream()
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('private, no-store, no-transform')
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': open\n\n')
    await reader?.cancel()
    await closed
  })

  test('ends upstream when the browser disconnects', async () => {
    const leaving = new AbortController()
    const response = await stream(undefined, { signal: leaving.signal })
    leaving.abort()
    await expect(response.text()).rejects.toThrow()
    await closed
  })

  test('resumes after the last event id that the browser sends', async () => {
    const response = await stream(`${agents}/threads/t/runs/r/stream`, { headers: { 'last-event-id': '41' } })
    expect(await response.text()).toBe(': open\n\ndata: 41\nid: 1\n\n')
  })

  test('passes heartbeats and events through, and redacts echoed credentials', async () => {
    upstream.respondWith(({ path }) =>
      path.startsWith('/v2')
        ? { body: deployment(upstream.url) }
        : {
            headers: { 'content-type': 'text/event-stream' },
            body: ': heartbeat\n\nevent: values\ndata: {"n":12345678901234567890}\n\nevent: messages\ndata: [{"content":"the token is x"},{"x-api-key":"canary-key","authorization":"Bearer abcdefgh"}]\nid: 7\n\n',
          },
    )
    const text = await (await stream()).text()
    expect(text).not.toMatch(/canary|abcdefgh/)
    expect(text).toContain('event: values\ndata: {"n":12345678901234567890}\n\n')
    expect(text).toContain('"the token is x"')
    expect(text).toMatch(/id: 7\n\n$/)
  })

  test('that cannot be opened is an error like any other', async () => {
    upstream.respondWith(({ path }) =>
      path.startsWith('/v2')
        ? { body: deployment(upstream.url) }
        : { status: 404, body: '{"detail":"Thread t not found"}' },
    )
    const response = await stream()
    expect([response.status, (await view(response)).message]).toEqual([404, 'Thread t not found'])
  })
})

test("the browser's fetch client works with the relay", async () => {
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => send(path, init))
  try {
    const asked = { workspace: 'default', params: { deployment_id: SAMPLE_ID } }
    expect(await relayFetch(controlPlane.getDeployment, asked)).toMatchObject({ id: SAMPLE_ID })
    upstream.respondWith(() => ({ body: '{"resources":[],"offset":0}' }))
    await relayFetch(controlPlane.listDeployments, { workspace: 'default', query: { limit: 5, name_contains: 'a&b' } })
    expect(upstream.seen.at(-1)?.path).toBe('/v2/deployments?limit=5&offset=0&name_contains=a%26b')
    upstream.respondWith(() => ({ status: 500, body: '' }))
    await expect(relayFetch(controlPlane.getDeployment, asked)).rejects.toMatchObject({
      name: 'RelayError',
      code: 'upstream_failed',
    })
  } finally {
    vi.unstubAllGlobals()
  }
})

test('records of which the request selects some fields may lack the others', async () => {
  upstream.respondWith(({ path }) => ({
    body: path.startsWith('/v2/') ? deployment(upstream.url) : [{ name: 'Concierge' }],
  }))
  const search = (body: object) => send(`${agents}/assistants/search`, { method: 'POST', body: JSON.stringify(body) })
  const selected = await search({ select: ['name'] })
  expect([selected.status, await selected.json()]).toMatchObject([200, [{ name: 'Concierge' }]])
  expect((await search({})).status).toBe(502)
})

test('a console that is stopping answers 503, with the time to try again', async () => {
  Reflect.deleteProperty(globalThis, 'pilothouseShutdown')
  try {
    upstream.respondWith(() => () => {}) // never
    const response = send(`/api/relay/default/control-plane/v2/deployments/${SAMPLE_ID}`)
    await vi.waitFor(() => expect(upstream.seen).toHaveLength(1))
    for (const stop of process.listeners('SIGTERM').slice(-1)) stop('SIGTERM')
    const { status, headers } = await response
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  } finally {
    Reflect.deleteProperty(globalThis, 'pilothouseShutdown')
  }
})
