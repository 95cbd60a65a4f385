import { Client } from '@langchain/langgraph-sdk'
import { StreamController } from '@langchain/langgraph-sdk/stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ReceivedEvent, readEvents, storeTest, type TestServer, testServer } from '../testing'

/** Streaming protocol 2, with the official client where it has a word for it. */

let server: TestServer
let client: Client
beforeAll(async () => {
  server = await testServer()
  client = new Client({ apiUrl: server.url })
})
afterAll(() => server.close())

const ALL = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'checkpoints', 'tasks', 'custom']
const human = (content: string) => ({ messages: [{ type: 'human', content }] })
let commandId = 0
const command = async (threadId: string, method: string, params: object, at = server) =>
  (await at.post(`/threads/${threadId}/commands`, { id: ++commandId, method, params })).json
const start = (threadId: string, text: string, at = server, more: object = {}) =>
  command(threadId, 'run.start', { assistant_id: 'agent', input: human(text), ...more }, at)

const isRootEnd = ({ event, data }: ReceivedEvent) =>
  event === 'lifecycle' &&
  data.params.namespace.length === 0 &&
  !['started', 'running'].includes(data.params.data.event)

/** Events up to the end of a run, or until `isEnough`. */
async function read(threadId: string, body: object = {}, isEnough = isRootEnd, at = server): Promise<ReceivedEvent[]> {
  const stop = new AbortController()
  const response = await at.open(
    'POST',
    `/threads/${threadId}/stream/events`,
    { channels: ALL, ...body },
    {},
    stop.signal,
  )
  const events: ReceivedEvent[] = []
  try {
    for await (const event of readEvents(response)) {
      events.push(event)
      if (isEnough(event)) return events
    }
  } finally {
    stop.abort()
  }
  return events
}
const seqs = (events: ReceivedEvent[]) => events.map(({ data }) => data.seq as number)
const textOf = (events: ReceivedEvent[]) => events.map(({ data }) => data.params.data?.delta?.text ?? '').join('')
const dataOf = (events: ReceivedEvent[], method: string) =>
  events.filter(({ event }) => event === method).map(({ data }) => data.params.data)

describe('the official client', () => {
  test('gets tokens, tool calls and the final state of a new thread', async () => {
    const thread = client.threads.stream({ assistantId: 'agent' })
    const messages = (async () => {
      const found: unknown[] = []
      for await (const message of thread.messages)
        found.push([await message.text, message.blocks.map(({ type }) => type)])
      return found
    })()
    const { run_id } = await thread.run.start({ input: human('weather') })
    const state = (await thread.output) as { messages: { text: string }[] }
    expect(state.messages.map(({ text }) => text)).toEqual([
      'weather',
      'Let me look. ',
      'sunny in Oslo',
      'It is sunny in Oslo',
    ])
    await thread.close()
    expect(await messages).toEqual([
      ['Let me look. ', ['text', 'tool_call']],
      ['It is sunny in Oslo', ['text']],
    ])
    expect((await client.runs.get(thread.threadId, run_id as string)).status).toBe('success')
  })

  test('answers an interrupt', async () => {
    const thread = client.threads.stream({ assistantId: 'agent' })
    await thread.run.start({ input: human('ask') })
    await thread.output
    expect(thread.interrupts).toEqual([
      { interruptId: expect.any(String), payload: { question: 'Send it?' }, namespace: [] },
    ])
    await thread.input.respond({
      namespace: [],
      interrupt_id: thread.interrupts[0]?.interruptId as string,
      response: 1,
    })
    await vi.waitFor(async () => {
      const { values } = await client.threads.getState<{ messages: { content: string }[] }>(thread.threadId)
      expect(values.messages.at(-1)?.content).toBe('Answer: 1')
    })
    await thread.close()
  })

  test('runs headless tools', async () => {
    const thread = client.threads.stream({ assistantId: 'agent' })
    await thread.run.start({ input: human('headless') })
    await vi.waitFor(() => expect(thread.interrupts[0]?.payload).toMatchObject({ toolCall: { name: 'locate' } }))
    const { interruptId = '' } = thread.interrupts[0] ?? {}
    await thread.input.respond({ namespace: [], interrupt_id: interruptId, response: { latitude: 60 } })
    const output = (await thread.output) as { messages: { text: string }[] }
    expect(output.messages.at(-1)?.text).toBe('{"latitude":60}')
    await thread.close()
  })

  test('reads a named channel of the graph', async () => {
    const thread = client.threads.stream({ assistantId: 'agent' })
    const channel = thread.extensions.steps as PromiseLike<unknown>
    await thread.run.start({ input: human('hello') })
    expect(await channel).toBe('model')
    await thread.close()
  })

  test('the core of the React, Vue, Svelte and Angular packages shows a conversation with a subgraph', async () => {
    const controller = new StreamController<{ messages: unknown[] }>({
      assistantId: 'agent',
      client,
      messagesKey: 'messages',
    } as never)
    const release = controller.activate()
    await controller.submit(human('deep'))
    await vi.waitFor(() => {
      expect(controller.rootStore.getSnapshot().messages.map(({ text }) => text)).toEqual(['deep', 'You said: deep'])
      expect([...controller.subgraphByNodeStore.getSnapshot().keys()]).toEqual(['researcher'])
      expect(controller.rootStore.getSnapshot().isLoading).toBe(false)
    })
    release()
  })
})

