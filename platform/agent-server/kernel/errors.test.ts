import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import { buildPath, type Operation, type RowSchemas } from '@/lib/contracts/wire/api'
import { type OperationId, RPC_IDS } from '../http/handler-types'
import { type TestResponse, type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer({
    secret: 'a secret of the gateway',
    info: { deployment: { id: 'd', name: 'demo' }, revision: 'r', commit: null },
  })
})
afterAll(() => server.close())

const unknown = crypto.randomUUID()
const idsOf = (row: Operation) =>
  Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, unknown]))
const present = Object.values(agentServer)
/** Refused commands get a 200. */
const refusing = present.filter(({ id }) => id !== 'sendThreadCommand')

/** A valid body for each operation that does not accept an empty object. */
const BODIES: Record<string, object> = {
  createAssistant: { graph_id: 'counter', name: 'n' },
  setLatestAssistantVersion: { version: 1 },
  pruneThreads: { thread_ids: [unknown] },
  getThreadStateAtCheckpoint: { checkpoint: {} },
  patchThreadState: { metadata: {} },
  streamThreadEvents: { channels: ['values'] },
  sendThreadCommand: { id: 1, method: 'state.get' },
  createRunBatch: [{ assistant_id: 'counter' }],
  cancelRuns: { status: 'pending' },
  createThreadCron: { schedule: '* * * * *', assistant_id: 'counter' },
  createCron: { schedule: '0 0 1 1 *', assistant_id: 'counter' },
  putItem: { namespace: ['a'], key: 'k', value: {} },
  deleteItem: { namespace: ['a'], key: 'k' },
  sendA2a: { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: unknown } },
  sendMcp: { jsonrpc: '2.0', id: 1, method: 'ping' },
}
const bodyOf = ({ id }: Operation) =>
  BODIES[id] ?? (/^create.*(Run|Stream|Wait)$/.test(id) ? { assistant_id: 'counter' } : {})
const QUERIES: Record<string, string> = { getItem: '?key=k&namespace=a', getAgentCard: '?assistant_id=counter' }
const schemasOf = ({ id }: Operation): RowSchemas => agentServerSchemas[id as OperationId]
const isRpc = ({ id }: Operation) => (RPC_IDS as readonly string[]).includes(id)
const titled = (rows: Operation[]) => rows.map((row) => [row.id, row] as const)

/** Every error response is `{detail}`, with a message if that is a list, and reveals no internals of this server. */
function expectProblem(response: TestResponse): void {
  const { detail, ...more } = response.json ?? {}
  expect(more).toEqual(Array.isArray(detail) ? { message: expect.stringContaining(detail[0].msg) } : {})
  expect(detail).toBeTruthy()
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.text).not.toMatch(/node_modules|\.ts:|\n\s+at |pilothouse|select |insert /i)
}

const send = (row: Operation, body: unknown, headers?: Record<string, string>, more = QUERIES[row.id] ?? '') =>
  server.request(row.method, buildPath(row, idsOf(row)) + more, row.method === 'GET' ? undefined : body, headers)

