import { END, MessagesAnnotation, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { checkContext, contextIn, describeSchemas, describeSubgraphs, drawGraph } from './graph-info'
import type { Graph } from './graphs'

const asGraph = (graph: unknown) => graph as Graph
const State = z.object({ text: z.string().default('') })
const inner = new StateGraph(State)
  .addNode('shout', () => ({}))
  .addEdge(START, 'shout')
  .addEdge('shout', END)
  .compile({ name: 'inner' })
const outer = asGraph(
  new StateGraph(State)
    .addNode('first', () => ({}))
    .addNode('middle', inner)
    .addEdge(START, 'first')
    .addConditionalEdges('first', () => 'middle', ['middle', END])
    .addEdge('middle', END)
    .compile(),
)

describe('the schemas of a graph', () => {
  test('are those that it declares', () => {
    const { input_schema, state_schema, context_schema, config_schema, graph_id } = describeSchemas(outer, 'g')
    expect(graph_id).toBe('g')
    expect(input_schema).toMatchObject({ properties: { text: { type: 'string' } } })
    expect(state_schema).toMatchObject({ properties: { text: { type: 'string' } } })
    expect([context_schema, config_schema]).toEqual([null, null])
  })

  test('name the fields where only types exist, and describe a conversation', () => {
    const typed = new StateGraph(MessagesAnnotation).addNode('a', () => ({})).addEdge(START, 'a')
    const messages = {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: { type: 'string' }, content: {} },
        required: ['type', 'content'],
      },
    }
    const schema = { type: 'object', properties: { messages } }
    expect(describeSchemas(asGraph(typed.compile()), 'g')).toEqual({
      graph_id: 'g',
      input_schema: schema,
      output_schema: schema,
      state_schema: schema,
      config_schema: null,
      context_schema: null,
    })
    const fields = { a: {}, b: { operator: { name: 'sum' } }, m: { operator: { name: 'messagesStateReducer' } } }
    const built = (builder: object) => describeSchemas(asGraph({ builder }), 'g')
    expect(built({ _inputDefinition: fields }).input_schema).toEqual({
      type: 'object',
      properties: { a: {}, b: {}, m: messages },
    })
    expect(built({}).state_schema).toBeNull()
    for (const name of ['xmessagesReducer', 'messagesReducers'])
      expect(built({ _inputDefinition: { m: { operator: { name } } } }).input_schema).toMatchObject({
        properties: { m: {} },
      })
    expect(built({ _inputDefinition: { m: { operator: { name: 'messagesReducers' } } } }).input_schema).toEqual({
      type: 'object',
      properties: { m: {} },
    })
  })

  test('name also the fields that have no JSON form, as in the states of agents', () => {
    // The library's own types exclude it, and its agents do it.
    const todos = z3.array(z3.string()) as never
    const state = new StateSchema({ text: z.string(), todos })
    const graph = asGraph(
      new StateGraph(state)
        .addNode('a', () => ({}))
        .addEdge(START, 'a')
        .compile(),
    )
    const { input_schema, output_schema, state_schema } = describeSchemas(graph, 'g')
    for (const schema of [input_schema, output_schema, state_schema])
      expect(schema).toMatchObject({ type: 'object', properties: { text: { type: 'string' }, todos: {} } })
    const { state_schema: typed } = describeSchemas(graph, 'g', { state: { todos: { type: 'array' } } })
    expect(typed).toMatchObject({ properties: { todos: { type: 'array' } } })
  })

  test('have the types that a build read, where the graph itself says nothing', () => {
    const a = { type: 'string' }
    const fields = { a: {}, b: {}, m: { operator: { name: 'messagesStateReducer' } } }
    const types = { state: { a, m: a, other: a }, input: { b: { type: 'number' } }, context: { user: a } }
    const graph = asGraph({ builder: { _inputDefinition: fields, _schemaDefinition: fields } })
    const { input_schema, state_schema, context_schema } = describeSchemas(graph, 'g', types)
    expect(input_schema).toMatchObject({ properties: { a, b: { type: 'number' }, m: { type: 'array' } } })
    expect(state_schema).toMatchObject({ properties: { a, b: {}, m: { type: 'array' } } })
    expect(state_schema).not.toHaveProperty('properties.other')
    expect(context_schema).toEqual({ type: 'object', properties: { user: a } })
    expect(describeSchemas(outer, 'g', { state: { text: { type: 'number' } } }).input_schema).toMatchObject({
      properties: { text: { type: 'string' } },
    })
  })

  test('are unknown of what is built in another way', () => {
    for (const graph of [{}, { graph: {} }, { graph: undefined }])
      expect(describeSchemas(asGraph(graph), 'g')).toMatchObject({
        input_schema: null,
        output_schema: null,
        state_schema: null,
      })
  })
})

