import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, type ReceivedEvent, readEvents, type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ heartbeatMs: 500 })
})
afterAll(() => server.close())

const names = (events: ReceivedEvent[]) => events.map(({ event }) => event)
const run = (assistant_id: string, input: object, more: object = {}) => ({ assistant_id, input, ...more })
const stream = (assistant_id: string, input: object, stream_mode?: string | string[], more: object = {}) =>
  server.stream('/runs/stream', run(assistant_id, input, { stream_mode, ...more }))

describe.concurrent('every stream', () => {
  test('begins with metadata, ends with end, has ascending ids and names its location', async () => {
    const thread = await server.newThread()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, run('counter', { until: 2 }))
    const id = response.headers.get('content-location')?.split('/').at(-1)
    expect(response.headers.get('content-location')).toBe(`/threads/${thread}/runs/${id}`)
    expect(response.headers.get('location')).toBe(`/threads/${thread}/runs/${id}/stream`)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = await collect(readEvents(response))
    expect(events[0]).toMatchObject({ event: 'metadata', data: { run_id: id, attempt: 1 } })
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { run_id: id, status: 'success' } })
    expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, index) => index))
    expect((await server.get(`/threads/${thread}/runs/${id}`)).json.status).toBe('success')
  })

  test('of a failing graph has an error event before its end', async () => {
    const events = await stream('failing', {})
    expect(events.slice(-2)).toMatchObject([
      { event: 'error', data: { error: 'NoLuck', message: 'It was not to be.' } },
      { event: 'end', data: { status: 'error' } },
    ])
  })

  test('converts data that is not JSON, or marks it as unserializable', async () => {
    const events = await stream('failing', { how: 'circular' }, 'custom')
    expect(events.slice(1)).toMatchObject([
      { event: 'custom', data: { __unserializable__: expect.stringMatching(/circular/) } },
      {
        event: 'custom',
        data: { big: '18446744073709551616', when: '1970-01-01T00:00:00.000Z', set: [1], map: { a: 1 } },
      },
      { event: 'end', data: { status: 'success' } },
    ])
  })

  test('sends a comment while idle', async () => {
    const leave = new AbortController()
    const response = await server.open(
      'POST',
      '/runs/stream',
      run('counter', { delay: 30_000 }, { on_disconnect: 'cancel' }),
      {},
      leave.signal,
    )
    let text = ''
    await expect(async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk)
        if (/event: values[\s\S]*heartbeat/.test(text)) leave.abort()
      }
    }).rejects.toThrow()
    expect(text).toMatch(/event: values[\s\S]*\n: heartbeat\n$/)
  })
})

