import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { AnyInput, Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { metrics } from '../process/metrics'
import { type TestConsole, type TestPeople, testConsole, testPeople } from '../testing'
import { call, callAny, converse, openAnyStream, openStream } from './call'
import { prepare, withRetry } from './exchange'
import { ConnectionError } from './network-error'
import { resetUpstream } from './testing'

// What is sent to an upstream, how often, and which part of its response comes back.

let home: TestConsole
let upstream: StubUpstream
let people: TestPeople
beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  resetUpstream(upstream)
})

const place = { workspace: 'default', deploymentId: SAMPLE_ID }
const by = () => ({ actor: people.admin })
const ask = (op: Operation, input: AnyInput = {}) => callAny(op, { ...place, ...input }, by())
const isLookUp = (path: string) => path === `/v2/deployments/${SAMPLE_ID}`
/** Responds like this to all but the look-up of the agent server's address. */
const respond = (reply: { status?: number; headers?: Record<string, string>; body?: unknown }) =>
  upstream.respondWith(({ path }) =>
    isLookUp(path) ? { body: deploymentRecord(`${upstream.url}/agents/demo`) } : reply,
  )
const lookUps = () => upstream.seen.filter(({ path }) => isLookUp(path)).length

describe('an input', () => {
  const params = { thread_id: 't', run_id: 'r' }
  test.each<[string, Operation, AnyInput]>([
    ['a body where none is accepted', agentServer.getInfo, { body: {} }],
    ['a query where none is accepted', agentServer.getInfo, { query: { a: '1' } }],
    ['an unknown field in a query', agentServer.joinRun, { params, query: { a: '1' } }],
    ['no body where one is needed', agentServer.createAssistant, {}],
    ['a parameter that is not valid text', agentServer.getThread, { params: { thread_id: '\ud800' } }],
  ])('with %s is refused and not sent', async (_, op, input) => {
    expect(await failure(ask(op, input))).toMatchObject({ code: 'invalid' })
    expect(upstream.seen).toEqual([])
  })

  test('of a write may say that leaving cancels its run, and that of a read may not', async () => {
    respond({ body: [] })
    const query = { cancel_on_disconnect: false }
    expect(await failure(ask(agentServer.joinRun, { params, query }))).toMatchObject({
      message: expect.stringContaining('Leaving does not cancel a run'),
    })
    expect(await failure(ask(agentServer.cancelRuns, { body: { thread_id: 't' }, query }))).not.toMatchObject({
      message: expect.stringContaining('Leaving does not cancel a run'),
    })
  })
})

test('an operation that no table has is not sent', () => {
  expect(() => prepare({ ...(agentServer.getInfo as Operation), id: 'other' }, {})).toThrow('has no schemas')
})

describe('a request', () => {
  const sent = () => upstream.seen.at(-1)

  test('says which kind of response it expects, and its own kind only with a body', async () => {
    await failure(ask(agentServer.getThread, { params: { thread_id: 't' } }))
    expect(sent()?.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'pilothouse' })
    expect(sent()?.headers).not.toHaveProperty('content-type')
    expect(sent()?.headers).not.toHaveProperty('last-event-id')
    await ask(agentServer.putItem, { body: { namespace: ['a'], key: 'k', value: {} } })
    expect(sent()).toMatchObject({
      ...{ method: 'PUT', body: '{"namespace":["a"],"key":"k","value":{}}' },
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    })
    await ask(agentServer.getMetrics)
    expect(sent()?.headers.accept).toBe('text/plain, text/html')
  })

  test('for a stream says where to go on', async () => {
    respond({ headers: { 'content-type': 'text/event-stream' }, body: 'data: 1\n\n' })
    const input = { ...place, params: { thread_id: 't' } }
    const { body } = await openStream(agentServer.streamThread, input, { ...by(), lastEventId: '7' })
    expect(await new Response(body).text()).toBe('data: 1\n\n')
    expect(sent()?.headers).toMatchObject({ accept: 'text/event-stream', 'last-event-id': '7' })
  })

  test('is spelled as the control plane spells it, whatever agent servers say', async () => {
    ;(globalThis as { pilothouseDialects?: unknown }).pilothouseDialects = undefined
    respond({ body: { assistant_id: 'a', graph_id: 'g', metadata: { langgraph_node: 'n' } } })
    await ask(agentServer.getAssistant, { params: { assistant_id: 'a' } })
    const body = { source_revision_config: { graph_config_path: 'b.json' } }
    await ask(controlPlane.updateDeployment, { params: { deployment_id: SAMPLE_ID }, body })
    expect(JSON.parse(sent()?.body ?? '')).toEqual(body)
  })
})

