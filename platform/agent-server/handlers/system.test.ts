import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { API_KEY, Client, serverBehindGateway, storeTest } from '../testing'

let behind: Awaited<ReturnType<typeof serverBehindGateway>>
let client: Client
beforeAll(async () => {
  behind = await serverBehindGateway()
  client = new Client(behind.deploymentUrl, { 'X-Api-Key': API_KEY })
})
afterAll(() => behind.close())

const rows = Object.values(agentServer)

describe('the OpenAPI document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of any form, checked by what is read of it
  let api: any
  beforeAll(async () => {
    api = (await client.get('/openapi.json')).json
  })
  const operations = () =>
    Object.entries(api.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ path, method, ...one })),
    )

  test('lists each operation exactly once and nothing else', () => {
    expect(api.openapi).toBe('3.1.0')
    expect(operations().map(({ operationId }) => operationId)).toEqual(rows.map(({ id }) => id))
    expect(new Set(operations().map(({ path, method }) => `${method} ${path}`)).size).toBe(rows.length)
    const tags = api.tags.map(({ name }: { name: string }) => name)
    for (const operation of operations()) expect(tags).toContain(operation.tags[0])
  })

  test('every reference resolves', () => {
    const references: string[] = []
    JSON.stringify(api, (key, value) => {
      if (key === '$ref') references.push(value)
      return value
    })
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce((place, part) => place?.[part], api)
      expect(found, reference).toBeTypeOf('object')
    }
    expect(JSON.stringify(api)).not.toContain('$defs')
  })

  test('declares every path parameter and describes every response', () => {
    for (const { path, parameters = [], responses, operationId } of operations()) {
      const declared = parameters
        .filter((one: { in: string }) => one.in === 'path')
        .map(({ name }: { name: string }) => name)
      expect(declared, operationId).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      const keys = parameters.map((one: { in: string; name: string }) => `${one.in} ${one.name}`)
      expect(new Set(keys).size, operationId).toBe(keys.length)
      expect(Object.keys(responses)[0], operationId).toMatch(/^20[024]$/)
      for (const response of Object.values<{ description: string }>(responses))
        expect(response.description).toBeTruthy()
    }
  })

  test('has valid examples for run bodies', async () => {
    const bodies = operations().filter(
      ({ path, requestBody }) => requestBody && /\/runs(\/(stream|wait|batch))?$/.test(path),
    )
    expect(bodies).toHaveLength(7)
    for (const { method, path, requestBody } of bodies)
      for (const { value } of Object.values<{ value: object }>(requestBody.content['application/json'].examples)) {
        const thread = await behind.server.newThread()
        const response = await client.request(method, path.replace('{thread_id}', thread), value)
        expect([path, response.status]).toEqual([path, 200])
      }
  })

  test('names the address it was requested from', () => {
    expect(api.servers).toEqual([{ url: behind.deploymentUrl }])
  })
})

describe('the reference page', () => {
  test('is self-contained and may not load anything', async () => {
    const { text, headers } = await client.get('/docs')
    expect(headers.get('content-type')).toContain('text/html')
    expect(text).toContain('/threads/{thread_id}/runs/stream')
    expect(text).not.toMatch(/<(script|link|img|iframe)[^>]*\s(src|href)=/i)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-\S+' 'sha256-\S+'; /)
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    // No script contains text that would open an HTML comment or end the script early.
    const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)]
    expect(scripts).toHaveLength(2)
    expect(scripts.every(([, code]) => !code?.includes('<!--'))).toBe(true)
  })

  test('is not sent again to a client that has it cached', async () => {
    const etag = (await client.get('/docs')).headers.get('etag') ?? ''
    const again = await client.get('/docs', { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('the metrics', () => {
  test('count runs, streams, requests and process resources', async () => {
    await client.post('/runs/wait', { assistant_id: 'counter', input: { until: 1 } })
    await client.post('/runs/wait', { assistant_id: 'failing', input: {} })
    await client.get('/threads/7e57ab1e-0000-4000-8000-000000000000')
    await client.get('/no/such/path')
    const { text, headers } = await client.get('/metrics')
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    for (const line of [
      /^agent_runs_total\{status="success"\} [1-9]/m,
      /^agent_runs_total\{status="error"\} 1/m,
      /^agent_run_duration_seconds_count\{status="error"\} 1/m,
      /^agent_run_first_event_seconds_count [1-9]/m,
      /^agent_queue_pending \d+/m,
      /^agent_queue_active \d+/m,
      /^agent_streams_open 0/m,
      /^agent_http_requests_total\{method="POST",route="\/runs\/wait",status="200"\} [2-9]/m,
      /^agent_http_requests_total\{method="GET",route="\/threads\/\{thread_id\}",status="404"\} 1/m,
      /^agent_http_requests_total\{method="GET",route="none",status="404"\} 1/m,
      /^agent_event_loop_lag_p99_seconds \d/m,
      /^agent_database_connections [1-9]/m,
      /^process_resident_memory_bytes [1-9]\d{6}/m,
    ])
      expect(text).toMatch(line)
    expect(text).not.toContain('7e57ab1e')
    const { json } = await client.get('/metrics?format=json')
    expect(json.map(({ name }: { name: string }) => name)).toContain('agent_runs_total')
    expect(await client.get('/metrics?format=xml')).toMatchObject({ status: 422 })
  })

  test('callers cannot create new series', async () => {
    const series = async () => (await client.get('/metrics')).text.split('\n').length
    await client.get('/a')
    const before = await series()
    for (let index = 0; index < 20; index++) await client.get(`/b/${index}`)
    for (const method of ['PROPFIND', 'X-ANY']) await client.request(method, '/b')
    expect((await series()) - before).toBeLessThanOrEqual(2)
  })
})

test('the health check includes the database on request', async () => {
  expect((await client.get('/ok?check_db=1')).json).toEqual({ ok: true })
  expect((await client.get('/ok?check_db=0')).json).toEqual({ ok: true })
  expect(await client.get('/ok?check_db=perhaps')).toMatchObject({ status: 422 })
})

storeTest(
  'what is loaded late is there in the bundled server too',
  async ({ store: { start } }) => {
    const child = await start()
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await child.post('/mcp/', list)).json.result.tools).toHaveLength(2)
    const get = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'x' } }
    expect((await child.post('/a2a/counter', get)).json.error.code).toBe(-32001)
    expect((await child.get('/docs')).text).toContain('SwaggerUIBundle')
  },
  60_000,
)
