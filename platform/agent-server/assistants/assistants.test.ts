import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'
import { defaultAssistantId } from './assistants'
import { describeSchemas } from './graph-info'
import type { Graph } from './graphs'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const create = async (body: object = {}) => (await server.post('/assistants', { graph_id: 'counter', ...body })).json

describe('default assistants', () => {
  test('each graph has one, with a stable id', async () => {
    const { json, headers } = await server.post('/assistants/search', {
      metadata: { created_by: 'system' },
      limit: 100,
    })
    expect(json.map((one: { graph_id: string }) => one.graph_id).sort()).toEqual([
      'agent',
      'approval',
      'burst',
      'chat',
      'counter',
      'factory',
      'failing',
      'memory',
      'nested',
      'slowApproval',
      'tasks',
      'typed',
      'whole',
    ])
    expect(headers.get('x-pagination-total')).toBe('13')
    const counter = json.find((one: { graph_id: string }) => one.graph_id === 'counter')
    expect(counter).toMatchObject({
      assistant_id: defaultAssistantId('counter'),
      description: 'Counts in steps',
      version: 1,
    })
    expect(counter.assistant_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('a graph name stands for its default assistant', async () => {
    expect((await server.get('/assistants/counter')).json.assistant_id).toBe(defaultAssistantId('counter'))
  })

  test('they cannot be deleted', async () => {
    expect((await server.request('DELETE', '/assistants/counter')).status).toBe(409)
  })
})

describe('create', () => {
  test('gives the record with its defaults', async () => {
    expect(await create({ context: { label: 'a' } })).toMatchObject({
      graph_id: 'counter',
      name: 'Untitled',
      description: null,
      config: {},
      context: { label: 'a' },
      metadata: {},
      version: 1,
      created_at: expect.stringMatching(/\+00:00$/),
    })
  })

  test('an existing id is refused, or left unchanged on request', async () => {
    const { assistant_id } = await create({ name: 'first' })
    expect((await server.post('/assistants', { graph_id: 'counter', assistant_id })).status).toBe(409)
    const again = await server.post('/assistants', {
      graph_id: 'counter',
      assistant_id,
      name: 'second',
      if_exists: 'do_nothing',
    })
    expect(again).toMatchObject({ status: 200, json: { name: 'first' } })
  })

  test('an unknown graph is a 404', async () => {
    expect(await server.post('/assistants', { graph_id: 'nothing' })).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining('Graph nothing not found') },
    })
  })

  test('a context that the schema refuses is a 422 that names the field', async () => {
    const refused = {
      status: 422,
      json: { detail: [{ loc: ['body', 'context', 'label'], msg: expect.any(String), type: expect.any(String) }] },
    }
    expect(await server.post('/assistants', { graph_id: 'counter', context: { label: 5 } })).toMatchObject(refused)
    const { assistant_id } = await create()
    expect(await server.request('PATCH', `/assistants/${assistant_id}`, { context: { label: 5 } })).toMatchObject(
      refused,
    )
  })
})

describe('versions', () => {
  test('an update creates a new version: metadata is merged, other fields are replaced', async () => {
    const { assistant_id } = await create({ context: { label: 'a' }, config: { tags: ['x'] }, metadata: { a: 1 } })
    const { json } = await server.request('PATCH', `/assistants/${assistant_id}`, {
      config: { recursion_limit: 5 },
      metadata: { b: 2 },
    })
    expect(json).toMatchObject({
      version: 2,
      config: { recursion_limit: 5 },
      metadata: { a: 1, b: 2 },
      context: { label: 'a' },
    })
    expect(json.config).not.toHaveProperty('tags')
    const versions = (await server.post(`/assistants/${assistant_id}/versions`)).json
    expect(versions.map((one: { version: number }) => one.version)).toEqual([2, 1])
  })

  test('setting an earlier version as latest restores every field; the next update gets the next number', async () => {
    const { assistant_id } = await create({ context: { label: 'old' }, name: 'one', description: 'first' })
    await server.request('PATCH', `/assistants/${assistant_id}`, {
      graph_id: 'chat',
      context: { x: 1 },
      name: 'two',
      description: 'second',
    })
    const back = await server.post(`/assistants/${assistant_id}/latest`, { version: 1 })
    expect(back.json).toMatchObject({
      version: 1,
      graph_id: 'counter',
      context: { label: 'old' },
      name: 'one',
      description: 'first',
    })
    expect((await server.request('PATCH', `/assistants/${assistant_id}`, { name: 'three' })).json.version).toBe(3)
    expect((await server.post(`/assistants/${assistant_id}/latest`, { version: 9 })).status).toBe(404)
  })

  test('concurrent updates each create a version', async () => {
    const { assistant_id } = await create()
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        server.request('PATCH', `/assistants/${assistant_id}`, { metadata: { [`k${n}`]: n } }),
      ),
    )
    expect(responses.map(({ json }) => json.version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    expect(Object.keys((await server.get(`/assistants/${assistant_id}`)).json.metadata)).toHaveLength(8)
  })

  test('deleting removes all of them', async () => {
    const { assistant_id } = await create()
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id, input: {} })
    expect(await server.request('DELETE', `/assistants/${assistant_id}?delete_threads=true`)).toMatchObject({
      status: 200,
      json: {},
    })
    expect((await server.get(`/assistants/${assistant_id}`)).status).toBe(404)
    expect((await server.post(`/assistants/${assistant_id}/versions`)).status).toBe(404)
    expect((await server.get(`/threads/${thread}`)).status).toBe(404)
  })
})

