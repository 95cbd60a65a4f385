import { describe, expect, test } from 'vitest'
import { type AssistantRow, type Assistants, defaultAssistantId } from '../assistants/assistants'
import type { Graphs } from '../assistants/graphs'
import { McpTools, toolName, toolSchema } from './mcp-tools'

const idOf = (index: number) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`
const row = (more: Partial<AssistantRow> = {}) =>
  ({ assistant_id: idOf(1), graph_id: 'chat', name: 'Mine', description: null, ...more }) as AssistantRow
const standard = row({ assistant_id: defaultAssistantId('chat'), name: 'chat' })

describe('the name of a tool', () => {
  test.each([
    ['a b', 'a_b_00000001'],
    ['Zähler, der 7.', 'Zahler_der_7_00000001'],
    ['--a-b__', 'a-b_00000001'],
    ['日本', 'agent_00000001'],
    ['', 'agent_00000001'],
  ])('of the assistant "%s" is %s', (name, tool) => {
    expect(toolName(row({ name }))).toBe(tool)
  })

  test('is that of the graph for its default assistant, if clients accept it', () => {
    expect(toolName(standard)).toBe('chat')
    const odd = (graph_id: string) => toolName(row({ assistant_id: defaultAssistantId(graph_id), graph_id, name: 'x' }))
    const start = (graph_id: string) => defaultAssistantId(graph_id).slice(0, 8)
    expect(odd('my graph')).toBe(`my_graph_${start('my graph')}`)
    const [fits, long] = ['g'.repeat(64), 'g'.repeat(65)]
    expect([odd(fits), odd(long)]).toEqual([fits, `${'g'.repeat(55)}_${start(long)}`])
  })
})

describe('the schema of a tool', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a list', { type: 'array', properties: {} }],
    ['no fields', { type: 'object' }],
    ['null as fields', { type: 'object', properties: null }],
    ['text as fields', { type: 'object', properties: 'x' }],
  ])('with %s takes anything', (_, schema) => {
    expect(toolSchema(schema)).toEqual({ type: 'object', additionalProperties: true })
  })

  test('has the fields, what is needed and the definitions, and no more', () => {
    const $defs = { a: { type: 'string' } }
    expect(
      toolSchema({
        $schema: 'x',
        type: 'object',
        description: 'Input',
        properties: { a: { $ref: '#/$defs/a' }, any: true, none: null },
        required: ['a'],
        $defs,
      }),
    ).toEqual({
      type: 'object',
      description: 'Input',
      properties: { a: { $ref: '#/$defs/a' }, any: {}, none: {} },
      required: ['a'],
      $defs,
    })
    const bare = { type: 'object', properties: {}, required: [], description: 7 }
    expect(toolSchema(bare)).toEqual({ type: 'object', properties: {} })
    expect(toolSchema({ ...bare, required: 'a' })).toEqual({ type: 'object', properties: {} })
  })

  test('describes the conversation in the words that models know', () => {
    const messages = { type: 'array', items: {}, langgraph_type: 'messages' }
    const marked = (schema: object) => toolSchema({ type: 'object', properties: { m: schema } }).properties?.m
    expect(marked({ ...messages, langgraph_type: undefined, 'x-graph_type': 'messages' })).toMatchObject({
      type: 'array',
      items: {
        type: 'object',
        properties: { role: { type: 'string', enum: ['user', 'assistant', 'system'] }, content: { type: 'string' } },
        required: ['role', 'content'],
      },
    })
    expect(marked(messages)).toMatchObject({ items: { required: expect.anything() } })
    for (const other of [{ graph_type: 'other' }, { graph_types: 'messages' }]) expect(marked(other)).toBe(other)
  })
})

describe('the tools of a deployment', () => {
  /** Tools over these assistants, in this order; only the graph "chat" can be loaded. */
  function toolsOf(rows: AssistantRow[]) {
    const pages: unknown[][] = []
    const checks: unknown[][] = []
    let loads = 0
    const assistants = {
      page: async (after: string | undefined, limit: number, only: unknown) => {
        pages.push([after, limit, only])
        const start = after === undefined ? 0 : rows.findIndex((one) => one.assistant_id === after) + 1
        return rows.slice(start, start + limit)
      },
      get: async () => standard,
      startingWith: async (prefix: string) => rows.filter((one) => one.assistant_id.startsWith(prefix)),
      check: async (...given: unknown[]) => void checks.push(given),
    } as unknown as Assistants
    const graphs = {
      has: (id: string) => id === 'chat',
      typesOf: () => ({ input: { topic: { type: 'string' } } }),
      get: async (id: string) => {
        loads += 1
        if (id !== 'chat') throw new Error('not found')
        return { builder: { _inputDefinition: { topic: {} } } }
      },
    } as unknown as Graphs
    return { tools: new McpTools(assistants, graphs), pages, checks, loads: () => loads }
  }

  test('are listed fifty at a time, with what they take', async () => {
    const { tools, pages, loads } = toolsOf(
      Array.from({ length: 101 }, (_, index) => row({ assistant_id: idOf(index) })),
    )
    const first = await tools.list(undefined, ['{"a":1}'])
    expect(first.tools[0]).toEqual({
      name: 'Mine_00000000',
      title: 'Mine',
      description: 'Runs the agent "Mine" (graph chat) to its end.',
      inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
    })
    const second = await tools.list(first.nextCursor)
    const last = await tools.list(second.nextCursor)
    expect([first, second, last].map((page) => page.tools.length)).toEqual([50, 50, 1])
    expect(last).not.toHaveProperty('nextCursor')
    expect(pages).toEqual([
      [undefined, 51, ['{"a":1}']],
      [idOf(49), 51, undefined],
      [idOf(99), 51, undefined],
    ])
    expect(loads()).toBe(1)
  })

  test('are one page if they just fit, and have their own descriptions', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => row({ assistant_id: idOf(index), description: 'Talks' }))
    const { tools, nextCursor } = await toolsOf(rows).tools.list(undefined)
    expect([tools.length, nextCursor, tools[0]?.description]).toEqual([50, undefined, 'Talks'])
    expect(await toolsOf([]).tools.list(undefined)).toEqual({ tools: [] })
  })

  test('cannot be listed from a place that is none', async () => {
    for (const cursor of ['', 'bm8', 'x'])
      await expect(toolsOf([]).tools.list(cursor)).rejects.toMatchObject({ name: 'CursorError' })
  })

  test('are found by their names, and nothing else is', async () => {
    const mine = row()
    const { tools, checks } = toolsOf([standard, mine, row({ assistant_id: idOf(2), name: 'Other' })])
    expect(await tools.find('chat')).toBe(standard)
    expect(await tools.find('Mine_00000001')).toBe(mine)
    for (const name of ['Mine', 'Mine_00000002', 'Other_00000001', 'Mine00000001', 'Mine_00000001_', '00000001'])
      expect([name, await tools.find(name)]).toEqual([name, undefined])
    expect(checks).toEqual([
      [standard.assistant_id, undefined],
      [mine.assistant_id, undefined],
    ])
  })

  test('are checked by the rights of the caller when they are called', async () => {
    const { tools, checks } = toolsOf([row()])
    const asked: string[] = []
    await tools.find('Mine_00000001', async (id) => {
      asked.push(id)
      return ['{"a":1}']
    })
    await tools.find('nobody', () => expect.unreachable())
    expect([asked, checks]).toEqual([[idOf(1)], [[idOf(1), ['{"a":1}']]]])
  })

  test('know the fields of a graph; one that cannot be described takes anything', async () => {
    const { tools } = toolsOf([row({ graph_id: 'gone' })])
    expect([await tools.inputFields('chat'), await tools.inputFields('gone')]).toEqual([['topic'], undefined])
    expect((await tools.list(undefined)).tools[0]?.inputSchema).toEqual({ type: 'object', additionalProperties: true })
  })
})
