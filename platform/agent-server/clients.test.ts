import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, serverBehindGateway } from './testing'

/** Requests as third-party clients send them. */

let behind: Awaited<ReturnType<typeof serverBehindGateway>>
beforeAll(async () => {
  behind = await serverBehindGateway()
})
afterAll(() => behind.close())

const origin = 'https://chat.example.com'
const call = (path: string, init: RequestInit = {}) =>
  fetch(behind.deploymentUrl + path, { ...init, headers: { 'x-api-key': API_KEY, ...init.headers } })
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  call(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const eventsOf = async (response: Response) =>
  [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name)

describe('a page of another origin', () => {
  test('may send a preflight request without a key', async () => {
    const preflight = await fetch(`${behind.deploymentUrl}/threads`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-api-key')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('can read the response body and the run location header', async () => {
    const thread = (await (await post('/threads', {}, { origin })).json()) as { thread_id: string }
    const run = await post(`/threads/${thread.thread_id}/runs`, { assistant_id: 'counter', input: {} }, { origin })
    expect(run.headers.get('access-control-allow-origin')).toBe('*')
    expect(run.headers.get('content-location')).toContain('/runs/')
    const exposed = run.headers.get('access-control-expose-headers')?.toLowerCase()
    for (const name of ['content-location', 'location', 'x-pagination-total']) expect(exposed).toContain(name)
  })

  test('can read the reason of a refusal', async () => {
    const response = await fetch(`${behind.deploymentUrl}/threads`, { method: 'POST', headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
  })
})

test('JSON is read under any content type', async () => {
  for (const type of ['text/plain;charset=UTF-8', 'application/octet-stream'])
    expect((await post('/threads', { metadata: { a: 1 } }, { 'content-type': type })).status).toBe(200)
})

test('an unknown field is ignored, counted per client, and logged once for each', async () => {
  const search = (client: string) => post('/threads/search', { limit: 1, colour: 'red' }, { 'user-agent': client })
  for (const client of ['chat/1.0 (linux)', 'chat/1.1', 'script/2']) expect((await search(client)).status).toBe(200)
  const count = async (labels: string) => {
    const metrics = await (await call('/metrics')).text()
    return metrics.split('\n').find((line) => line.startsWith(`agent_ignored_fields_total{${labels}}`))
  }
  const place = 'route="/threads/search",field="body.colour"'
  expect(await count(`client="chat",${place}`)).toMatch(/ 2$/)
  expect(await count(`client="script",${place}`)).toMatch(/ 1$/)
  expect(behind.server.logs.filter((line) => line.includes('sent body.colour to /threads/search'))).toHaveLength(2)
  // The number of counters is bounded.
  for (let i = 0; i < 120; i++) await search(`made-up-${i}`)
  const metrics = await (await call('/metrics')).text()
  expect(metrics.match(/^agent_ignored_fields_total/gm)?.length).toBeLessThanOrEqual(101)
  expect(await count('client="other",route="/threads/search",field="other"')).toMatch(/ \d+$/)
})

test('a command takes precedence over an empty input and may carry its class name', async () => {
  const { thread_id } = (await (await post('/threads', {})).json()) as { thread_id: string }
  const runs = `/threads/${thread_id}/runs/wait`
  const asked = (await (await post(runs, { assistant_id: 'approval', input: {} })).json()) as {
    __interrupt__?: unknown
  }
  expect(asked.__interrupt__).toBeDefined()
  const command = { lg_name: 'Command', resume: 'yes', update: null, goto: null }
  const answered = await post(runs, { assistant_id: 'approval', input: {}, command })
  expect(answered.status).toBe(200)
  expect((await answered.json()) as object).not.toHaveProperty('__interrupt__')
})

describe('a reader that joins', () => {
  async function finished() {
    const { thread_id } = (await (await post('/threads', {})).json()) as { thread_id: string }
    const run = await post(`/threads/${thread_id}/runs/stream`, {
      assistant_id: 'counter',
      input: {},
      stream_mode: ['values', 'updates'],
      stream_resumable: true,
    })
    await run.text()
    return run.headers.get('location') as string
  }
  const from = { headers: { 'last-event-id': '-1' } }

  test('with a blank mode gets every event', async () => {
    const path = await finished()
    const events = await eventsOf(await call(`${path}?stream_mode=`, from))
    expect(events).toEqual(await eventsOf(await call(path, from)))
    expect(events).toContain('values')
    expect(events).toContain('updates')
  })

  test('may give the modes as one JSON list', async () => {
    const path = await finished()
    const query = new URLSearchParams({ stream_mode: '["values","updates"]' })
    expect(await eventsOf(await call(`${path}?${query}`, from))).toEqual(await eventsOf(await call(path, from)))
    const one = await eventsOf(await call(`${path}?${new URLSearchParams({ stream_mode: '["updates"]' })}`, from))
    expect(one).not.toContain('values')
    expect(one).toContain('updates')
  })

  test('is refused for an unknown mode', async () => {
    const response = await call(`${await finished()}?stream_mode=nonsense`, from)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['query', 'stream_mode'] }] })
  })
})

test('models stream whatever was asked for, so stored messages are the same as on other servers', async () => {
  const input = { messages: [{ type: 'human', content: 'weather' }] }
  const state = (await (await post('/runs/wait', { assistant_id: 'agent', input })).json()) as {
    messages: { tool_calls?: unknown; tool_call_chunks?: unknown; usage_metadata?: unknown }[]
  }
  expect(state.messages[1]).toMatchObject({
    tool_calls: [{ id: 'call_1', name: 'weather', args: { city: 'Oslo' } }],
    tool_call_chunks: [{ id: 'call_1', name: 'weather', args: '{"city":"Oslo"}' }],
    usage_metadata: { total_tokens: 8 },
  })
})