describe('each operation of the table', () => {
  test('has a handler', async () => {
    for (const row of Object.values(agentServer) as Operation[]) {
      const response = row.response === 'stream' && !row.path.includes('{') ? undefined : await send(row, bodyOf(row))
      expect([row.id, response?.status]).not.toEqual([row.id, expect.toBeOneOf([500, 501])])
    }
  })

  test.each(titled(refusing.filter(({ path }) => path.includes('{'))))('%s: an unknown id is a 404', async (_, row) => {
    const response = await send(row, bodyOf(row))
    expect([response.status, response.json]).toEqual([404, { detail: expect.stringContaining('not found') }])
    expectProblem(response)
  })

  const withBody = present.filter((row) => schemasOf(row).body && !isRpc(row))
  test.each(titled(withBody))('%s: an invalid body is refused with its location', async (_, row) => {
    const malformed = await send(row, '{"a": ')
    expect(malformed).toMatchObject({ status: 422, json: { detail: [{ loc: ['body'], type: 'json_invalid' }] } })
    for (const body of ['"text"', '7', 'true', 'null', row.id === 'createRunBatch' ? '{}' : '[[]]']) {
      const wrong = await send(row, body)
      expect([row.id, body, wrong.status]).toEqual([row.id, body, 422])
      expectProblem(wrong)
      for (const { loc, msg, type } of wrong.json.detail)
        expect([loc[0], typeof msg, typeof type]).toEqual(['body', 'string', 'string'])
    }
    const form = await send(row, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(form).toMatchObject({ status: 422, json: { detail: [{ loc: ['body'], type: 'json_invalid' }] } })
    expectProblem(form)
  })

  test.each(titled(withBody.filter(({ id }) => id !== 'createRunBatch')))(
    '%s: a field of a wrong type is refused by its location',
    async (_, row) => {
      const [name] = Object.keys((schemasOf(row).body as z.ZodObject).shape ?? {})
      const wrong = await send(row, { ...bodyOf(row), [name as string]: { not: [1] } })
      if (wrong.status === 422) for (const { loc } of wrong.json.detail) expect(loc.slice(0, 2)).toEqual(['body', name])
      expect(wrong.status).toBeLessThan(500)
    },
  )

  test.each(titled(present))(
    '%s: unknown keys, blank query values and a missing content type are accepted',
    async (_, row) => {
      if (row.response === 'stream' && !row.path.includes('{')) return // it would run to its end
      const { query } = schemasOf(row)
      const blanks = Object.keys((query as z.ZodObject | undefined)?.shape ?? {}).filter(
        (name) => name !== 'key' && name !== 'assistant_id',
      )
      const given = QUERIES[row.id] ?? '?'
      const search = `${given}${blanks
        .filter((name) => !given.includes(`${name}=`))
        .map((name) => `&${name}=`)
        .join('')}${query ? '&colour=red' : ''}`
      const body = bodyOf(row)
      const extra = Array.isArray(body) ? body.map((one) => ({ ...one, colour: 'red' })) : { ...body, colour: 'red' }
      const response = await send(row, extra, { 'content-type': '' }, search)
      expect([row.id, response.status]).not.toEqual([row.id, 415])
      expect([row.id, response.status, response.text]).not.toEqual([row.id, 422, response.text])
    },
  )

  test.each(titled(present.filter(isRpc)))('%s: unknown keys of a JSON-RPC message are ignored', async (_, row) => {
    const body = bodyOf(row) as { params?: object }
    const message = { ...body, params: { ...body.params, colour: 'red' }, colour: 'red' }
    const path = buildPath(row, row.id === 'sendA2a' ? { assistant_id: 'counter' } : {})
    const { status, json } = await server.request(row.method, path, message, { 'content-type': '' })
    expect([status, json.id]).toEqual([200, 1])
    // The task does not exist, which is all that is wrong.
    if (row.id === 'sendA2a') expect(json.error.code).toBe(-32001)
    else expect(json.result).toEqual({})
  })

  test.each(titled(withBody))('%s: excessive values do not cause a server error', async (_, row) => {
    const long = 'x'.repeat(100_000)
    const sample = bodyOf(row)
    for (const [name, value] of Object.entries(sample)) {
      const longer = typeof value === 'string' ? long : Array.isArray(value) ? [long] : undefined
      if (longer === undefined || Array.isArray(sample)) continue
      const response = await send(row, { ...sample, [name]: longer })
      expect([row.id, name, response.status < 500]).toEqual([row.id, name, true])
      if (response.status >= 400) expectProblem(response)
    }
  })

  test('methods: HEAD works as GET, OPTIONS lists the methods, others are a 405', async () => {
    for (const path of new Set(present.map((row) => buildPath(row, idsOf(row))))) {
      const options = await server.request('OPTIONS', path)
      const allowed = options.headers.get('allow')?.split(', ') ?? []
      expect([path, options.status, allowed.includes('OPTIONS')]).toEqual([path, 204, true])
      const other = ['PUT', 'PATCH', 'DELETE', 'GET'].find((method) => !allowed.includes(method))
      if (!other) continue
      const wrong = await server.request(other, path)
      expect([path, wrong.status, wrong.headers.get('allow')]).toEqual([path, 405, allowed.join(', ')])
      expectProblem(wrong)
    }
    const head = await server.request('HEAD', '/ok')
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await server.request('HEAD', '/threads/x/runs/y/join')).status).toBe(405)
  })
})

describe('requests that cannot be served', () => {
  test('without the gateway’s secret nothing is revealed', async () => {
    const response = await fetch(`${server.url}/ok`)
    expect([response.status, await response.json()]).toEqual([403, { detail: expect.any(String) }])
  })

  test('unknown paths and wrong methods', async () => {
    expect(await server.get('/nothing')).toMatchObject({ status: 404, json: { detail: 'Not Found' } })
    expect(await server.post('/internal/truncate')).toMatchObject({ status: 404 })
    expect(await server.request('OPTIONS', '/nothing')).toMatchObject({ status: 404 })
    expect((await server.get('/threads/%E0%A4%A')).status).toBe(404)
    expectProblem(await server.get(`/threads/${'x'.repeat(10_000)}`))
  })

  test('an unknown checkpoint of an existing thread', async () => {
    const thread = await server.newThread()
    const at = await server.get(`/threads/${thread}/state/${unknown}`)
    expect(at.status).toBe(404)
    const body = { assistant_id: 'counter', checkpoint_id: unknown }
    expect(await server.post(`/threads/${thread}/runs`, body)).toMatchObject({ status: 404 })
  })
})