describe('a stream', () => {
  test('resumes after a cut without loss or duplicates, and again from the start', async () => {
    const thread = await server.newThread()
    await start(thread, 'long 60')
    let count = 0
    const first = await read(thread, {}, () => ++count === 25)
    const rest = await read(thread, { since: first.at(-1)?.data.seq })
    const all = await read(thread)
    expect(seqs([...first, ...rest])).toEqual(seqs(all))
    expect(seqs(all)).toEqual([...new Set(seqs(all))].sort((a, b) => a - b))
    expect(textOf(all)).toBe(Array.from({ length: 60 }, (_, index) => `w${index} `).join(''))
    // The times of events do not change when they are read again.
    const timeOf = (events: ReceivedEvent[]) => events.map(({ data }) => data.params.timestamp)
    expect(timeOf(await read(thread))).toEqual(timeOf(await read(thread)))
  })

  test('continues over several runs of the thread', async () => {
    const thread = await server.newThread()
    await start(thread, 'one')
    const first = await read(thread)
    await start(thread, 'two')
    const second = await read(thread, { since: first.at(-1)?.data.seq })
    expect(textOf(second)).toBe('You said: two')
    let ends = 0
    const all = await read(thread, {}, (event) => isRootEnd(event) && ++ends === 2)
    expect(seqs(all)).toEqual([...seqs(first), ...seqs(second)])
  })

  test('has only the requested channels', async () => {
    const thread = await server.newThread()
    await start(thread, 'deep')
    const all = await read(thread)
    const inner = all.find(({ data }) => data.params.namespace.length === 1)?.data.params.namespace[0] as string
    expect(inner).toMatch(/^researcher:/)
    const sent = all.filter(({ event }) => event === 'messages')
    expect([...new Set(sent.flatMap(({ data }) => data.params.namespace))]).toEqual([inner])
    expect(sent[0]?.data.params.data).toMatchObject({ role: 'ai', metadata: { langgraph_node: 'think' } })
    const channels = ['lifecycle', 'messages']
    const kinds = async (body: object) => [...new Set((await read(thread, body)).map(({ event }) => event))].sort()
    expect(await kinds({ channels })).toEqual(channels)
    const depths = (await read(thread, { namespaces: [[]], depth: 1 })).map(({ data }) => data.params.namespace.length)
    expect(Math.max(...depths)).toBe(1)
    expect(all.map(({ event }) => event)).toEqual(expect.arrayContaining(['checkpoints', 'tasks', 'updates', 'custom']))
    const statuses = dataOf(all, 'lifecycle').map(({ event, graph_name }) => `${graph_name} ${event}`)
    expect(statuses).toEqual([
      'agent running',
      'researcher started',
      'think started',
      'think completed',
      'researcher completed',
      'agent completed',
    ])
    expect(dataOf(all, 'custom')).toContainEqual({ name: 'count', payload: 'known at the end' })
    const unknown = await server.post(`/threads/${thread}/stream/events`, { channels: ['nonsense'] })
    expect([unknown.status, unknown.json.detail[0].loc]).toEqual([422, ['body', 'channels']])
    expect((await server.post(`/threads/${crypto.randomUUID()}/stream/events`, { channels: ['values'] })).status).toBe(
      404,
    )
  })

  test('ends with failed and the reason, or interrupted after a cancel', async () => {
    const thread = await server.newThread()
    await command(thread, 'run.start', { assistant_id: 'failing', input: {} })
    const failed = dataOf(await read(thread), 'lifecycle').filter(({ graph_name }) => graph_name === 'failing')
    expect(failed).toEqual([
      { event: 'running', graph_name: 'failing' },
      { event: 'failed', graph_name: 'failing', error: 'It was not to be.' },
    ])
    const other = await server.newThread()
    const { result } = await start(other, 'long 1000')
    await read(other, {}, ({ event }) => event === 'messages')
    await server.post(`/threads/${other}/runs/${result.run_id}/cancel`)
    expect((await read(other)).at(-1)?.data.params.data).toEqual({ event: 'interrupted', graph_name: 'agent' })
  })

  storeTest('outlives a restart of the server', async ({ store }) => {
    const before = await testServer({ databaseUrl: store.url })
    const thread = await before.newThread()
    await start(thread, 'weather', before)
    const first = await read(thread, {}, undefined, before)
    const { result } = await start(thread, 'long 300', before)
    const some = await read(thread, { since: first.at(-1)?.data.seq }, ({ event }) => event === 'messages', before)
    await before.close()

    const after = await testServer({ databaseUrl: store.url })
    const rest = await read(thread, { since: some.at(-1)?.data.seq }, undefined, after)
    expect(rest.at(-1)?.data.params.data).toMatchObject({ event: 'completed' })
    expect(rest[0]?.data.seq).toBeGreaterThan(some.at(-1)?.data.seq)
    const again = await read(thread, {}, (event) => event.id === rest.at(-1)?.id, after)
    expect(seqs(again)).toEqual([...seqs(first), ...seqs(some), ...seqs(rest)])
    await after.until(thread, result.run_id, 'success')
    await after.close()
  })
})