test('a run and its stream name the graph, the assistant and the node as clients read them', async () => {
  const thread = (await (await post('/threads', {})).json()) as { thread_id: string }
  const body = {
    assistant_id: 'chat',
    input: { messages: [{ type: 'human', content: 'hi' }] },
    stream_mode: 'messages-tuple',
  }
  const text = await (await post(`/threads/${thread.thread_id}/runs/stream`, body)).text()
  expect(text).toContain('"langgraph_node":"agent"')
  expect(text).toContain('"graph_node":"agent"')
  // Traces have the same metadata, by which the console knows runs that keep no thread.
  expect(text).not.toContain('is_stateless')
  expect(await (await post('/runs/stream', body)).text()).toContain('"is_stateless":true')
  const [run] = (await (await call(`/threads/${thread.thread_id}/runs`)).json()) as {
    assistant_id: string
    metadata: object
  }[]
  expect(run?.metadata).toMatchObject({ graph_id: 'chat', assistant_id: run?.assistant_id })
})

describe('the state of a thread', () => {
  async function waiting() {
    const { thread_id } = (await (await post('/threads', {})).json()) as { thread_id: string }
    await (await post(`/threads/${thread_id}/runs/wait`, { assistant_id: 'approval', input: { topic: 'tea' } })).text()
    return `/threads/${thread_id}`
  }
  const json = async (response: Promise<Response>) => (await response).json()

  test('has no checkpoint before its first run: by that, hooks know to show their initial values', async () => {
    const { thread_id } = (await (await post('/threads', {})).json()) as { thread_id: string }
    expect(await json(call(`/threads/${thread_id}/state`))).toMatchObject({ values: {}, checkpoint: null })
  })

  test('is ended without an answer, as an inbox does that ignores a question', async () => {
    const thread = await waiting()
    expect((await post(`${thread}/state`, { values: null, as_node: '__end__' })).status).toBe(200)
    expect(await json(call(thread))).toMatchObject({ status: 'idle', interrupts: {}, values: { draft: 'About tea' } })
    expect(await json(call(`${thread}/state`))).toMatchObject({ next: [], tasks: [] })
  })

  test('is read in parts: fields, and single values of the graph', async () => {
    const thread = await waiting()
    const parts = { values: { draft: 'About tea' }, next: ['review'] }
    expect(await json(call(`${thread}/state?select=values.draft&select=next`))).toEqual(parts)
    expect(await json(call(`${thread}/state?select=values.draft,next`))).toEqual(parts)
    expect(await json(call(`${thread}/state?select=values.draft&select=values`))).toMatchObject({
      values: { draft: 'About tea', topic: 'tea' },
    })
    const { checkpoint } = (await json(call(`${thread}/state`))) as { checkpoint: { checkpoint_id: string } }
    const select = ['values.draft', 'values.nothing', 'next']
    expect(await json(call(`${thread}/state/${checkpoint.checkpoint_id}?select=values.draft&select=next`))).toEqual(
      parts,
    )
    expect(await json(post(`${thread}/state/checkpoint`, { checkpoint, select }))).toEqual(parts)
    expect(await json(post(`${thread}/history`, { select, limit: 1 }))).toEqual([parts])
    expect(await json(call(`${thread}?include=ttl&include=other`))).toHaveProperty('thread_id')
  })
})

test('a run on a thread may say what becomes of it when it ends, which only matters without a thread', async () => {
  const { thread_id } = (await (await post('/threads', {})).json()) as { thread_id: string }
  const run = { assistant_id: 'counter', input: {}, on_completion: 'continue' }
  expect((await post(`/threads/${thread_id}/runs/wait`, run)).status).toBe(200)
  expect((await post('/runs/wait', run)).status).toBe(422)
})

test('a refusal of fields has a sentence for clients that do not read the list', async () => {
  const refused = await post('/threads/search', { limit: 0, metadata: 1 })
  expect(refused.status).toBe(422)
  expect(await refused.json()).toEqual({
    detail: [
      expect.objectContaining({ loc: ['body', 'metadata'] }),
      expect.objectContaining({ loc: ['body', 'limit'] }),
    ],
    message: 'metadata: Input should be a valid dictionary. limit: Input should be greater than or equal to 1',
  })
  expect(Object.keys((await (await call('/nothing')).json()) as object)).toEqual(['detail'])
})

test('a configurable value also reaches graphs that read their context, and is checked like one', async () => {
  const run = async (more: object) =>
    (await post('/runs/wait', { assistant_id: 'counter', input: { until: 1 }, ...more })).json()
  expect(await run({ config: { configurable: { label: 'older', other: 1 } } })).toMatchObject({ log: ['older 1'] })
  expect(await run({ config: { configurable: { label: 'older' } }, context: { label: 'newer' } })).toMatchObject({
    log: ['newer 1'],
  })
  expect(await run({ config: { configurable: { label: 5 } } })).toMatchObject({
    detail: [{ loc: ['body', 'context', 'label'] }],
  })
})

test('a context also reaches graphs that read the older configurable values, which take precedence', async () => {
  const json = async (response: Promise<Response>) => (await response).json()
  const assistant = (await json(post('/assistants', { graph_id: 'factory', context: { greeting: 'moin' } }))) as {
    assistant_id: string
  }
  const said = async (more: object) => {
    const body = { assistant_id: assistant.assistant_id, input: {}, ...more }
    return ((await json(post('/runs/wait', body))) as { said: string }).said.split(' ')[0]
  }
  expect(await said({})).toBe('moin')
  expect(await said({ context: { greeting: 'ahoy' } })).toBe('ahoy')
  expect(await said({ context: { greeting: 'ahoy' }, config: { configurable: { greeting: 'hey' } } })).toBe('hey')
})
