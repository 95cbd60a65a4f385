import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Assistants } from '../assistants/assistants'
import { Caller } from '../auth/caller'
import { notFound } from '../kernel/errors'
import { a2aHandler } from './a2a'
import { type Any, servicesOf, type World } from './testing'

/** How requests of the two protocol versions are read and answered, over services of the test. */

function serve(world: World = {}, answer?: (event: string) => unknown) {
  const { services, log, of } = servicesOf({ artifacts: [], ...world })
  const assistants = {
    get: async (id: string) => {
      if (id !== 'chat') throw notFound('Assistant', id)
      return { assistant_id: 'a1', graph_id: 'chat' }
    },
    check: async (...given: unknown[]) => void log.push(['check assistant', ...given]),
  } as unknown as Assistants
  const handle = a2aHandler(services, assistants)
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
  const ask = (body: unknown, headers: Record<string, string> = {}, assistant_id = 'chat') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = new Request('http://localhost/a2a/chat', { method: 'POST', headers, body: text })
    return handle(request, { assistant_id }, caller)
  }
  const json = async (...given: Parameters<typeof ask>): Promise<Any> => {
    const response = await ask(...given)
    expect(response.status).toBe(200)
    return response.json()
  }
  return { ask, json, log, of, asked }
}
const rpc = (method: string, params: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
  ...more,
})
const getTask = rpc('GetTask', { id: 't1' })

describe('a request', () => {
  test('is answered in the version that its method names', async () => {
    const { json } = serve()
    expect(await json(getTask)).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { status: { state: 'TASK_STATE_COMPLETED' } },
    })
    expect(await json(rpc('tasks/get', { id: 't1' }))).toMatchObject({
      id: 1,
      result: { kind: 'task', status: { state: 'completed' } },
    })
  })

  test.each([
    [7, null, 'The body has to be one JSON-RPC request.'],
    [null, null, 'The body has to be one JSON-RPC request.'],
    [[getTask], null, 'The body has to be one JSON-RPC request.'],
    [{ ...getTask, jsonrpc: '1.0' }, 1, 'The field jsonrpc has to be "2.0".'],
    [{ ...getTask, method: 7 }, 1, 'The field method has to be a string.'],
    [{ ...getTask, id: {} }, null, 'The id has to be a string or a number.'],
    [{ ...getTask, id: true, method: 7 }, null, 'The field method has to be a string.'],
  ])('that is none is refused: %j', async (body, id, message) => {
    const { json, of } = serve()
    expect(await json(body)).toEqual({ jsonrpc: '2.0', id, error: { code: -32600, message } })
    expect(of('find')).toEqual([])
  })

  test('that is no JSON is refused with a 200, because some clients read nothing else', async () => {
    expect(await serve().json('{"a":')).toMatchObject({ id: null, error: { code: -32700 } })
  })

  test('without an id is answered, and one with a text keeps it', async () => {
    const { json } = serve()
    expect((await json({ ...getTask, id: 'a' })).id).toBe('a')
    for (const id of [undefined, null]) expect(await json({ ...getTask, id })).toHaveProperty('result')
  })

  test('in another version is refused with those that there are', async () => {
    const { json } = serve()
    expect(await json(getTask, { 'a2a-version': '0.9' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32009, message: 'This agent supports the versions 0.3 and 1.0.' },
    })
    for (const version of ['0.3', '1.0', ''])
      expect(await json(getTask, { 'a2a-version': version })).toHaveProperty('result')
  })

  test('to an unknown assistant is not found', async () => {
    await expect(serve().ask(getTask, {}, 'nobody')).rejects.toMatchObject({ status: 404 })
  })
})

