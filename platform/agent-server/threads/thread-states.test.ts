import { Send } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import type { Graphs } from '../assistants/graphs'
import { HttpError } from '../kernel/errors'
import type { AgentSaver } from '../persistence/saver'
import { configurableOf, ThreadStates } from './thread-state'
import type { ThreadRow, Threads } from './threads'

// What is asked of a graph about its threads, and what becomes of its answers.

type Json = Record<string, unknown>
const row = (more: Partial<ThreadRow> = {}): ThreadRow => ({
  ...{ thread_id: 't', status: 'idle', metadata: { graph_id: 'g' }, config: { configurable: { a: 1 } }, error: null },
  ...{ is_temporary: false, ttl_minutes: null, ttl_strategy: null, expires_at: null },
  ...{ created_at: new Date(0), updated_at: new Date(0), state_updated_at: new Date(0) },
  ...more,
})
const snapshot = (values: Json, more: Json = {}) => ({
  ...{ values, next: [], tasks: [], metadata: {}, createdAt: 'now', config: { configurable: { thread_id: 't' } } },
  ...more,
})

/** States of threads whose graph answers with `answers`, and who was asked for what. */
function statesOf(
  thread: ThreadRow = row(),
  answers: { state?: Json; fails?: unknown; updated?: Json; saved?: Json } = {},
) {
  const asked: [what: string, ...args: unknown[]][] = []
  const rested: unknown[] = []
  const state = answers.state ?? snapshot({ v: 1 })
  const answer =
    (what: string, value: unknown) =>
    (...args: unknown[]) => {
      asked.push([what, ...args])
      return value
    }
  const change = async (what: string, ...args: unknown[]) => {
    asked.push([what, ...args])
    if (answers.fails) throw answers.fails
    return answers.updated ?? { configurable: { checkpoint_id: 'new' } }
  }
  const graph = {
    getState: async (...args: unknown[]) => answer('getState', state)(...args),
    getStateHistory: answer('history', [snapshot({ v: 2 }), snapshot({ v: 1 })]),
    updateState: (...args: unknown[]) => change('update', ...args),
    bulkUpdateState: (...args: unknown[]) => change('bulk', ...args),
  }
  const graphs = {
    has: (id: string) => id === 'g',
    get: async (...args: unknown[]) => answer('graph', graph)(...args),
    packetOf: async () => Send,
  }
  const threads = { get: async () => thread, rest: async (...args: unknown[]) => void rested.push(args) }
  const newestOf = async (ids: string[]) => {
    asked.push(['newestOf', ids.length])
    return saver
  }
  const saver = { getTuple: async () => answers.saved, newestOf }
  const states = new ThreadStates(
    threads as unknown as Threads,
    graphs as unknown as Graphs,
    saver as unknown as AgentSaver,
  )
  const argsOf = (what: string) => asked.filter(([one]) => one === what).map(([, ...args]) => args)
  return { states, rested, argsOf, asked }
}

test('a place has only the keys that it names', () => {
  const bare = { thread_id: 't', checkpoint_ns: '' }
  for (const none of [undefined, null, {}, { checkpoint_id: null, checkpoint_map: null }])
    expect(Object.keys(configurableOf('t', none as never))).toEqual(Object.keys(bare))
  const place = { checkpoint_id: 'c', checkpoint_ns: 'n', checkpoint_map: { a: 'b' } }
  expect(configurableOf('t', place)).toEqual({ thread_id: 't', ...place })
})