describe('the drawing of a graph', () => {
  test('has its nodes by their names, and its edges', async () => {
    const { nodes, edges } = await drawGraph(outer, false)
    expect(nodes.map(({ id, data }) => [id, data])).toEqual(
      expect.arrayContaining([
        ['first', { name: 'first' }],
        ['middle', { name: 'inner' }],
      ]),
    )
    expect(edges).toContainEqual(expect.objectContaining({ source: 'first', target: 'middle', conditional: true }))
  })

  test('keeps what a node says of itself, but not its class', async () => {
    const nodes = [
      { id: 'a', type: 'runnable', data: { id: ['langchain', 'A'], name: 'A' }, metadata: { x: 1 } },
      { id: 'b', type: 'runnable', data: { id: ['langchain', 'B'] } },
      { id: 'c', type: 'schema', data: 'text' },
      { id: 'd' },
    ]
    const options: unknown[] = []
    const graph = {
      getGraphAsync: async (given: unknown) => {
        options.push(given)
        return { toJSON: () => ({ nodes, edges: [{ source: 'a', target: 'b' }] }) }
      },
    }
    expect(await drawGraph(asGraph(graph), 2)).toEqual({
      nodes: [
        { id: 'a', type: 'runnable', data: { name: 'A' }, metadata: { x: 1 } },
        { id: 'b', type: 'runnable', data: { name: 'b' } },
        { id: 'c', type: 'schema', data: 'text' },
        { id: 'd', type: undefined, data: undefined },
      ],
      edges: [{ source: 'a', target: 'b' }],
    })
    expect(options).toEqual([{ xray: 2 }])
  })
})

test('subgraphs have their schemas by their names, all of them or one', async () => {
  const all = await describeSubgraphs(outer, 'g', undefined, true)
  expect(all).toMatchObject({ middle: { graph_id: 'g', state_schema: { properties: { text: {} } } } })
  expect(Object.keys(await describeSubgraphs(outer, 'g', 'middle', false))).toEqual(['middle'])
  expect(await describeSubgraphs(outer, 'g', 'none', true)).toEqual({})
})

describe('a context', () => {
  const withContext = (schema: unknown) => asGraph({ builder: { _configRuntimeSchema: schema } })
  const Context = z.object({ label: z.string(), deep: z.object({ n: z.number() }).optional() })

  test('that the graph’s schema accepts is accepted, and so is any without one', async () => {
    await checkContext(withContext(Context), { label: 'a', deep: { n: 1 } })
    for (const graph of [asGraph({}), withContext(undefined), withContext({})]) await checkContext(graph, { label: 5 })
  })

  test('can have the values that the schema names, and any without one', () => {
    const values = { label: 'a', other: 1, toString: 2 }
    expect(contextIn(withContext(Context), values)).toEqual({ label: 'a' })
    for (const graph of [asGraph({}), withContext(undefined), withContext({})])
      expect(contextIn(graph, values)).toEqual(values)
  })

  test('that it rejects is refused by the place of the problem', async () => {
    const refused = checkContext(withContext(Context), { label: 'a', deep: { n: 'x' } })
    await expect(refused).rejects.toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'context', 'deep', 'n'], msg: 'Input should be a valid number', type: 'float_type' }],
    })
  })
})
