import { describe, expect, test } from 'vitest'
import { describeApi } from './openapi'

/** What the document says of some operations; `handlers/system.test.ts` reads all of it. */

// biome-ignore lint/suspicious/noExplicitAny: a document of any form, checked by what is read of it
const api = describeApi({ version: '1.2.3', base: 'https://x.example/agents/d' }) as any
const at = (method: string, path: string) => api.paths[path][method]

test('the document names its version and address, and the key that requests need', () => {
  expect(api).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Agent server', version: '1.2.3' },
    servers: [{ url: 'https://x.example/agents/d' }],
    components: { securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    security: [{ ApiKey: [] }],
  })
  expect(api.tags.map(({ name }: { name: string }) => name)).toEqual([
    'Assistants',
    'Crons',
    'Thread runs',
    'Threads',
    'Stateless runs',
    'Store',
    'A2A',
    'MCP',
    'System',
  ])
})

test('the document describes every error', () => {
  const { Problem, FieldProblem } = api.components.schemas
  expect(Problem).toMatchObject({ type: 'object', required: ['detail'] })
  expect(Problem.properties.detail.anyOf).toEqual([
    { type: 'string' },
    { type: 'array', items: { $ref: '#/components/schemas/FieldProblem' } },
  ])
  expect(FieldProblem).toEqual({
    type: 'object',
    required: ['loc', 'msg', 'type'],
    properties: {
      loc: { type: 'array', items: { type: ['string', 'integer'] } },
      msg: { type: 'string' },
      type: { type: 'string' },
    },
  })
})

test.each([
  ['post', '/assistants/search', 'Assistants'],
  ['get', '/runs/crons/{cron_id}', 'Crons'],
  ['post', '/threads/{thread_id}/runs/crons', 'Crons'],
  ['get', '/threads/{thread_id}/runs', 'Thread runs'],
  ['get', '/threads/{thread_id}', 'Threads'],
  ['post', '/runs/wait', 'Stateless runs'],
  ['put', '/store/items', 'Store'],
  ['post', '/a2a/{assistant_id}', 'A2A'],
  ['get', '/.well-known/agent-card.json', 'A2A'],
  ['post', '/mcp/', 'MCP'],
  ['get', '/ok', 'System'],
])('%s %s is listed under %s', (method, path, tag) => {
  expect(at(method, path).tags).toEqual([tag])
})

describe('an operation', () => {
  test('is named in words', () => {
    expect(at('get', '/threads/{thread_id}/state')).toMatchObject({
      operationId: 'getThreadState',
      summary: 'get thread state',
    })
  })

  test('has its parameters by place, and which of them are needed', () => {
    expect(at('get', '/threads/{thread_id}').parameters[0]).toEqual({
      name: 'thread_id',
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })
    const item = at('get', '/store/items').parameters
    const needed = item.map(({ name, in: place, required }: Record<string, unknown>) => [name, place, required])
    expect(needed).toEqual(expect.arrayContaining([['key', 'query', true]]))
    expect(needed).toEqual(expect.arrayContaining([['refresh_ttl', 'query', false]]))
    expect(at('post', '/threads')).not.toHaveProperty('parameters')
  })

  test.each([
    ['get', '/threads/{thread_id}/stream', true],
    ['get', '/threads/{thread_id}/runs/{run_id}/stream', true],
    ['get', '/runs/{run_id}/stream', true],
    ['post', '/runs/stream', false],
    ['get', '/threads/{thread_id}', false],
    ['get', '/threads/{thread_id}/runs/{run_id}/join', false],
  ])('%s %s can be resumed after an event: %s', (method, path, isResumed) => {
    const header = (at(method, path).parameters ?? []).filter((one: { in: string }) => one.in === 'header')
    expect(header.map(({ name, required, schema }: Record<string, unknown>) => [name, required, schema])).toEqual(
      isResumed ? [['Last-Event-ID', false, { type: 'string' }]] : [],
    )
  })

  test.each<[string, string, string, string[]]>([
    ['get', '/threads/{thread_id}', 'application/json', ['404', '422']],
    ['post', '/threads', 'application/json', ['413', '422']],
    ['post', '/runs/stream', 'text/event-stream', ['413', '422']],
    ['get', '/docs', 'text/html', []],
    ['get', '/metrics', 'text/plain', ['422']],
    ['get', '/info', 'application/json', []],
    ['patch', '/threads/{thread_id}', 'application/json', ['404', '413', '422']],
  ])('%s %s answers with %s, or with a problem', (method, path, type, problems) => {
    const { responses } = at(method, path)
    expect(Object.keys(responses['200'].content)).toEqual([type])
    expect(Object.keys(responses).filter((status) => status !== '200')).toEqual(problems)
    const problem = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } }
    for (const status of problems) expect(responses[status].content).toEqual(problem)
  })

  test.each([
    ['put', '/store/items'],
    ['delete', '/threads/{thread_id}'],
    ['delete', '/threads/{thread_id}/runs/{run_id}'],
    ['delete', '/runs/crons/{cron_id}'],
    ['post', '/runs/cancel'],
  ])('%s %s has no answer, and says so', (method, path) => {
    const { responses } = at(method, path)
    expect(responses['204']).toEqual({ description: 'Done' })
    expect(responses).not.toHaveProperty('200')
  })

  test('cancelling answers at once, or when the run has ended', () => {
    const { responses } = at('post', '/threads/{thread_id}/runs/{run_id}/cancel')
    expect(Object.keys(responses).filter((status) => status < '400')).toEqual(['202', '204'])
  })

  test('one of JSON-RPC may answer with events', () => {
    expect(Object.keys(at('post', '/mcp/').responses['200'].content)).toEqual(['application/json', 'text/event-stream'])
    const events = at('post', '/runs/stream').responses['200'].content
    expect(events).toEqual({ 'text/event-stream': { schema: { type: 'string' } } })
  })

  test('with a body needs it, and shows numbered examples', () => {
    const { required, content } = at('post', '/runs/batch').requestBody
    expect(required).toBe(true)
    expect(content['application/json'].examples).toMatchObject({ example1: { summary: 'Two runs', value: [{}, {}] } })
    expect(at('post', '/threads/search').requestBody.content['application/json']).not.toHaveProperty('examples')
    expect(at('get', '/ok')).not.toHaveProperty('requestBody')
  })
})

test('no schema names the version of its dialect, and all describe what is sent', () => {
  expect(JSON.stringify(api)).not.toContain('"$schema"')
  // With a default: it may be left out of a request.
  const schema = at('post', '/threads/{thread_id}/copy').responses['200'].content['application/json'].schema
  expect(schema).toMatchObject({ type: 'object' })
})
