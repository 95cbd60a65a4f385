import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { afterEach, describe, expect, test } from 'vitest'
import type { Auth } from '../auth/auth'
import { Caller } from '../auth/caller'
import { HttpError } from '../kernel/errors'
import type { Query } from '../persistence/db'
import { type AppOptions, BODY_LIMIT, createApp } from './app'
import type { Handlers, RpcHandlers } from './handler-types'

/** The server's surface in memory, with handlers that tell what they were given. */

// biome-ignore lint/suspicious/noExplicitAny: tests check what they read by their expectations
type Any = any
const calls: [id: string, input: Any][] = []
const logs: string[] = []
afterEach(() => {
  calls.length = 0
  logs.length = 0
})

const handlers = new Proxy(
  {},
  {
    get: (_, id: string) => async (input: Any) => {
      calls.push([id, input])
      if (input.params?.thread_id === 'broken') throw new Error('secret reason')
      if (input.params?.thread_id === 'refused') throw new HttpError(409, 'Busy', { 'retry-after': '1' })
      if (input.params?.thread_id === 'null') throw Object.assign(new Error('x'), { code: '22P05' })
      return { body: { id } }
    },
  },
) as Handlers
const rpc = new Proxy(
  {},
  {
    get: (_, id: string) => async (request: Request, params: Any, caller: Any) => {
      calls.push([id, { text: await request.text(), params, caller }])
      return Response.json({ id })
    },
  },
) as RpcHandlers

const create = (options: Partial<AppOptions> = {}) =>
  createApp({ handlers, rpc, secret: undefined, logError: (line) => logs.push(line), ...options })
const ask = async (app: ReturnType<typeof create>, method: string, path: string, init: RequestInit = {}, env?: Any) => {
  const response = await app.request(path, { method, ...init }, env)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text.startsWith('{') && JSON.parse(text) }
}

