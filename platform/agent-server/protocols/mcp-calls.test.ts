import { describe, expect, test } from 'vitest'
import { Caller } from '../auth/caller'
import { HttpError, invalid } from '../kernel/errors'
import { mcpHandler } from './mcp'
import { CursorError } from './mcp-tools'
import type { Any } from './testing'

/** What a call starts, and what its result is, over services of the test; `mcp.test.ts` has a server. */

type Json = Record<string, unknown>
type World = {
  outcome?: Json
  events?: string[]
  fail?: unknown
  listing?: unknown
  /** Called while the run is read. */
  during?(): void
}

function serve({ outcome = {}, events = [], ...world }: World = {}, answer?: (event: string) => unknown) {
  const log: Any[] = []
  const starter = {
    as(caller: unknown) {
      log.push(['as', caller])
      return starter
    },
    createSubscribed: async (...given: unknown[]) => {
      log.push(['start', ...given])
      if (world.fail) throw world.fail
      return { row: { run_id: 'r1' }, subscription: { log: 'the log' } }
    },
  }
  const handle = mcpHandler({
    tools: {
      list: async (...given: unknown[]) => {
        log.push(['list', ...given])
        if (world.listing) throw world.listing
        return { tools: [] }
      },
      find: async (name: string, allow: (id: string) => unknown) => {
        if (name !== 'chat') return undefined
        log.push(['allowed', await allow('a1')])
        return { assistant_id: 'a1' }
      },
    },
    starter,
    readers: {
      async *read(_row: unknown, { signal }: { signal: AbortSignal }) {
        for (const data of events)
          yield [
            { event: 'updates', data },
            { event: 'values', data: '{}' },
          ]
        world.during?.()
        log.push(['left', signal.aborted])
      },
      outcome: async (...given: unknown[]) => {
        log.push(['outcome', ...given])
        return { status: 'success', error: undefined, snapshot: { tasks: [], values: {} }, ...outcome }
      },
    },
    runs: { cancel: async (...given: unknown[]) => void log.push(['cancel', ...given]) },
    identity: { name: 'agent-server', version: '1' },
    logError: (line: string) => void log.push(['error', line]),
  } as unknown as Parameters<typeof mcpHandler>[0])
  const asked: unknown[] = []
  const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true, permissions: [] }
  const caller =
    answer &&
    new Caller(user, {
      '*': (request) => {
        asked.push([request.event, request.value])
        return answer(request.event as string)
      },
    })
  const ask = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    handle(
      new Request('http://localhost/mcp/', { method: 'POST', headers, body: JSON.stringify(body), signal }),
      {} as never,
      caller,
    )
  const json = async (...given: Parameters<typeof ask>): Promise<Any> => (await ask(...given)).json()
  return { ask, json, log, asked, of: (what: string) => log.filter(([kind]) => kind === what) }
}
const rpc = (method: string, params: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
  ...more,
})
const call = (args?: object, more: object = {}) =>
  rpc('tools/call', { name: 'chat', ...(args && { arguments: args }), ...more })
const resultOf = async (outcome: Json) => (await serve({ outcome }).json(call({}))).result
const snapshot = (values: unknown, ...interrupts: unknown[]) => ({
  snapshot: { values, tasks: interrupts.map((value, index) => ({ interrupts: [{ id: `i${index}`, value }] })) },
})

