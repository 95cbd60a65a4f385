import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, nextEvent, readEvents, type SeenEvent, type TestServer, testServer } from './testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const names = (events: SeenEvent[]) => events.map(({ event }) => event)
const run = (assistant_id: string, input: object, more: object = {}) => ({ assistant_id, input, ...more })
const stream = (assistant_id: string, input: object, stream_mode?: string | string[], more: object = {}) =>
  server.stream('/runs/stream', run(assistant_id, input, { stream_mode, ...more }))

describe.concurrent('every stream', () => {
  test('begins with metadata, ends with end, has rising ids and says where it can be read again', async () => {
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

  test('of a graph that fails says so before its end', async () => {
    const events = await stream('failing', {})
    expect(events.slice(-2)).toMatchObject([
      { event: 'error', data: { error: 'NoLuck', message: 'It was not to be.' } },
      { event: 'end', data: { status: 'error' } },
    ])
  })

  test('says of data that is no JSON just that, in its place', async () => {
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

  test('carries a comment when nothing happens', async () => {
    const leave = new AbortController()
    const response = await server.open(
      'POST',
      '/runs/stream',
      run('counter', { delay: 30_000 }, { on_disconnect: 'cancel' }),
      {},
      leave.signal,
    )
    let text = ''
    const begun = Date.now()
    await expect(async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk)
        if (Date.now() - begun > 4500) leave.abort()
      }
    }).rejects.toThrow()
    expect(Date.now() - begun).toBeLessThan(6500)
    expect(text).toMatch(/event: values[\s\S]*: heartbeat\n$/)
  }, 10_000)
})

describe.concurrent('modes', () => {
  test('none and an empty list mean values', async () => {
    for (const mode of [undefined, []])
      expect(new Set(names(await stream('counter', {}, mode)))).toEqual(new Set(['metadata', 'values', 'end']))
  })

  test('values: the whole state after each step', async () => {
    const events = await stream('counter', { until: 2 }, 'values')
    expect(events.filter(({ event }) => event === 'values').map(({ data }) => data.count)).toEqual([0, 1, 2])
  })

  test('updates: one event a node', async () => {
    const events = await stream('counter', { until: 2 }, 'updates')
    expect(events.slice(1, -1).map(({ event, data }) => [event, data])).toEqual([
      ['updates', { step: { count: 1, log: ['none 1'] } }],
      ['updates', { step: { count: 2, log: ['none 2'] } }],
    ])
  })

  test('custom: what the graph writes', async () => {
    const events = await stream('counter', { until: 2 }, 'custom')
    expect(events.slice(1, -1)).toMatchObject([
      { event: 'custom', data: { count: 1 } },
      { event: 'custom', data: { count: 2 } },
    ])
  })

  test('messages-tuple: each piece with its metadata in our spelling', async () => {
    const events = await stream('chat', { messages: [{ role: 'user', content: 'one two' }] }, 'messages-tuple')
    const pieces = events.filter(({ event }) => event === 'messages')
    expect(pieces.map(({ data }) => data[0].content)).toEqual(['You ', 'said: ', 'one ', 'two'])
    expect(new Set(pieces.map(({ data }) => data[0].id)).size).toBe(1)
    const [message, metadata] = (pieces[0] as SeenEvent).data
    expect(message.type).toBe('ai')
    expect(metadata).toMatchObject({
      graph_node: 'agent',
      graph_step: 1,
      graph_id: 'chat',
      thread_id: expect.any(String),
      run_id: events[0]?.data.run_id,
      run_attempt: 1,
    })
    expect(JSON.stringify(pieces)).not.toContain('langgraph')
  })

  test('messages: the metadata once, then all of the text so far, and whole messages when they are complete', async () => {
    const events = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, 'messages')
    expect(names(events)).toEqual([
      'metadata',
      'messages/complete',
      'messages/metadata',
      ...Array(3).fill('messages/partial'),
      'end',
    ])
    expect(events[1]?.data).toMatchObject([{ type: 'human', content: 'hi' }])
    expect(events.filter(({ event }) => event === 'messages/partial').map(({ data }) => data[0].content)).toEqual([
      'You ',
      'You said: ',
      'You said: hi',
    ])
    const [[id, { metadata }]] = Object.entries(events[2]?.data) as [[string, { metadata: object }]]
    expect(id).toBe(events[3]?.data[0].id)
    expect(metadata).toMatchObject({ graph_node: 'agent' })
  })

  test('debug: tasks, results and checkpoints, without the inner workings', async () => {
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

  test('tasks and checkpoints, each for itself', async () => {
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

  test('events: everything, by its name', async () => {
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
    expect(JSON.stringify(events)).not.toContain('langgraph')
  })

  test('a list: each event has its own mode for a name', async () => {
    const modes = ['values', 'updates', 'custom', 'messages-tuple', 'debug', 'tasks', 'checkpoints']
    const events = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, modes)
    expect(new Set(names(events))).toEqual(
      new Set(['metadata', 'values', 'updates', 'messages', 'debug', 'tasks', 'checkpoints', 'end']),
    )
    const all = await stream('chat', { messages: [{ role: 'user', content: 'hi' }] }, [...modes, 'events', 'messages'])
    expect(new Set(names(all))).toEqual(
      new Set([...names(events), 'events', 'messages/metadata', 'messages/partial', 'messages/complete']),
    )
  })
})

describe.concurrent('subgraphs', () => {
  const namespaces = (events: SeenEvent[]) =>
    new Set(events.map(({ event }) => event.replace(/:[0-9a-f-]{36}/g, ':id')))

  test('are left out unless asked for', async () => {
    expect(namespaces(await stream('nested', { text: 'hi' }, ['values', 'updates']))).toEqual(
      new Set(['metadata', 'values', 'updates', 'end']),
    )
  })

  test('name their place behind the mode; the root has none, whatever the mode', async () => {
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
  })

  test('bring nothing unasked in the modes that are made from all events', async () => {
    const events = await stream('nested', { text: 'hi' }, ['values', 'messages'], { stream_subgraphs: true })
    const seen = namespaces(events)
    expect(seen).toContain('values|middle:id')
    expect([...seen].filter((name) => name.startsWith('checkpoints'))).toEqual([])
  })

  test('can be picked by namespace', async () => {
    const events = await server.stream(
      '/runs/stream?namespace=middle',
      run('nested', { text: 'hi' }, { stream_mode: 'updates', stream_subgraphs: true }),
    )
    expect(namespaces(events)).toEqual(new Set(['metadata', 'updates|middle:id', 'updates|middle:id|speak:id', 'end']))
  })
})

describe.concurrent('readers', () => {
  const slow = run('counter', { until: 12, delay: 40 }, { stream_mode: 'custom' })
  const counts = (events: SeenEvent[]) => events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)

  test('any number of them each get everything after their joining, and nothing from before', async () => {
    const thread = await server.newThread()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, slow)
    const path = response.headers.get('location') as string
    const first = readEvents(response)
    await nextEvent(first, 'custom')
    await nextEvent(first, 'custom')
    const joined = await Promise.all(Array.from({ length: 5 }, () => server.join(path)))
    const rest = await collect(first)
    expect(counts(rest).at(-1)).toBe(12)
    for (const events of joined) {
      const seen = counts(events)
      expect(seen[0]).toBeGreaterThanOrEqual(2)
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => (seen[0] as number) + index))
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    }
  })

  test('a reader that leaves takes nothing from the others', async () => {
    const thread = await server.newThread()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, slow)
    const path = response.headers.get('location') as string
    const leave = new AbortController()
    const gone = await server.open('GET', path, undefined, {}, leave.signal)
    await gone.body?.getReader().read()
    leave.abort()
    expect(counts(await collect(readEvents(response)))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  test('a joiner picks among the modes', async () => {
    const thread = await server.newThread()
    const one = (await server.post(`/threads/${thread}/runs`, { ...slow, stream_mode: ['custom', 'values'] })).json
    const events = await server.join(`/threads/${thread}/runs/${one.run_id}/stream?stream_mode=values`)
    expect(new Set(names(events).filter((name) => name !== 'metadata'))).toEqual(new Set(['values', 'end']))
  })

  test('of a run that has ended learn just that, unless it kept its events', async () => {
    const thread = await server.newThread()
    const one = (await server.post(`/threads/${thread}/runs`, run('counter', {}))).json
    await server.until(thread, one.run_id, 'success')
    const path = `/threads/${thread}/runs/${one.run_id}/stream`
    for (const headers of [undefined, { 'last-event-id': '-1' }])
      expect(names(await server.join(path, headers))).toEqual(['end'])
  })

  test('a burst arrives whole and in order', async () => {
    const events = await stream('burst', { events: 20_000 }, 'custom')
    expect(events.slice(1, -1).map(({ data }) => data.index)).toEqual(
      Array.from({ length: 20_000 }, (_, index) => index),
    )
  })
})

describe.concurrent('a resumable run', () => {
  const body = run('counter', { until: 8, delay: 30 }, { stream_mode: 'custom', stream_resumable: true })
  const ids = (events: SeenEvent[]) => events.map(({ id }) => Number(id))

  test('is read on from the event behind Last-Event-ID, while it runs', async () => {
    const thread = await server.newThread()
    const leave = new AbortController()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, body, {}, leave.signal)
    const path = response.headers.get('location') as string
    const events = readEvents(response)
    await nextEvent(events, 'custom')
    const last = await nextEvent(events, 'custom')
    leave.abort()
    await sleep(70)
    const rest = await server.join(path, { 'last-event-id': last.id })
    expect(ids(rest)).toEqual(Array.from({ length: 7 }, (_, index) => Number(last.id) + 1 + index))
    expect(rest.at(-1)?.event).toBe('end')
  })

  test.each(['-1', '-'])('is read from the start by %s, also after its end', async (from) => {
    const thread = await server.newThread()
    const all = await server.stream(`/threads/${thread}/runs/stream`, body)
    const path = `/threads/${thread}/runs/${all[0]?.data.run_id}/stream`
    expect(await server.join(path, { 'last-event-id': from })).toEqual(all)
    expect(await server.join(path, { 'last-event-id': '5' })).toEqual(all.slice(6))
    for (const headers of [undefined, { 'last-event-id': 'x' }])
      expect(names(await server.join(path, headers))).toEqual(['end'])
  })

  test('without a thread keeps its events although its record is gone', async () => {
    const all = await server.stream('/runs/stream', body)
    const id = all[0]?.data.run_id
    expect(await server.join(`/runs/${id}/stream`, { 'last-event-id': '-1' })).toEqual(all)
    expect((await server.get(`/runs/${crypto.randomUUID()}/stream`)).status).toBe(404)
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
  // The bar is 15 ms on an idle machine; the tests share theirs.
  expect(times.sort((a, b) => a - b)[10]).toBeLessThan(150)
})
