import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { buildPath, type Operation } from '@/lib/contracts/api'
import { ABSENT } from './system-handlers'
import { type TestServer, testServer } from './testing'

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
const present = Object.values(agentServer).filter(({ id }) => !(ABSENT as readonly string[]).includes(id))

describe('requests that cannot be served', () => {
  test('without the secret of the gateway nothing is told', async () => {
    const response = await fetch(`${server.url}/ok`)
    expect([response.status, await response.json()]).toEqual([403, { detail: expect.any(String) }])
  })

  test.each(present.filter(({ path }) => path.includes('{')).map((row) => [row.id, row] as const))(
    '%s: an unknown id is a 404',
    async (id, row) => {
      const bodies: Record<string, object> = {
        setLatestAssistantVersion: { version: 1 },
        getThreadStateAtCheckpoint: { checkpoint: {} },
        patchThreadState: { metadata: {} },
      }
      const body = /^create/.test(id) ? { assistant_id: 'counter' } : bodies[id]
      const answer = await server.request(
        row.method,
        buildPath(row, idsOf(row)),
        row.method === 'GET' ? undefined : (body ?? {}),
      )
      expect([answer.status, answer.json]).toEqual([404, { detail: expect.stringContaining('not found') }])
    },
  )

  test.each(ABSENT.map((id) => [id, agentServer[id]] as const))('%s is not offered, and says so', async (id, row) => {
    const bodies: Record<string, object> = {
      createCron: { schedule: '* * * * *', assistant_id: 'counter' },
      createThreadCron: { schedule: '* * * * *', assistant_id: 'counter' },
      putItem: { namespace: ['a'], key: 'k', value: {} },
      deleteItem: { namespace: ['a'], key: 'k' },
      sendA2a: { jsonrpc: '2.0', id: 1, method: 'message/send' },
      sendMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      streamThreadEvents: { channels: ['values'] },
      sendThreadCommand: { id: 1, method: 'state.get' },
    }
    const query = id === 'getItem' ? '?key=k' : id === 'getAgentCard' ? '?assistant_id=counter' : ''
    const answer = await server.request(
      row.method,
      buildPath(row, idsOf(row)) + query,
      row.method === 'GET' ? undefined : (bodies[id] ?? {}),
    )
    expect([answer.status, answer.json]).toEqual([
      501,
      { detail: expect.stringContaining('not available on this server') },
    ])
  })

  test('unknown paths and wrong methods', async () => {
    expect(await server.get('/nothing')).toMatchObject({ status: 404, json: { detail: 'Not Found' } })
    expect(await server.post('/internal/truncate')).toMatchObject({ status: 404 })
    const wrong = await server.request('PUT', '/threads')
    expect([wrong.status, wrong.json, wrong.headers.get('allow')]).toEqual([
      405,
      { detail: 'Method Not Allowed' },
      'POST',
    ])
    expect((await server.get('/threads/%E0%A4%A')).status).toBe(404)
  })
})

describe('requests that are not valid', () => {
  const problem = (loc: unknown[], type?: string) => ({
    status: 422,
    json: { detail: [{ loc, msg: expect.any(String), type: type ?? expect.any(String) }] },
  })

  test('text that is no JSON', async () => {
    expect(await server.request('POST', '/threads', '{"a": ')).toMatchObject(problem(['body'], 'json_invalid'))
    expect(await server.request('POST', '/threads', '[]')).toMatchObject({ status: 422 })
  })

  test('fields that are missing, wrong or unknown, each by its place', async () => {
    const runs = `/threads/${unknown}/runs`
    expect(await server.post(runs, {})).toMatchObject(problem(['body', 'assistant_id'], 'missing'))
    expect(await server.post(runs, { assistant_id: 5 })).toMatchObject(problem(['body', 'assistant_id'], 'string_type'))
    expect(await server.post(runs, { assistant_id: 'counter', colour: 'red' })).toMatchObject(
      problem(['body', 'colour'], 'extra_forbidden'),
    )
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

  test('what this server cannot do is refused, never ignored', async () => {
    const run = (more: object) => server.post('/runs', { assistant_id: 'counter', input: {}, ...more })
    expect(await run({ feedback_keys: ['a'] })).toMatchObject(problem(['body', 'feedback_keys']))
    expect(await run({ webhook: 'http://127.0.0.1/x' })).toMatchObject(problem(['body', 'webhook']))
    expect(await run({ stream_mode: 'lifecycle' })).toMatchObject(problem(['body', 'stream_mode']))
    expect(await run({ command: { resume: 1 } })).toMatchObject(problem(['body', 'command']))
  })

  test('null characters where they cannot be stored', async () => {
    expect(await server.post('/threads', { metadata: { a: 'x\0y' } })).toMatchObject(problem(['body']))
    expect((await server.post('/runs/wait', { assistant_id: 'typed', input: { text: 'x\0y' } })).json).toEqual({
      text: 'X\0Y!',
    })
  })

  test('more than 25 MB, and data without a bottom', async () => {
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
  test('is well, also its database', async () => {
    expect((await server.get('/ok?check_db=1')).json).toEqual({ ok: true })
  })

  test('says what it is and what it lacks', async () => {
    expect((await server.get('/info')).json).toMatchObject({
      version: expect.any(String),
      graph_js_version: '1.4.18',
      flags: { assistants: true, crons: false, store: false, mcp: false, a2a: false },
      metadata: { deployment: { name: 'demo' }, revision: 'r' },
    })
  })

  test('describes every operation it has, for machines and for people', async () => {
    const { json } = await server.get('/openapi.json')
    const described = Object.values(json.paths).flatMap((methods) =>
      Object.values(methods as object).map((one: { operationId: string }) => one.operationId),
    )
    expect(described.sort()).toEqual(present.map(({ id }) => id).sort())
    const page = await server.get('/docs')
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.text).toContain('/threads/{thread_id}/runs/stream')
    expect(page.text).not.toContain('<script')
  })
})