describe('a call', () => {
  test('is one stateless run of the assistant, with its arguments as the input', async () => {
    const { json, of } = serve()
    await json(call({ topic: 'x' }))
    await json(call())
    const run = (input: object) => [
      'start',
      undefined,
      { assistant_id: 'a1', input, stream_mode: 'updates' },
      { modes: [] },
    ]
    expect(of('start')).toEqual([run({ topic: 'x' }), run({})])
    expect(of('outcome')[0]).toEqual(['outcome', { run_id: 'r1' }, 'the log'])
    expect(of('cancel')).toEqual([])
  })

  test.each<[string, Json, Json]>([
    [
      'the last message, with the state',
      snapshot({ messages: [{ type: 'ai', content: 'hello' }], n: 1 }),
      {
        content: [{ type: 'text', text: 'hello' }],
        structuredContent: { messages: [{ type: 'ai', content: 'hello' }], n: 1 },
      },
    ],
    [
      'the state, where there is no message',
      snapshot({ n: 1 }),
      { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
    ],
    [
      'a value that is no object',
      snapshot([1]),
      { content: [{ type: 'text', text: '[1]' }], structuredContent: { value: [1] } },
    ],
    [
      'a failure with its reason',
      { error: { error: 'NoLuck', message: 'It was not to be.' } },
      { content: [{ type: 'text', text: 'NoLuck: It was not to be.' }], isError: true },
    ],
    [
      'a failure after a cancel',
      { snapshot: undefined },
      { content: [{ type: 'text', text: 'The run was cancelled.' }], isError: true },
    ],
  ])('has as its result %s', async (_, outcome, result) => {
    expect(await resultOf(outcome)).toEqual(result)
  })

  test('that waits for an answer is a failure that says what was asked', async () => {
    const { isError, content, structuredContent } = await resultOf(snapshot({ n: 1 }, 'Send it?', { draft: 'x' }))
    expect([isError, content]).toEqual([
      true,
      [{ type: 'text', text: 'The agent waits for an answer, which a tool call cannot give: Send it?; {"draft":"x"}' }],
    ])
    expect(structuredContent).toMatchObject({ n: 1, __interrupt__: [{ id: 'i0' }, { id: 'i1' }] })
  })

  test('whose input is refused is a failure that a model can read', async () => {
    const { json } = serve({ fail: invalid(['body', 'input', 'a'], 'wrong') })
    expect((await json(call({}))).result).toEqual({
      content: [{ type: 'text', text: 'input.a: wrong.' }],
      isError: true,
    })
  })

  test('that the server cannot make is an error without its reason, which is logged', async () => {
    const { json, of } = serve({ fail: new Error('secret reason') })
    expect((await json(call({}))).error).toEqual({ code: -32603, message: expect.stringMatching(/Internal error$/) })
    expect(of('error')).toEqual([['error', expect.stringContaining('secret reason')]])
  })

  test('of an unknown tool is an error of the protocol', async () => {
    const { json, of } = serve()
    const { error } = await json(rpc('tools/call', { name: 'nobody' }))
    expect([error.code, error.message]).toEqual([-32602, expect.stringContaining('Unknown tool: nobody')])
    expect(of('start')).toEqual([])
  })

  test('sends progress to a client that asks for it, with the steps so far', async () => {
    const events = ['{"plan":{}}', '{"act":{},"look":{}}']
    const headers = { accept: 'application/json, text/event-stream' }
    const { ask, of } = serve({ events })
    const response = await ask(call({}, { _meta: { progressToken: 'p' } }), headers)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const sent = (await response.text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
    const notice = (progress: number, message: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress, message },
    })
    expect(sent.slice(0, 2)).toEqual([notice(1, 'plan'), notice(2, 'act, look')])
    expect(sent[2]).toMatchObject({ id: 1, result: { content: [{}] } })
    expect(of('start')[0][3]).toEqual({ modes: ['updates'] })
    const silent = await serve({ events }).ask(call({}), headers)
    expect(await silent.text()).not.toContain('notifications/progress')
  })

  test('cancels its run when the caller leaves, and only then', async () => {
    const leave = new AbortController()
    const { ask, of } = serve({ during: () => leave.abort() })
    await ask(call({}), {}, leave.signal).catch(() => {})
    await expect.poll(() => of('cancel')).toEqual([['cancel', 'r1', 'interrupt']])
    expect(of('left')).toEqual([['left', true]])
    const gone = new AbortController()
    gone.abort()
    const late = serve()
    await late.ask(call({}), {}, gone.signal).catch(() => {})
    await expect.poll(() => late.of('cancel')).toHaveLength(1)
    const after = new AbortController()
    const done = serve()
    await done.json(call({}), {}, after.signal)
    after.abort()
    expect(done.of('cancel')).toEqual([])
  })
})

describe('a request', () => {
  const events = { accept: 'text/event-stream' }

  test.each<[string, unknown, Record<string, string>, string]>([
    ['a call that may have events', call({}), events, 'text/event-stream'],
    ['a batch with a call', [rpc('ping'), call({}, {})], events, 'text/event-stream'],
    ['a call for JSON only', call({}), { accept: 'application/json' }, 'application/json'],
    ['a call without a wish', call({}), {}, 'application/json'],
    ['a list', rpc('tools/list'), events, 'application/json'],
  ])('is answered in the form that suits it: %s', async (_, body, headers, type) => {
    const response = await serve().ask(body, headers)
    expect(response.headers.get('content-type')).toBe(type)
    await response.text()
  })

  test('has the fields that it does not know ignored, in batches too', async () => {
    const odd = { colour: 'red' }
    expect(await serve().json(rpc('ping', {}, odd))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    const batch = [rpc('ping', {}, odd), rpc('ping', {}, { ...odd, id: 2 })]
    expect((await serve().json(batch)).map(({ result }: Any) => result)).toEqual([{}, {}])
  })

  test('that is no JSON is refused', async () => {
    const handle = serve()
    const response = await handle.ask(undefined as never)
    expect(response.status).toBe(400)
  })

  test('for a page of tools gets it, or the reason why not', async () => {
    const { json, of } = serve()
    expect((await json(rpc('tools/list', { cursor: 'c' }))).result).toEqual({ tools: [] })
    expect(of('list')).toEqual([['list', 'c', undefined]])
    const failing = async (listing: unknown) => (await serve({ listing }).json(rpc('tools/list'))).error
    const told = (text: string) => expect.stringContaining(text)
    expect(await failing(new CursorError('The cursor is invalid.'))).toEqual({
      code: -32602,
      message: told('The cursor is invalid.'),
    })
    expect(await failing(new HttpError(403, 'Forbidden'))).toEqual({ code: -32602, message: told('Forbidden') })
    expect(await failing(new Error('secret'))).toEqual({ code: -32603, message: told('Internal error') })
  })

  test('has the rights of its caller', async () => {
    const { json, asked, of } = serve({}, () => ({ owner: 'ada' }))
    await json(rpc('tools/list'))
    await json(call({}))
    expect(asked).toEqual([
      ['assistants:search', {}],
      ['assistants:read', { assistant_id: 'a1' }],
    ])
    expect([of('list'), of('allowed')]).toEqual([
      [['list', undefined, ['{"owner":"ada"}']]],
      [['allowed', ['{"owner":"ada"}']]],
    ])
    expect(of('as')).toEqual([
      ['as', expect.any(Caller)],
      ['as', expect.any(Caller)],
    ])
    expect(serve().of('as')).toEqual([])
  })
})
