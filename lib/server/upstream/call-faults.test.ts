import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type Fault, type FaultProxy, startFaultProxy } from '@/e2e/support/fault-proxy'
import { SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { AppError, ErrorCode } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { insertDirectServer, NewDirectServer } from '../access/direct-servers'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { db } from '../process/db'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call, openStream } from './call'

// A workspace of kind `direct` whose only agent server is behind a proxy that injects faults.
let home: TestConsole
let upstream: StubUpstream
let proxy: FaultProxy
let admin: Actor
let place: DeploymentPlace
const assistant = { assistant_id: SAMPLE_ID, graph_id: 'agent' }
const thread = { thread_id: SAMPLE_ID }
const events =
  'event: metadata\ndata: {"run_id":"r"}\n\nevent: values\ndata: {"n":1}\n\nevent: values\ndata: {"n":2}\n\n'

beforeAll(async () => {
  upstream = await startStubUpstream()
  proxy = await startFaultProxy(`${upstream.url}/mounted`)
  home = await testConsole()
  admin = await testActor({ bare: 'admin', other: 'admin' })
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'bare', name: 'Bare', dialect: 'auto', allowedOrigins: [] }),
  )
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'other', name: 'Other', dialect: 'auto', allowedOrigins: [] }),
  )
  const { id } = await insertDirectServer(
    'bare',
    NewDirectServer.parse({ name: 'My server', url: proxy.url, apiKey: 'key-of-the-server' }),
  )
  place = { workspace: 'bare', deploymentId: id }
})
afterAll(async () => {
  await home.close()
  await proxy.stop()
  await upstream.stop()
})
beforeEach(async () => {
  await proxy.set(null)
  proxy.requests.length = 0
  upstream.seen.length = 0
  upstream.respondWith(({ path, method }) => {
    if (path.includes('/stream')) return { headers: { 'content-type': 'text/event-stream' }, body: events }
    return { body: method === 'POST' && path.endsWith('/threads') ? thread : assistant }
  })
})

const read = (timeoutMs = 400, assistant_id = SAMPLE_ID) =>
  call(agentServer.getAssistant, { ...place, params: { assistant_id } }, { actor: admin, timeoutMs })
const write = (timeoutMs = 400) => call(agentServer.createThread, { ...place, body: {} }, { actor: admin, timeoutMs })
const stream = () =>
  openStream(agentServer.streamThread, { ...place, params: { thread_id: SAMPLE_ID } }, { actor: admin, timeoutMs: 400 })
/** How often this call was sent. On a busy machine a request of the call before can arrive after it has failed. */
const timesSent = ({ view }: AppError) => proxy.requestIds.filter((id) => id === view.requestId).length
const lastOutcome = async () =>
  (
    await (
      await db()
    ).execute<{ outcome: string; upstream_status: number | null }>(
      sql`select outcome, upstream_status from console.audit where kind = 'outcome' order by seq desc limit 1`,
    )
  ).rows[0]