describe('the rights of a caller', () => {
  test.each([
    ['GetTask', 'threads:read'],
    ['tasks/get', 'threads:read'],
    ['ListTasks', 'threads:read'],
    ['SendMessage', 'threads:read'],
    ['CancelTask', 'threads:update'],
    ['tasks/cancel', 'threads:update'],
    ['CreateTaskPushNotificationConfig', 'threads:update'],
    ['DeleteTaskPushNotificationConfig', 'threads:update'],
    ['GetTaskPushNotificationConfig', 'threads:read'],
    ['tasks/pushNotificationConfig/set', 'threads:update'],
    ['tasks/pushNotificationConfig/delete', 'threads:update'],
    ['tasks/pushNotificationConfig/get', 'threads:read'],
    ['tasks/pushNotificationConfig/list', 'threads:read'],
  ])('%s are those of %s', async (method, event) => {
    const { json, asked, of } = serve({}, (name) => (name.startsWith('threads') ? { owner: 'ada' } : undefined))
    await json(rpc(method, {}))
    expect(asked).toEqual([
      ['assistants:read', { assistant_id: 'a1' }],
      [event, {}],
    ])
    expect(of('limit')).toEqual([['limit', ['{"owner":"ada"}']]])
    expect(of('as')).toEqual([['as', expect.any(Caller)]])
  })

  test('hide assistants, before anything is read', async () => {
    const { json, log } = serve({}, () => ({ owner: 'ada' }))
    await json(getTask)
    expect(log[0]).toEqual(['check assistant', 'a1', ['{"owner":"ada"}']])
    await expect(serve({}, () => false).ask(getTask)).rejects.toMatchObject({ status: 403 })
  })

  test('are not limited where the deployment does not authenticate', async () => {
    const { json, log } = serve()
    await json(getTask)
    expect(log.slice(0, 3)).toEqual([
      ['check assistant', 'a1', undefined],
      ['limit', undefined],
      ['as', undefined],
    ])
  })
})

describe('a stream', () => {
  const events = async (response: Response) => {
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    return (await response.text())
      .split('\n\n')
      .filter(Boolean)
      .map((event) => JSON.parse(event.replace(/^data: /, '')))
  }
  const resubscribe = rpc('SubscribeToTask', { id: 't1' })

  test('has each event with the id of the request, and ends', async () => {
    const { ask } = serve({ entries: [{ event: 'metadata', data: {} }] })
    const found = await events(await ask(resubscribe))
    expect(found.map(({ id, result }: Any) => [id, Object.keys(result)])).toEqual([
      [1, ['task']],
      [1, ['statusUpdate']],
      [1, ['statusUpdate']],
    ])
  })

  test('that fails ends with the error of its version', async () => {
    for (const method of ['SubscribeToTask', 'tasks/resubscribe']) {
      const { ask } = serve({ found: null })
      const found = await events(await ask(rpc(method, { id: 'gone' }, { id: 'a' })))
      expect(found).toEqual([{ jsonrpc: '2.0', id: 'a', error: expect.objectContaining({ code: -32001 }) }])
    }
  })

  describe('in silence', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())
    const turn = () => new Promise((resolve) => setImmediate(resolve))

    test('has a comment every five seconds, loses nothing, and ends when the client leaves', async () => {
      let speak = () => {}
      const silence = new Promise<void>((resolve) => (speak = resolve))
      const { ask } = serve({ entries: [{ event: 'metadata', data: {} }], silence })
      const body = (await ask(resubscribe)).body as ReadableStream<Uint8Array>
      const reader = body.getReader()
      const next = async () => Buffer.from((await reader.read()).value ?? []).toString()
      expect(await next()).toMatch(/^data: .*"task"/)
      for (let count = 0; count < 2; count++) {
        const waited = next()
        await turn()
        vi.advanceTimersByTime(4999)
        await turn()
        vi.advanceTimersByTime(1)
        expect(await waited).toBe(': heartbeat\n')
      }
      const event = next()
      await turn()
      speak()
      expect(await event).toMatch(/^data: .*"statusUpdate"/)
      expect(vi.getTimerCount()).toBe(0)
      await reader.cancel()
    })
  })
})