describe('reading', () => {
  test('asks the thread’s graph with the thread’s configuration', async () => {
    const { states, argsOf } = statesOf()
    expect(await states.read('t', { checkpoint_id: 'c' }, true)).toMatchObject({ values: { v: 1 }, created_at: 'now' })
    expect(argsOf('graph')).toEqual([['g', 'threads.read', { configurable: { a: 1 } }]])
    expect(argsOf('getState')).toEqual([
      [{ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c' } }, { subgraphs: true }],
    ])
  })

  test('finds no unknown checkpoint, but an empty state of a new thread', async () => {
    const empty = { state: snapshot({}, { createdAt: undefined }) }
    await expect(statesOf(row(), empty).states.read('t', { checkpoint_id: 'c' })).rejects.toMatchObject({ status: 404 })
    for (const place of [undefined, null, { checkpoint_ns: 'n' }])
      expect(await statesOf(row(), empty).states.read('t', place)).toMatchObject({ values: {}, created_at: null })
  })

  test.each([{}, { graph_id: 'other' }, { graph_id: 7 }])(
    'without a known graph (%j) shows what is stored',
    async (metadata) => {
      const channel_values = { v: 1, a__b: 2, __start__: 0, 'branch:to:n': 0, __pregel: 0 }
      const saved = {
        ...{ checkpoint: { channel_values, ts: 'then' }, metadata: { step: 3 } },
        ...{ config: { configurable: { checkpoint_id: 'c' } }, parentConfig: { configurable: { checkpoint_id: 'p' } } },
      }
      const { states, argsOf } = statesOf(row({ metadata }), { saved })
      const read = await states.read('t', { checkpoint_id: 'c' })
      expect(read.values).toEqual({ v: 1, a__b: 2 })
      expect(read).toMatchObject({
        ...{ next: [], tasks: [], created_at: 'then', metadata: { step: 3 } },
        ...{ checkpoint: { checkpoint_id: 'c' }, parent_checkpoint: { checkpoint_id: 'p' } },
      })
      expect(argsOf('graph')).toEqual([])
      const { states: empty } = statesOf(row({ metadata }))
      expect(await empty.read('t')).toMatchObject({ values: {}, created_at: null, checkpoint: null })
      expect(await empty.history('t', {})).toEqual([])
    },
  )

  test.each<[Json, Json]>([
    [{}, { limit: 10 }],
    [{ limit: null, before: null, metadata: null }, { limit: 10 }],
    [
      { limit: 3, metadata: { step: 1 } },
      { limit: 3, filter: { step: 1 } },
    ],
    ...[
      'c',
      { checkpoint_id: 'c' },
      { configurable: { checkpoint_id: 'c' } },
      { checkpoint_id: 'c', configurable: { checkpoint_id: 'd' } },
    ].map((before): [Json, Json] => [
      { before },
      { limit: 10, before: { configurable: { thread_id: 't', checkpoint_id: 'c' } } },
    ]),
  ])('the history with %j asks for %j', async (request, options) => {
    const { states, argsOf } = statesOf()
    expect((await states.history('t', request as never)).map(({ values }) => values)).toEqual([{ v: 2 }, { v: 1 }])
    expect(argsOf('history')).toEqual([[{ configurable: { thread_id: 't', checkpoint_ns: '' } }, options]])
  })

  test.each([7, {}, { checkpoint_id: 1 }, { configurable: {} }])('the history before %j is refused', async (before) => {
    await expect(statesOf().states.history('t', { before })).rejects.toMatchObject({
      ...{ status: 422, detail: [{ loc: ['body', 'before'] }] },
    })
  })
})

describe('a list of threads', () => {
  const read = async (options: Parameters<ThreadStates['records']>[1], answers = {}, rows = [row()]) => {
    const { states, argsOf } = statesOf(row(), answers)
    return { records: await states.records(rows, options), argsOf }
  }

  test('has its states, which are fetched a hundred at a time', async () => {
    const { records, argsOf } = await read(
      {},
      {},
      Array.from({ length: 101 }, () => row()),
    )
    expect([records.length, argsOf('newestOf'), argsOf('getState').length]).toEqual([101, [[100], [1]], 101])
    expect(records[0]).toMatchObject({ thread_id: 't', values: { v: 1 }, interrupts: {} })
    expect(records[0]).not.toHaveProperty('extracted')
    const { records: empty } = await read({}, { state: snapshot({}, { createdAt: undefined }) })
    expect(empty[0]?.values).toBeNull()
  })

  test.each([
    [[], undefined, false],
    [['values'], undefined, true],
    [['interrupts'], undefined, true],
    [['status'], { s: 'status' }, false],
    [[], { v: 'values.v' }, true],
    [[], { s: 'status', i: 'interrupts' }, true],
    [[], { v: 'valuesOf' }, false],
    [[], { v: 'metadata.values' }, false],
  ])('asked for %j and the parts %j reads states: %s', async (fields: string[], extract, expected) => {
    const { records, argsOf } = await read({ wants: (field) => fields.includes(field), extract })
    expect(argsOf('getState').length > 0).toBe(expected)
    expect('extracted' in (records[0] ?? {})).toBe(extract !== undefined)
  })

  test('has the parts that were asked for, and null where there is none', async () => {
    const values = { list: [{ a: 1 }, { a: 2 }], text: 'xyz', none: null, zero: 0 }
    const paths = [
      'values.list[0].a',
      'values.list[-1].a',
      'values.list[2].a',
      'values.text',
      'values.text[0]',
      'values.text.length',
    ]
    const more = [
      'values.none.a',
      'values.zero',
      'values[0]',
      'values.list.0',
      'values.toString',
      'metadata.graph_id',
      'unknown',
    ]
    const extract = Object.fromEntries([...paths, ...more].map((path) => [path, path]))
    const { records } = await read({ extract }, { state: snapshot(values) })
    expect(Object.values(records[0]?.extracted as Json)).toEqual([
      ...[1, 2, null, 'xyz', null, null],
      ...[null, 0, null, { a: 1 }, null, 'g', null],
    ])
  })

  test('has times to live on request', async () => {
    const mortal = [row({ ttl_minutes: 5, ttl_strategy: 'delete' })]
    expect((await read({ withTtl: true }, {}, mortal)).records[0]).toHaveProperty('ttl')
    expect((await read({}, {}, mortal)).records[0]).not.toHaveProperty('ttl')
    expect((await read({ wants: () => false, withTtl: true }, {}, mortal)).records[0]).toHaveProperty('ttl')
  })
})

describe('an update', () => {
  test('is written where and as whom it says, and the thread rests as the graph is then', async () => {
    const { states, argsOf, rested } = statesOf(row(), { state: snapshot({}, { next: ['n'] }) })
    const body = {
      values: { v: 2 },
      as_node: 'n',
      checkpoint: { checkpoint_ns: 'x', checkpoint_id: 'old' },
      checkpoint_id: 'c',
    }
    expect(await states.update('t', body)).toEqual({ checkpoint_id: 'new' })
    expect(argsOf('update')).toEqual([
      [{ configurable: { thread_id: 't', checkpoint_ns: 'x', checkpoint_id: 'c' } }, { v: 2 }, 'n'],
    ])
    expect([argsOf('graph')[0]?.[1], rested]).toEqual(['threads.update', [['t', 'interrupted']]])
    await states.update('t', { checkpoint: { checkpoint_id: 'old' } } as never)
    expect(argsOf('update')[1]).toEqual([
      ...[{ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'old' } }, undefined, undefined],
    ])
    expect(await statesOf(row(), { updated: {} }).states.update('t', { values: null } as never)).toEqual({})
  })

  test('is refused on a busy thread, and on one without a graph', async () => {
    const { states, asked } = statesOf(row({ status: 'busy' }))
    await expect(states.update('t', {} as never)).rejects.toMatchObject({ status: 409 })
    expect(asked).toEqual([])
    await expect(statesOf(row({ metadata: {} })).states.update('t', {} as never)).rejects.toMatchObject({ status: 422 })
  })

  test.each([
    [new Error('Node "x" does not exist'), ['body', 'as_node']],
    [new Error('ambiguous update, specify as_node'), ['body', 'values']],
    [new Error('invalid nodes'), ['body', 'values']],
    [Object.assign(new Error('invalid value'), { code: 'INVALID_UPDATE' }), ['body', 'values']],
  ])('to which the graph objects (%s) names the field', async (fails, loc) => {
    const { states, rested } = statesOf(row(), { fails })
    await expect(states.update('t', {} as never)).rejects.toMatchObject({
      status: 422,
      detail: [{ loc, msg: fails.message }],
    })
    expect(rested).toEqual([])
  })

  test.each([
    new HttpError(404, 'Not found'),
    Object.assign(new Error('deadlock'), { severity: 'ERROR' }),
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  ])('that fails in the store (%s) is no fault of its caller', async (fails) => {
    await expect(statesOf(row(), { fails }).states.update('t', {} as never)).rejects.toBe(fails)
  })

  test('of several steps is made in one, with commands', async () => {
    const { states, argsOf, rested } = statesOf()
    await states.build(row(), [
      {
        updates: [
          { values: { v: 1 }, as_node: 'a' },
          { values: null, command: { goto: 'n', resume: null }, as_node: 'b' },
        ],
      },
      { updates: [] },
    ] as never)
    expect(argsOf('bulk')).toMatchObject([
      [
        { configurable: { thread_id: 't', checkpoint_ns: '' } },
        [
          {
            updates: [
              { values: { v: 1 }, asNode: 'a' },
              { values: { goto: ['n'] }, asNode: 'b' },
            ],
          },
          { updates: [] },
        ],
      ],
    ])
    expect(rested).toEqual([['t', 'idle']])
    await expect(statesOf(row({ metadata: {} })).states.build(row({ metadata: {} }), [])).rejects.toMatchObject({
      status: 422,
    })
  })
})