describe('a response', () => {
  test('may have the selected fields only, if the request selects some', async () => {
    respond({ body: [{ name: 'a' }] })
    expect(await ask(agentServer.searchAssistants, { body: { select: ['name'] } })).toMatchObject([{ name: 'a' }])
    expect(await failure(ask(agentServer.searchAssistants, { body: {} }))).toMatchObject({ code: 'upstream_shape' })
  })

  test('that opens a stream has the headers that say where the run is, and no others', async () => {
    const headers = { 'content-type': 'text/event-stream', 'content-location': '/threads/t/runs/r' }
    respond({ headers: { ...headers, 'set-cookie': 'a=b', 'x-other': 'c' }, body: '' })
    const open = () => openStream(agentServer.createRunStream, { ...place, params: { thread_id: 't' }, body }, by())
    const body = { assistant_id: 'agent' }
    const opened = await open()
    expect(Object.fromEntries(opened.headers)).toEqual(headers)
    await opened.body.cancel()
    respond({ headers: { ...headers, location: '/stream' }, body: '' })
    const other = await open()
    expect(Object.fromEntries(other.headers)).toEqual({ ...headers, location: '/stream' })
    await other.body.cancel()
  })

  test.each([
    ['text/html; charset=utf-8', 'something other than a stream (text/html).'],
    ['', 'something other than a stream (no content type).'],
  ])('of the type "%s" is no stream', async (type, message) => {
    respond({ headers: type ? { 'content-type': type } : {}, body: 'hello' })
    const asked = openStream(agentServer.streamThread, { ...place, params: { thread_id: 't' } }, by())
    expect(await failure(asked)).toMatchObject({
      ...{ code: 'upstream_shape', message: expect.stringContaining(message) },
      view: { upstreamStatus: 200 },
    })
  })

  test('is asked for as what the operation responds with', async () => {
    const params = { thread_id: 't' }
    expect(() => callAny(agentServer.streamThread, { ...place, params }, by())).toThrow('use openStream')
    await expect(openAnyStream(agentServer.getThread, { ...place, params }, by())).rejects.toThrow('use call')
    expect(upstream.seen).toEqual([])
  })
})

test('several requests of one operation have its destination, input and audit', async () => {
  const input = { ...place, body: { namespace: ['a'], key: 'k', value: {} } }
  const seen: unknown[] = []
  await converse(agentServer.putItem, input, by(), async (op, to, prepared, { requestId, workspace }) => {
    seen.push(op.id, to.base.pathname, prepared.body, workspace.slug, requestId !== '')
    return { status: 204, value: undefined }
  })
  expect(seen).toEqual(['putItem', '/agents/demo', input.body, 'default', true])
  const none = converse(agentServer.putItem, input, { actor: people.viewer }, () => expect.unreachable('was sent'))
  expect(await failure(none)).toMatchObject({ code: 'forbidden' })
})