describe.concurrent('modes', () => {
  test('no mode and an empty list mean values', async () => {
    for (const mode of [undefined, []])
      expect(new Set(names(await stream('counter', {}, mode)))).toEqual(new Set(['metadata', 'values', 'end']))
  })

  test('values: the whole state after each step', async () => {
    const events = await stream('counter', { until: 2 }, 'values')
    expect(events.filter(({ event }) => event === 'values').map(({ data }) => data.count)).toEqual([0, 1, 2])
  })

  test('updates: one event per node', async () => {
    const events = await stream('counter', { until: 2 }, 'updates')
    expect(events.slice(1, -1).map(({ event, data }) => [event, data])).toEqual([
      ['updates', { step: { count: 1, log: ['none 1'] } }],
      ['updates', { step: { count: 2, log: ['none 2'] } }],
    ])
  })

  test('custom: the data that the graph writes', async () => {
    const events = await stream('counter', { until: 2 }, 'custom')
    expect(events.slice(1, -1)).toMatchObject([
      { event: 'custom', data: { count: 1 } },
      { event: 'custom', data: { count: 2 } },
    ])
  })

  test('messages-tuple: each chunk with its metadata under our key names', async () => {
    const events = await stream('chat', { messages: [{ role: 'user', content: 'one two' }] }, 'messages-tuple')
    const pieces = events.filter(({ event }) => event === 'messages')
    expect(pieces.map(({ data }) => data[0].content)).toEqual(['You ', 'said: ', 'one ', 'two'])
    expect(new Set(pieces.map(({ data }) => data[0].id)).size).toBe(1)
    const [message, metadata] = (pieces[0] as ReceivedEvent).data
    expect(message.type).toBe('ai')
    expect(metadata).toMatchObject({
      graph_node: 'agent',
      graph_step: 1,
      graph_id: 'chat',
      thread_id: expect.any(String),
      run_id: events[0]?.data.run_id,
      run_attempt: 1,
    })
  })

  test('messages-tuple: a message that a node returns whole comes before the values that hold it', async () => {
    for (const modes of [
      ['values', 'messages-tuple'],
      ['values', 'messages-tuple', 'events'],
    ]) {
      const events = await stream('whole', { messages: [{ role: 'user', content: 'hi' }] }, modes)
      const wanted = names(events).filter((name) => name === 'values' || name === 'messages')
      expect(wanted).toEqual(['values', 'messages', 'values', 'messages', 'values'])
    }
  })

  test('messages: metadata once, then the accumulated text, and whole messages once complete', async () => {
    const events = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, 'messages')
    expect(names(events)).toEqual([
      'metadata',
      'messages/complete',
      'messages/metadata',
      ...Array(3).fill('messages/partial'),
      'messages/complete',
      'end',
    ])
    expect(events[1]?.data).toMatchObject([{ type: 'human', content: 'hi' }])
    expect(events.at(-2)?.data).toMatchObject([{ type: 'ai', content: 'You said: hi' }])
    expect(events.filter(({ event }) => event === 'messages/partial').map(({ data }) => data[0].content)).toEqual([
      'You ',
      'You said: ',
      'You said: hi',
    ])
    const [[id, { metadata }]] = Object.entries(events[2]?.data) as [[string, { metadata: object }]]
    expect(id).toBe(events[3]?.data[0].id)
    expect(metadata).toMatchObject({ graph_node: 'agent' })
  })

  test('debug: tasks, results and checkpoints, without runtime internals', async () => {
    const events = (await stream('counter', { until: 1 }, 'debug')).slice(1, -1)
    expect(new Set(names(events))).toEqual(new Set(['debug']))
    expect(events.map(({ data }) => data.type)).toEqual([
      'checkpoint',
      'checkpoint',
      'task',
      'task_result',
      'checkpoint',
    ])
    expect(events[2]?.data).toMatchObject({
      step: 1,
      payload: { name: 'step', input: { count: 0 }, triggers: expect.any(Array) },
    })
    expect(events[4]?.data.payload).toMatchObject({
      values: { count: 1 },
      checkpoint: { checkpoint_id: expect.any(String) },
      parent_checkpoint: { checkpoint_id: events[1]?.data.payload.checkpoint.checkpoint_id },
      metadata: { step: 1, source: 'loop' },
    })
    expect(JSON.stringify(events)).not.toMatch(/__pregel_(?!pull)|langgraph|callbacks/)
  })

  test('tasks and checkpoints as separate modes', async () => {
    const tasks = (await stream('counter', { until: 1 }, 'tasks')).slice(1, -1)
    expect(tasks).toMatchObject([
      { event: 'tasks', data: { name: 'step', input: { count: 0 }, interrupts: [] } },
      { event: 'tasks', data: { name: 'step', result: { count: 1 }, interrupts: [] } },
    ])
    const checkpoints = (await stream('counter', { until: 1 }, 'checkpoints')).slice(1, -1)
    expect(checkpoints.map(({ event, data }) => [event, data.next])).toEqual([
      ['checkpoints', ['__start__']],
      ['checkpoints', ['step']],
      ['checkpoints', []],
    ])
    expect(checkpoints[2]?.data).toMatchObject({
      values: { count: 1 },
      tasks: [],
      config: { configurable: { checkpoint_id: expect.any(String) } },
      parent_config: {},
    })
  })

  test('events: every event, under its name', async () => {
    const events = (await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, 'events')).slice(1, -1)
    expect(new Set(names(events))).toEqual(new Set(['events']))
    const kinds = events.map(({ data }) => data.event)
    expect(kinds).toEqual(
      expect.arrayContaining([
        'on_chain_start',
        'on_chat_model_start',
        'on_chat_model_stream',
        'on_chat_model_end',
        'on_chain_end',
      ]),
    )
    const [first] = events
    expect(first?.data).toMatchObject({ event: 'on_chain_start', name: 'chat' })
    expect(events.find(({ data }) => data.event === 'on_chat_model_stream')?.data.metadata).toMatchObject({
      graph_node: 'agent',
    })
  })

  test('a list of modes: each event is named after its mode', async () => {
    const modes = ['values', 'updates', 'custom', 'messages-tuple', 'debug', 'tasks', 'checkpoints']
    const events = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, modes)
    expect(new Set(names(events))).toEqual(
      new Set(['metadata', 'values', 'updates', 'messages', 'debug', 'tasks', 'checkpoints', 'end']),
    )
    const all = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, [...modes, 'events', 'messages'])
    expect(new Set(names(all))).toEqual(
      new Set([...names(events), 'events', 'messages/metadata', 'messages/partial', 'messages/complete']),
    )
    const kinds = all.filter(({ event }) => event === 'events').map(({ data }) => `${data.event} ${data.name}`)
    expect(kinds).not.toContain('on_chain_stream chat')
  })
})