describe('a request', () => {
  test('reaches the handler of its operation with its parts', async () => {
    const headers = { 'user-agent': 'test/1' }
    const body = JSON.stringify({ metadata: { a: 1 } })
    expect((await ask(create(), 'PATCH', '/threads/t%2F1', { headers, body })).json).toEqual({ id: 'updateThread' })
    const [[id, input]] = calls as [[string, Any]]
    expect(id).toBe('updateThread')
    expect(input).toMatchObject({ params: { thread_id: 't/1' }, query: {}, body: { metadata: { a: 1 } } })
    expect([input.headers.get('user-agent'), input.signal.aborted]).toEqual(['test/1', false])
    expect([input.caller, input.only]).toEqual([undefined, undefined])
  })

  test('that is JSON-RPC is read by its handler', async () => {
    expect((await ask(create(), 'POST', '/a2a/chat', { body: 'any text' })).json).toEqual({ id: 'sendA2a' })
    expect(calls).toEqual([['sendA2a', { text: 'any text', params: { assistant_id: 'chat' }, caller: undefined }]])
  })

  test('has its unknown fields told with the client and the operation', async () => {
    const ignored: string[][] = []
    const app = create({ ignore: (...given) => ignored.push(given) })
    await ask(app, 'POST', '/threads', { headers: { 'user-agent': 'test/1' }, body: '{"colour":"red"}' })
    await ask(app, 'POST', '/threads/search', { body: '{"colour":"red"}' })
    expect(ignored).toEqual([
      ['test/1', '/threads', 'body.colour'],
      ['', '/threads/search', 'body.colour'],
    ])
    expect((await ask(create(), 'POST', '/threads', { body: '{"colour":"red"}' })).status).toBe(200)
  })

  test('is counted by its operation and status, and those that match none together', async () => {
    const seen: unknown[] = []
    const app = create({ observe: (...given) => seen.push(given) })
    for (const [method, path] of [
      ['GET', '/threads/1'],
      ['HEAD', '/threads/1'],
      ['GET', '/threads/broken'],
      ['GET', '/nothing'],
      ['OPTIONS', '/threads'],
      ['PROPFIND', '/threads'],
    ] as const)
      await ask(app, method, path)
    expect(seen).toEqual([
      ['GET', '/threads/{thread_id}', 200],
      ['HEAD', '/threads/{thread_id}', 200],
      ['GET', '/threads/{thread_id}', 500],
      ['GET', 'none', 404],
      ['OPTIONS', 'none', 204],
      ['other', 'none', 405],
    ])
  })

  test.each([
    ['GET', '/threads', 405, 'POST, OPTIONS'],
    ['POST', '/threads/1', 405, 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['OPTIONS', '/threads/1', 204, 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['HEAD', '/threads/1/stream', 405, 'GET, OPTIONS'],
    ['HEAD', '/threads/1/runs/2/join', 405, 'GET, OPTIONS'],
    ['GET', '/nothing', 404, null],
    ['OPTIONS', '/nothing', 404, null],
    ['HEAD', '/threads', 405, 'POST, OPTIONS'],
  ])('%s %s is %i, with the methods that are allowed', async (method, path, status, allow) => {
    const response = await ask(create(), method, path)
    expect([response.status, response.headers.get('allow')]).toEqual([status, allow])
    expect(calls).toEqual([])
    if (status === 404) expect(response.json).toEqual({ detail: 'Not Found' })
    if (status === 204) expect(response.text).toBe('')
  })

  test('to an operation that is switched off is not found', async () => {
    const app = create({ isDisabled: (path) => path === '/threads/{thread_id}' })
    expect(await ask(app, 'GET', '/threads/1')).toMatchObject({
      status: 404,
      json: { detail: 'The graph configuration file switches this off.' },
    })
    expect((await ask(app, 'POST', '/threads', { body: '{}' })).status).toBe(200)
  })

  test('may be as large as the limit, and no larger', async () => {
    const sent = (length: number) =>
      ask(create(), 'POST', '/a2a/chat', { body: 'x'.repeat(length), headers: { 'content-length': String(length) } })
    expect((await sent(BODY_LIMIT)).status).toBe(200)
    expect(await sent(BODY_LIMIT + 1)).toMatchObject({
      status: 413,
      json: { detail: 'The request body is larger than 25 MB.' },
    })
  })

  test('gets the CORS headers even if it is refused', async () => {
    const app = create({ secret: 's', cors: (context, next) => next().finally(() => context.header('x-cors', '1')) })
    expect((await ask(app, 'GET', '/ok')).headers.get('x-cors')).toBe('1')
  })
})

describe('a failure', () => {
  test('with a status is told, with its headers', async () => {
    const refused = await ask(create(), 'GET', '/threads/refused')
    expect([refused.status, refused.json, refused.headers.get('retry-after')]).toEqual([409, { detail: 'Busy' }, '1'])
    expect((await ask(create(), 'GET', '/threads/null')).status).toBe(422)
    expect(logs).toEqual([])
  })

  test('of the deployment’s own routes is what they make of it', async () => {
    const custom = new Hono().get('/teapot', () => {
      throw new HTTPException(418, { message: 'short and stout' })
    })
    expect(await ask(create({ custom }), 'GET', '/teapot')).toMatchObject({ status: 418, text: 'short and stout' })
    expect(logs).toEqual([])
  })

  test('without one is logged with its reason, under an id that the caller is told', async () => {
    const failed = await ask(create(), 'GET', '/threads/broken')
    const id = failed.headers.get('x-request-id')
    expect([failed.status, failed.json]).toEqual([500, { detail: `Internal Server Error (request ${id})` }])
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(logs).toEqual([expect.stringContaining(`GET /threads/broken failed (request ${id}): Error: secret reason`)])
  })
})

describe('the secret', () => {
  const child = (value: string, more: Record<string, string> = {}) => ({
    headers: { 'x-pilothouse-child': value, ...more },
  })

  test('of the gateway is needed for every path', async () => {
    const app = create({ secret: 'right' })
    for (const init of [{}, child('wrong'), child('righ'), child('right!')])
      for (const path of ['/ok', '/nothing'])
        expect(await ask(app, 'GET', path, init)).toMatchObject({
          status: 403,
          json: { detail: 'This agent server can only be reached through its deployment address.' },
        })
    expect((await ask(app, 'GET', '/ok', child('right'))).status).toBe(200)
    expect(calls).toHaveLength(1)
  })

  test('and what the gateway says about the key are hidden from the code of the deployment', async () => {
    const custom = new Hono().get('/own', (context) => context.json(context.req.header()))
    const headers = child('right', { 'x-pilothouse-operator': 'console', 'x-other': '1' })
    const { json } = await ask(create({ secret: 'right', custom }), 'GET', '/own', headers)
    expect(json).toEqual({ 'x-other': '1' })
  })

  test('lets the platform ask past the app and what is switched off; nobody can pretend to be it without', async () => {
    const custom = new Hono().all('*', (context) => context.text('mine'))
    const options = { custom, isDisabled: () => true }
    const platform = { 'x-pilothouse-operator': 'platform' }
    const asked = await ask(create({ ...options, secret: 'right' }), 'GET', '/threads/1', child('right', platform))
    expect([asked.json, asked.headers.get('x-pilothouse-authenticates')]).toEqual([{ id: 'getThread' }, 'false'])
    expect((await ask(create(options), 'GET', '/threads/1', { headers: platform })).text).toBe('mine')
  })
})

describe('the handshake of a WebSocket', () => {
  const env = { isHandshake: true }
  test('is checked as the request for events, and reads nothing', async () => {
    const seen: unknown[] = []
    const app = create({ observe: (...given) => seen.push(given) })
    expect((await ask(app, 'POST', '/threads/1/stream/events', {}, env)).status).toBe(204)
    expect(calls).toEqual([])
    expect(seen).toEqual([['POST', '/threads/{thread_id}/stream/events', 204]])
  })

  test('is refused at every other path, and where events are switched off', async () => {
    for (const [method, path] of [
      ['POST', '/threads'],
      ['POST', '/nothing'],
      ['POST', '/mcp'],
    ] as const)
      expect(await ask(create(), method, path, {}, env)).toMatchObject({
        status: 404,
        json: { detail: 'There is no WebSocket at this path.' },
      })
    const closed = create({ isDisabled: () => true })
    expect((await ask(closed, 'POST', '/threads/1/stream/events', {}, env)).status).toBe(404)
    expect(calls).toEqual([])
  })
})

describe('authentication by the deployment', () => {
  const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true, permissions: [] }
  const asked: Any[] = []
  const caller = new Caller(user, {
    threads: ({ event, value }: Any) => {
      asked.push([event, value])
      return event === 'threads:search' ? { owner: 'ada' } : undefined
    },
  })
  const seen: [string, boolean][] = []
  const by = {
    authenticate: async (request: Request, isOperator: boolean) => {
      seen.push([request.headers.get('authorization') ?? '', isOperator])
      if (!request.headers.has('authorization')) throw new HttpError(401, 'Who are you?')
      return caller
    },
  } as unknown as Auth
  const auth = { by, db: (async () => []) as unknown as Query, idOf: (name: string) => `id of ${name}` }
  const authorization = { headers: { authorization: 'ada' } }
  afterEach(() => {
    seen.length = 0
    asked.length = 0
  })

  test('is asked for everything but public operations and preflights', async () => {
    const app = create({ auth })
    for (const [method, path] of [
      ['GET', '/ok'],
      ['HEAD', '/ok'],
      ['GET', '/info'],
      ['OPTIONS', '/threads/1'],
    ] as const)
      expect((await ask(app, method, path)).status).toBeLessThan(300)
    expect(seen).toEqual([])
    for (const [method, path] of [
      ['GET', '/threads/1'],
      ['GET', '/nothing'],
      ['POST', '/mcp'],
      ['POST', '/ok'],
      ['HEAD', '/threads/1'],
    ] as const)
      expect([method, path, (await ask(app, method, path)).status]).toEqual([method, path, 401])
  })

  test('gives the caller to the handlers, and what records must have', async () => {
    const app = create({ auth })
    await ask(app, 'POST', '/threads/search', { ...authorization, body: '{"limit":1}' })
    await ask(app, 'POST', '/mcp', { ...authorization, body: '' })
    expect(calls).toEqual([
      ['searchThreads', expect.objectContaining({ caller, only: ['{"owner":"ada"}'] })],
      ['sendMcp', { text: '', params: {}, caller }],
    ])
    expect(asked).toEqual([['threads:search', expect.objectContaining({ limit: 1 })]])
  })

  test('is told whether the key of the platform came with the request', async () => {
    const app = create({ auth, secret: 's' })
    const headers = { 'x-pilothouse-child': 's', authorization: 'ada' }
    await ask(app, 'GET', '/threads/1', { headers })
    await ask(app, 'GET', '/threads/1', { headers: { ...headers, 'x-pilothouse-operator': 'true' } })
    expect(seen).toEqual([
      ['ada', false],
      ['ada', true],
    ])
    const platform = { 'x-pilothouse-child': 's', 'x-pilothouse-operator': 'platform' }
    const past = await ask(app, 'GET', '/threads/1', { headers: platform })
    expect([past.status, past.headers.get('x-pilothouse-authenticates'), seen.length]).toEqual([200, 'true', 2])
  })
})