describe('a failed connection', () => {
  const lost = (isRetryable: boolean, wasSent: boolean) => new ConnectionError('Lost.', isRetryable, wasSent)
  const UNKNOWN = 'Lost. It is unknown whether the change was made: check before you try again.'
  const read = agentServer.getInfo as Operation
  const write = agentServer.createThread as Operation

  test.each<[string, Operation, Error[], number, object | null]>([
    ['once is tried again by a read', read, [lost(true, true)], 2, null],
    [
      'twice fails a read',
      read,
      [lost(true, true), new ConnectionError('Again.', true, true)],
      2,
      { message: 'Again.' },
    ],
    ['that a retry cannot help fails a read', read, [lost(false, false)], 1, { message: 'Lost.' }],
    ['before a write was sent fails it', write, [lost(true, false)], 1, { message: 'Lost.', wasSent: false }],
    [
      'after it leaves it unknown',
      write,
      [lost(true, true)],
      1,
      { message: UNKNOWN, wasSent: true, isRetryable: false },
    ],
    ['of another kind fails a read', read, [new AppError('rate_limited', 'Slow.')], 1, { code: 'rate_limited' }],
    ['of another kind fails a write', write, [new Error('left')], 1, { message: 'left' }],
  ])('%s', async (_, op, failures, times, expected) => {
    const left = [...failures]
    let sent = 0
    const asked = withRetry(op, async () => {
      sent += 1
      const failed = left.shift()
      if (failed) throw failed
      return { status: 200 }
    })
    if (expected) await expect(asked).rejects.toMatchObject(expected)
    else expect(await asked).toEqual({ status: 200 })
    expect(sent).toBe(times)
  })

  test('is counted by its reason, and a response by its class, with the seconds that it took', async () => {
    metrics().upstreamSeconds.reset()
    await withRetry(read, async () => ({ status: 204 }))
    await withRetry(read, async () => ({ status: 404 }))
    await withRetry(read, () => Promise.reject(new AppError('too_large', 'x'))).catch(() => undefined)
    await withRetry(read, () => Promise.reject(new Error('left'))).catch(() => undefined)
    const { values } = await metrics().upstreamSeconds.get()
    const named = (end: string) => values.filter(({ metricName }) => metricName?.endsWith(end))
    expect(named('_count').map(({ labels, value }) => [labels.operation, labels.outcome, value])).toEqual([
      ['getInfo', '2xx', 1],
      ['getInfo', '4xx', 1],
      ['getInfo', 'too_large', 1],
      ['getInfo', 'aborted', 1],
    ])
    const began = performance.now()
    await withRetry(write, async () => {
      await new Promise(setImmediate)
      return { status: 200 }
    })
    const most = (performance.now() - began) / 1_000
    const after = await metrics().upstreamSeconds.get()
    const taken = after.values.find(
      ({ metricName, labels }) => metricName?.endsWith('_sum') && labels.operation === 'createThread',
    )
    expect(taken?.value).toBeGreaterThan(0)
    expect(taken?.value).toBeLessThanOrEqual(most)
  })
})

describe("an agent server's address", () => {
  test('is looked up again after fifteen seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await ask(agentServer.getInfo)
      vi.setSystemTime(Date.now() + 15_000)
      await ask(agentServer.getInfo)
      expect(lookUps()).toBe(1)
      vi.setSystemTime(Date.now() + 1)
      await ask(agentServer.getInfo)
      expect(lookUps()).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  test('stays known when someone leaves', async () => {
    await ask(agentServer.getInfo)
    const leaving = new AbortController()
    upstream.respondWith(() => () => leaving.abort(new Error('left')))
    await expect(callAny(agentServer.getInfo, place, { ...by(), signal: leaving.signal })).rejects.toThrow('left')
    upstream.seen.length = 0
    respond({ body: {} })
    await ask(agentServer.getInfo)
    expect(lookUps()).toBe(0)
  })

  test('whose look-up failed after everyone had left is looked up again', async () => {
    metrics().upstreamSeconds.reset()
    const leaving = new AbortController()
    let release = () => {}
    upstream.respondWith(() => (response) => {
      release = () => response.writeHead(500).end()
      leaving.abort(new Error('left'))
    })
    await expect(callAny(agentServer.getInfo, place, { ...by(), signal: leaving.signal })).rejects.toThrow('left')
    release()
    const outcomes = async () => (await metrics().upstreamSeconds.get()).values.map(({ labels }) => labels.outcome)
    await expect.poll(outcomes).toContain('5xx')
    respond({ body: { version: '1' } })
    expect(await call(agentServer.getInfo, place, by())).toMatchObject({ version: '1' })
  })

  test('that could not be looked up is looked up again', async () => {
    upstream.respondWith(() => ({ status: 500, body: '' }))
    const leaving = AbortSignal.abort(new Error('left'))
    const first = failure(callAny(agentServer.getInfo, place, by()))
    await expect(callAny(agentServer.getInfo, place, { ...by(), signal: leaving })).rejects.toThrow()
    expect(await first).toMatchObject({ code: 'upstream_failed' })
    respond({ body: { version: '1' } })
    expect(await call(agentServer.getInfo, place, by())).toMatchObject({ version: '1' })
  })
})