describe.concurrent('subgraphs', () => {
  const namespaces = (events: ReceivedEvent[]) =>
    new Set(events.map(({ event }) => event.replace(/:[0-9a-f-]{36}/g, ':id')))

  test('are omitted unless requested', async () => {
    expect(namespaces(await stream('nested', { text: 'hi' }, ['values', 'updates']))).toEqual(
      new Set(['metadata', 'values', 'updates', 'end']),
    )
  })

  test('append their namespace to the mode; the root has none in any mode', async () => {
    const events = await stream('nested', { text: 'hi' }, ['values', 'updates', 'custom', 'messages-tuple'], {
      stream_subgraphs: true,
    })
    const seen = namespaces(events)
    for (const name of [
      'values',
      'updates',
      'values|middle:id',
      'updates|middle:id',
      'custom|middle:id',
      'updates|middle:id|speak:id',
      'messages|middle:id|speak:id',
    ])
      expect(seen).toContain(name)
    expect([...seen].filter((name) => name.startsWith('checkpoints'))).toEqual([])
    const chat = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, 'messages-tuple', {
      stream_subgraphs: true,
    })
    expect(namespaces(chat)).toEqual(new Set(['metadata', 'messages', 'end']))
    const called = await stream('tasks', { text: 'hi' }, 'messages-tuple', { stream_subgraphs: true })
    expect(namespaces(called)).toEqual(new Set(['metadata', 'messages', 'end']))
  })

  test('add no unrequested events in the modes built from all events', async () => {
    const events = await stream('nested', { text: 'hi' }, ['values', 'messages'], { stream_subgraphs: true })
    const seen = namespaces(events)
    expect(seen).toContain('values|middle:id')
    expect([...seen].filter((name) => name.startsWith('checkpoints'))).toEqual([])
  })

  test('can be selected by namespace', async () => {
    const events = await server.stream(
      '/runs/stream?namespace=middle',
      run('nested', { text: 'hi' }, { stream_mode: 'updates', stream_subgraphs: true }),
    )
    expect(namespaces(events)).toEqual(new Set(['metadata', 'updates|middle:id', 'updates|middle:id|speak:id', 'end']))
  })
})

test('shows the first event at once', async () => {
  await stream('counter', { until: 1 })
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    const begun = performance.now()
    const response = await server.open('POST', '/runs/stream', run('counter', { until: 1 }))
    const events = readEvents(response)
    await events.next()
    times.push(performance.now() - begun)
    await collect(events)
  }
  // The goal is 15 ms on an idle machine; tests share theirs, so the limit is higher.
  expect(times.sort((a, b) => a - b)[10]).toBeLessThan(150)
})