describe('requests that are not valid', () => {
  const problem = (loc: unknown[], type?: string) => ({
    status: 422,
    json: { detail: [{ loc, msg: expect.any(String), type: type ?? expect.any(String) }] },
  })

  test('text that is not JSON', async () => {
    expect(await server.request('POST', '/threads', '{"a": ')).toMatchObject(problem(['body'], 'json_invalid'))
    expect(await server.request('POST', '/threads', '[]')).toMatchObject({ status: 422 })
  })

  test('missing and invalid fields, each with its location', async () => {
    const runs = `/threads/${unknown}/runs`
    expect(await server.post(runs, {})).toMatchObject(problem(['body', 'assistant_id'], 'missing'))
    expect(await server.post(runs, { assistant_id: 5 })).toMatchObject(problem(['body', 'assistant_id'], 'string_type'))
    expect(await server.post(runs, { assistant_id: 'counter', stream_mode: 'everything' })).toMatchObject({
      status: 422,
    })
    expect(await server.get(`/threads/${unknown}/runs?limit=many`)).toMatchObject(
      problem(['query', 'limit'], 'int_parsing'),
    )
    expect(await server.post('/threads/search', { limit: 0 })).toMatchObject(problem(['body', 'limit']))
    expect(await server.post('/threads/search', { sort_by: 'colour' })).toMatchObject(problem(['body', 'sort_by']))
  })

  test('an unknown graph or assistant', async () => {
    for (const assistant_id of ['nothing', unknown])
      expect(await server.post('/runs/wait', { assistant_id })).toMatchObject({
        status: 404,
        json: { detail: expect.stringContaining(assistant_id) },
      })
  })

  test('a context against the schema, before anything runs', async () => {
    expect(await server.post('/runs', { assistant_id: 'counter', context: { label: 1 } })).toMatchObject(
      problem(['body', 'context', 'label'], 'string_type'),
    )
  })

  test('unsupported features are refused, never ignored', async () => {
    const run = (more: object) => server.post('/runs', { assistant_id: 'counter', input: {}, ...more })
    expect(await run({ feedback_keys: ['a'] })).toMatchObject(problem(['body', 'feedback_keys']))
    expect(await run({ webhook: 'http://127.0.0.1/x' })).toMatchObject(problem(['body', 'webhook']))
    expect(await run({ stream_mode: 'lifecycle' })).toMatchObject(problem(['body', 'stream_mode']))
  })

  test('null characters that cannot be stored', async () => {
    expect(await server.post('/threads', { metadata: { a: 'x\0y' } })).toMatchObject(problem(['body']))
    expect((await server.post('/runs/wait', { assistant_id: 'typed', input: { text: 'x\0y' } })).json).toEqual({
      text: 'X\0Y!',
    })
  })

  test('bodies over 25 MB, and data nested too deeply', async () => {
    const large = await server.request(
      'POST',
      '/runs/wait',
      JSON.stringify({ assistant_id: 'typed', input: { text: 'x'.repeat(25_000_000) } }),
    )
    expect([large.status, large.json]).toEqual([413, { detail: expect.stringContaining('25 MB') }])
    const deep = `{"assistant_id":"typed","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect((await server.request('POST', '/runs', deep)).status).toBe(422)
    expect((await server.get('/ok')).json).toEqual({ ok: true })
  })
})

describe('the system', () => {
  test('is healthy, database included', async () => {
    expect((await server.get('/ok?check_db=1')).json).toEqual({ ok: true })
  })

  test('identifies itself', async () => {
    expect((await server.get('/info')).json).toMatchObject({
      version: expect.any(String),
      graph_js_version: '1.4.18',
      metadata: { deployment: { name: 'demo' }, revision: 'r' },
    })
  })

  test('has a flag for each group, true if the whole group is implemented', async () => {
    const groups: Record<string, RegExp> = {
      assistants: /^\/assistants/,
      threads: /^\/threads(\/\{thread_id\}(\/(state|history|copy).*)?|\/(search|count|prune))?$/,
      runs: /^(\/threads\/\{thread_id\})?\/runs(?!\/crons)/,
      crons: /\/runs\/crons/,
      store: /^\/store/,
      a2a: /^\/a2a|agent-card/,
      mcp: /^\/mcp/,
      metrics: /^\/metrics/,
      docs: /^\/(docs|openapi.json)/,
      thread_stream: /^\/threads\/\{thread_id\}\/stream$/,
      event_streaming: /\/(stream\/events|commands)$/,
    }
    const { webhooks, ...flags } = (await server.get('/info')).json.flags
    const rows = Object.values(agentServer) as Operation[]
    const expected = Object.entries(groups).map(([flag, path]) => {
      const group = rows.filter((row) => path.test(row.path))
      expect([flag, group.length > 0]).toEqual([flag, true])
      return [flag, true]
    })
    expect(flags).toEqual(Object.fromEntries(expected))
    // A field of a run, not a group of operations; defects.test.ts checks that one arrives.
    expect(webhooks).toBe(true)
  })
})