test('a run is an ordinary run: listed, and its events can be joined', async () => {
  const thread = await server.newThread()
  const { result, meta } = await start(thread, 'weather', server, { metadata: { from: 'test' } })
  expect(meta.thread_id).toBe(thread)
  const events = await read(thread)
  expect(seqs(events)[0]).toBeGreaterThan(meta.applied_through_seq)
  const [run] = (await server.get(`/threads/${thread}/runs`)).json
  expect(run).toMatchObject({ run_id: result.run_id, status: 'success', metadata: { from: 'test' } })
  const joined = await server.join(`/threads/${thread}/runs/${run.run_id}/stream`, { 'last-event-id': '-1' })
  const kinds = new Set(joined.map(({ event }) => event.split('|')[0]))
  expect([...kinds].sort()).toEqual(
    ['custom', 'end', 'messages', 'metadata', 'tasks', 'tools', 'updates', 'values'].filter(
      (kind) => kind !== 'custom',
    ),
  )
  const words = joined.filter(({ event }) => event === 'messages').map(({ data }) => data[0].content)
  expect(words.join('')).toContain('Let me look. ')
})

describe('a command', () => {
  test('answers the open interrupts of a thread, and only those', async () => {
    const thread = await server.newThread()
    await start(thread, 'ask')
    const [request] = dataOf(await read(thread), 'input.requested')
    const respond = (params: object) => command(thread, 'input.respond', params)
    expect(await respond({ interrupt_id: 'other', response: 1 })).toMatchObject({ error: 'no_such_interrupt' })
    expect(await respond({ response: 1 })).toMatchObject({ type: 'error', error: 'invalid_argument' })
    const reply = await respond({ responses: [{ interrupt_id: request.interrupt_id, response: { ok: true } }] })
    expect(reply).toMatchObject({ type: 'success', result: { run_id: expect.any(String) } })
    await server.until(thread, reply.result.run_id, 'success')
    expect((await command(thread, 'state.get', { keys: ['messages'] })).result.values.messages.at(-1).content).toBe(
      'Answer: {"ok":true}',
    )
    expect(await respond({ interrupt_id: request.interrupt_id })).toMatchObject({ error: 'no_such_run' })
  })

  test('run.start with an input answers a waiting thread', async () => {
    const thread = await server.newThread()
    await start(thread, 'ask')
    await read(thread)
    const { result } = await command(thread, 'run.start', { assistant_id: 'agent', input: 'go on' })
    await server.until(thread, result.run_id, 'success')
    expect((await server.get(`/threads/${thread}/state`)).json.values.messages.at(-1).content).toBe('Answer: "go on"')
  })

  test('reads and forks the state, and returns the tree of graphs', async () => {
    const thread = await server.newThread()
    await start(thread, 'deep')
    await read(thread)
    const { tree } = (await command(thread, 'agent.getTree', {})).result
    expect(tree).toMatchObject({
      namespace: [],
      status: 'completed',
      graph_name: 'agent',
      children: [{ graph_name: 'researcher', status: 'completed', children: [{ graph_name: 'think' }] }],
    })
    const { checkpoints } = (await command(thread, 'state.listCheckpoints', { limit: 10 })).result
    expect(checkpoints.map(({ step }: { step: number }) => step)).toEqual([1, 0, -1])
    const fork = await command(thread, 'state.fork', { checkpoint_id: checkpoints[1].id })
    expect(fork.result).toEqual({ run_id: expect.any(String), thread_id: thread })
    await server.until(thread, fork.result.run_id, 'success')
    const place = { configurable: { checkpoint_id: checkpoints[2].id } }
    const replay = await command(thread, 'run.start', { assistant_id: 'agent', input: null, config: place })
    await server.until(thread, replay.result.run_id, 'success')
    const gone = await command(thread, 'state.fork', { checkpoint_id: crypto.randomUUID() })
    expect(gone).toMatchObject({ type: 'error', error: 'no_such_checkpoint' })
  })

  test('is refused with 200 and a code', async () => {
    const thread = await server.newThread()
    const refused = async (method: string, params: object) => (await command(thread, method, params)).error
    expect(await refused('run.start', {})).toBe('invalid_argument')
    expect(await refused('run.start', { assistant_id: 'nobody' })).toBe('invalid_argument')
    expect(await refused('run.start', { assistant_id: 'agent', multitask_strategy: 'nonsense' })).toBe(
      'invalid_argument',
    )
    expect(await refused('input.inject', { namespace: [], message: { role: 'user', content: '' } })).toBe(
      'not_supported',
    )
    expect(await refused('agent.getTree', {})).toBe('no_such_run')
    expect(await refused('state.fork', { checkpoint_id: 'x' })).toBe('no_such_run')
    expect(await refused('made.up', {})).toBe('unknown_command')
  })
})