describe('search', () => {
  test('filters, sorts by the requested field, pages and selects fields', async () => {
    for (const name of ['Zebra', 'apple', 'Mango']) await create({ name, metadata: { fruit: 'yes' } })
    const search = (body: object) => server.post('/assistants/search', { metadata: { fruit: 'yes' }, ...body })
    const names = (json: { name: string }[]) => json.map((one) => one.name)
    expect(names((await search({ name: 'an' })).json)).toEqual(['Mango'])
    const sorted = names((await search({ sort_by: 'name', sort_order: 'desc' })).json)
    expect(sorted).toEqual([...sorted].sort((a, b) => (a > b ? -1 : 1)))
    const page = await search({ limit: 2, sort_by: 'created_at', sort_order: 'asc' })
    expect(names(page.json)).toEqual(['Zebra', 'apple'])
    expect([page.headers.get('x-pagination-total'), page.headers.get('x-pagination-next')]).toEqual(['3', '2'])
    expect((await search({ limit: 1, select: ['name'] })).json).toEqual([{ name: 'Mango' }])
    expect((await server.post('/assistants/count', { metadata: { fruit: 'yes' } })).json).toBe(3)
    expect((await search({ offset: 10 })).headers.get('x-pagination-total')).toBe('3')
  })
})

describe('graph information', () => {
  test('draws the graph and its subgraphs', async () => {
    const { json } = await server.get('/assistants/nested/graph')
    expect(json.nodes.map((node: { id: string }) => node.id)).toEqual(
      expect.arrayContaining(['__start__', 'before', 'middle', '__end__']),
    )
    expect(JSON.stringify(json)).not.toContain('langgraph')
    const deep = (await server.get('/assistants/nested/graph?xray=1')).json
    expect(deep.nodes.some((node: { id: string }) => node.id.startsWith('middle:'))).toBe(true)
  })

  test('returns zod schemas as JSON Schema, and the names of fields where only TypeScript types exist', async () => {
    const { json } = await server.get('/assistants/counter/schemas')
    expect(json).toMatchObject({
      graph_id: 'counter',
      state_schema: { properties: { count: { type: 'number' } } },
      context_schema: { properties: { label: { type: 'string' } } },
    })
    expect((await server.get('/assistants/typed/schemas')).json).toMatchObject({
      graph_id: 'typed',
      input_schema: { type: 'object', properties: { text: {} } },
      state_schema: { type: 'object', properties: { text: {} } },
      context_schema: null,
    })
    const { input_schema } = (await server.get('/assistants/agent/schemas')).json
    expect(input_schema.properties.messages).toMatchObject({ type: 'array', items: { required: ['type', 'content'] } })
  })

  test('of an agent, which holds its graph, has the fields of that graph', () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', () => ({}))
      .addEdge(START, 'model')
      .addEdge('model', END)
      .compile()
    // As createAgent of the langchain package returns it.
    const agent = { graph } as unknown as Graph
    const fields = { properties: { messages: { type: 'array' } } }
    for (const one of [agent, graph as unknown as Graph])
      expect(describeSchemas(one, 'agent')).toMatchObject({
        input_schema: fields,
        output_schema: fields,
        state_schema: fields,
      })
  })

  test('lists subgraphs by namespace', async () => {
    expect(Object.keys((await server.get('/assistants/nested/subgraphs?recurse=true')).json)).toEqual(['middle'])
    expect((await server.get('/assistants/nested/subgraphs/middle')).json).toHaveProperty('middle.state_schema')
    expect((await server.get('/assistants/nested/subgraphs/none')).status).toBe(404)
  })
})