describe('over all faults', () => {
  const faults: [string, Fault, ErrorCode][] = [
    ['a server that is down', { kind: 'down' }, 'upstream_unreachable'],
    ['a reset before a response', { kind: 'reset', afterBytes: 0 }, 'upstream_unreachable'],
    [
      'a reset after the request had its effect',
      { kind: 'reset', afterBytes: 0, isDelivered: true },
      'upstream_unreachable',
    ],
    ['a reset inside the response', { kind: 'reset', afterBytes: 10 }, 'upstream_unreachable'],
    ['silence', { kind: 'black-hole' }, 'upstream_unreachable'],
    ['silence inside the response', { kind: 'half-open', afterBytes: 10 }, 'upstream_unreachable'],
    ['a response that takes too long', { kind: 'latency', ms: 5_000 }, 'upstream_unreachable'],
    ['a response that trickles', { kind: 'bandwidth', bytesPerSecond: 32 }, 'upstream_unreachable'],
    ['a response cut off', { kind: 'truncate', afterBytes: 10 }, 'upstream_unreachable'],
    ['a 500', { kind: 'respond', status: 500, body: 'Internal Server Error' }, 'upstream_failed'],
    [
      "a gateway's page",
      { kind: 'respond', status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
      'upstream_failed',
    ],
    ['a 429', { kind: 'respond', status: 429, headers: { 'retry-after': '2' } }, 'rate_limited'],
    [
      'a web page as a success',
      { kind: 'respond', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'upstream_shape',
    ],
    ['an empty success', { kind: 'respond', status: 200 }, 'upstream_shape'],
    [
      'a redirect',
      { kind: 'respond', status: 302, headers: { location: 'http://169.254.169.254/' } },
      'upstream_failed',
    ],
    ['a refused key', { kind: 'respond', status: 401, body: '{"detail":"no"}' }, 'upstream_refused_key'],
  ]

  test.each(faults)('%s fails a read with one sentence', async (_name, fault, code) => {
    await proxy.set(fault)
    const error = await failure(read())
    expect(error).toMatchObject({ code, view: { requestId: expect.stringMatching(/./) } })
    expect(error.message).toMatch(/\S.*\.$/s)
    expect(timesSent(error)).toBeLessThanOrEqual(2)
  })

  test.each(faults)(
    '%s fails a write, which is sent at most once, and the outcome is audited',
    async (_name, fault, code) => {
      await proxy.set(fault)
      const error = await failure(write())
      expect(error).toMatchObject({ code })
      expect(timesSent(error)).toBeLessThanOrEqual(1)
      expect((await lastOutcome())?.outcome).toMatch(new RegExp(`\\b${code}$`))
    },
  )

  test.each(faults.filter(([name]) => !/inside|trickles|cut off/.test(name)))(
    '%s fails a stream before it opens',
    async (_name, fault, code) => {
      await proxy.set(fault)
      expect(await failure(stream())).toMatchObject({ code })
    },
  )
})

describe('a connection that breaks', () => {
  test('once is retried by a read', async () => {
    // Of its own, because a late request of another call would use up the fault or count.
    const id = SAMPLE_ID.replace(/^./, 'e')
    await proxy.set({ kind: 'reset', afterBytes: 0 }, 1, new RegExp(id))
    expect(await read(400, id)).toMatchObject(assistant)
    expect(proxy.requests.filter((request) => request.includes(id))).toHaveLength(2)
  })

  test('twice fails a read', async () => {
    // Without a count, because a late request of another call would use one up.
    await proxy.set({ kind: 'reset', afterBytes: 0 })
    const error = await failure(read())
    expect(error).toMatchObject({ code: 'upstream_unreachable' })
    expect(timesSent(error)).toBe(2)
  })

  test('after a write was sent makes its outcome unknown, and the message says so', async () => {
    await proxy.set({ kind: 'reset', afterBytes: 0, isDelivered: true }, 1)
    const error = await failure(write())
    expect(error.message).toContain('It is unknown whether the change was made')
    expect(upstream.seen).toHaveLength(1)
  })

  test('before a write was sent means that the change was not made', async () => {
    await proxy.set({ kind: 'down' })
    await failure(write()) // uses up a connection that was kept open
    const error = await failure(write())
    expect(error.message).toMatch(/cannot be reached \(connection refused\)\.$/)
  })

  test('a server that recovers is used immediately', async () => {
    await proxy.set({ kind: 'respond', status: 500 }, 1)
    expect(await failure(read())).toMatchObject({ code: 'upstream_failed' })
    expect(await read()).toMatchObject(assistant)
  })

  test('in a stream fails its reader', async () => {
    await proxy.set({ kind: 'reset', afterBytes: 40 })
    await expect(new Response((await stream()).body).text()).rejects.toThrow()
  })

  test('in the middle of an event makes the parser drop that event', async () => {
    await proxy.set({ kind: 'close-mid-event', afterEvents: 2 })
    const text = await new Response((await stream()).body).text()
    expect(text.startsWith(events.slice(0, events.lastIndexOf('event:')))).toBe(true)
    expect(text.length).toBeLessThan(events.length)
  })
})

test('responses and streams survive being sent in small pieces', async () => {
  await proxy.set({ kind: 'slices', bytes: 1, pauseMs: 0 })
  expect(await read(5_000)).toMatchObject(assistant)
  expect(await new Response((await stream()).body).text()).toBe(events)
})

describe('a direct workspace', () => {
  test('lists its registered servers as deployments', async () => {
    const { resources, offset } = await call(controlPlane.listDeployments, { workspace: 'bare' }, { actor: admin })
    expect(resources).toMatchObject([
      {
        id: place.deploymentId,
        name: 'My server',
        source: 'external',
        status: 'READY',
        source_config: { custom_url: proxy.url },
      },
    ])
    expect(offset).toBe(1)
    const none = await call(
      controlPlane.listDeployments,
      { workspace: 'bare', query: { name_contains: 'nothing' } },
      { actor: admin },
    )
    expect(none.resources).toEqual([])
    expect(
      await call(
        controlPlane.getDeployment,
        { workspace: 'bare', params: { deployment_id: place.deploymentId } },
        { actor: admin },
      ),
    ).toEqual(resources[0])
    expect(
      await call(
        controlPlane.listRevisions,
        { workspace: 'bare', params: { deployment_id: place.deploymentId } },
        { actor: admin },
      ),
    ).toEqual({ resources: [], unread: [], offset: 0 })
    expect(upstream.seen).toEqual([])
  })

  test("reaches a server below its path, with that server's own key", async () => {
    await read()
    expect(upstream.seen.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      [`/mounted/assistants/${SAMPLE_ID}`, 'key-of-the-server'],
    ])
  })

  test('does not reach a server of another workspace', async () => {
    expect(await failure(call(agentServer.getInfo, { ...place, workspace: 'other' }, { actor: admin }))).toMatchObject({
      code: 'not_found',
    })
    expect(upstream.seen).toEqual([])
  })

  test('refuses control-plane operations with the reason and without an audit entry', async () => {
    const before = await lastOutcome()
    const asked = call(
      controlPlane.deleteDeployment,
      { workspace: 'bare', params: { deployment_id: place.deploymentId } },
      { actor: admin },
    )
    expect(await failure(asked)).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('no control plane'),
    })
    expect(await lastOutcome()).toEqual(before)
  })
})

test('a missing record does not count as a missing feature', async () => {
  upstream.respondWith(() => ({ status: 404, body: 'Not Found' }))
  expect(await failure(read())).toMatchObject({ code: 'not_found' })
})
