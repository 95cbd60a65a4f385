import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

/** A thread with one finished run of the counter graph. */
async function counted(until = 2, metadata: object = {}) {
  const thread = await server.newThread({ metadata })
  const run = await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until } })
  expect(run.status).toBe(200)
  return thread
}

describe('records', () => {
  test('a new thread is idle and empty', async () => {
    const { status, json } = await server.post('/threads', { metadata: { a: 1, graph_id: null } })
    expect(status).toBe(200)
    expect(json).toMatchObject({ status: 'idle', metadata: { a: 1 }, values: null, interrupts: {}, error: null })
    expect(json.metadata).not.toHaveProperty('graph_id')
    expect((await server.get(`/threads/${json.thread_id}`)).json).toEqual(json)
  })

  test('a caller may choose the id; an existing one is refused', async () => {
    const thread_id = crypto.randomUUID()
    expect((await server.post('/threads', { thread_id })).json.thread_id).toBe(thread_id)
    expect((await server.post('/threads', { thread_id })).status).toBe(409)
    expect((await server.post('/threads', { thread_id, if_exists: 'do_nothing' })).json.thread_id).toBe(thread_id)
    expect((await server.post('/threads', { thread_id: 'x' })).json.detail[0]).toMatchObject({
      loc: ['body', 'thread_id'],
    })
  })

  test.each([{ a: '\u0000' }, { a: '\ud800' }, { '\udc00': 1 }, { a: [{ b: 'x\ud800x' }] }])(
    'metadata that the database cannot hold is refused: %j',
    async (metadata) => {
      const thread = await server.newThread({})
      for (const answer of [
        await server.post('/threads', { metadata }),
        await server.request('PATCH', `/threads/${thread}`, { metadata }),
        await server.post('/threads/search', { metadata }),
        await server.post('/assistants', { graph_id: 'counter', metadata }),
        await server.post('/runs', { assistant_id: 'counter', metadata }),
      ])
        expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body'] }] } })
    },
  )

  test('metadata is merged by an update, and the run adds its graph', async () => {
    const thread = await counted(1, { a: 1 })
    const { json } = await server.request('PATCH', `/threads/${thread}`, { metadata: { b: 2 } })
    expect(json.metadata).toMatchObject({ a: 1, b: 2, graph_id: 'counter', assistant_id: expect.any(String) })
    expect((await server.request('PATCH', `/threads/${thread}`, {}, { prefer: 'return=minimal' })).status).toBe(204)
  })

  test('values are those of the newest checkpoint', async () => {
    const thread = await counted(2)
    expect((await server.get(`/threads/${thread}`)).json).toMatchObject({
      status: 'idle',
      values: { count: 2 },
      interrupts: {},
    })
  })

  test('a time to live is stored and returned on request', async () => {
    const { json } = await server.post('/threads', { ttl: { ttl: 5 } })
    expect(json.ttl).toMatchObject({ strategy: 'delete', ttl_minutes: 5, expires_at: expect.any(String) })
    expect((await server.get(`/threads/${json.thread_id}`)).json).not.toHaveProperty('ttl')
    expect((await server.get(`/threads/${json.thread_id}?include=ttl`)).json.ttl.ttl_minutes).toBe(5)
  })

  test('deleting removes it with its runs', async () => {
    const thread = await counted(1)
    expect((await server.request('DELETE', `/threads/${thread}`)).status).toBe(204)
    for (const path of ['', '/state', '/runs', '/history'])
      expect((await server.get(`/threads/${thread}${path}`)).status).toBe(404)
    const thread2 = await counted(1)
    expect((await server.post('/threads/prune', { thread_ids: [thread2, thread] })).json).toEqual({ pruned_count: 1 })
  })

  test('pruning to the latest removes the history, keeps the state and skips a busy thread', async () => {
    const thread = await counted(3)
    const before = (await server.get(`/threads/${thread}/state`)).json
    const busy = await server.newThread()
    const input = { until: 50, delay: 100 }
    const run = await server.post(`/threads/${busy}/runs`, { assistant_id: 'counter', input })
    const body = { thread_ids: [thread, busy, crypto.randomUUID()], strategy: 'keep_latest' }
    expect((await server.post('/threads/prune', body)).json).toEqual({ pruned_count: 1 })
    expect((await server.get(`/threads/${thread}/state`)).json).toEqual(before)
    expect((await server.get(`/threads/${thread}/history`)).json).toHaveLength(1)
    expect(Object.keys((await server.get(`/threads/${thread}/state?select=values,next`)).json)).toEqual([
      'values',
      'next',
    ])
    await server.post(`/threads/${busy}/runs/${run.json.run_id}/cancel?wait=1`)
    const more = { assistant_id: 'counter', input: { until: 4 } }
    expect((await server.post(`/threads/${thread}/runs/wait`, more)).json.count).toBe(4)
    const ttl = await server.post('/threads', { ttl: { strategy: 'keep_latest', ttl: 5 } })
    expect(ttl.json.ttl).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 5 })
  })

  test('a copy has the whole history and is independent', async () => {
    const thread = await counted(2)
    const copy = (await server.post(`/threads/${thread}/copy`)).json
    expect(copy.thread_id).not.toBe(thread)
    expect(copy.values).toMatchObject({ count: 2 })
    const ids = async (id: string) =>
      (await server.post(`/threads/${id}/history`, { limit: 10 })).json.map(
        (one: { checkpoint: { checkpoint_id: string } }) => one.checkpoint.checkpoint_id,
      )
    expect(await ids(copy.thread_id)).toEqual(await ids(thread))
    await server.post(`/threads/${copy.thread_id}/runs/wait`, { assistant_id: 'counter', input: { until: 5 } })
    expect((await server.get(`/threads/${thread}`)).json.values.count).toBe(2)
    expect((await server.get(`/threads/${copy.thread_id}`)).json.values.count).toBe(5)
    expect((await server.post(`/threads/${crypto.randomUUID()}/copy`)).status).toBe(404)
  })
})

describe('search', () => {
  test('filters by metadata, status, ids and values; a thread without values matches no values filter', async () => {
    const mine = { test: crypto.randomUUID() }
    const [two, three] = [await counted(2, mine), await counted(3, mine)]
    const empty = await server.newThread({ metadata: mine })
    const found = async (body: object) =>
      (await server.post('/threads/search', { metadata: mine, ...body })).json
        .map((one: { thread_id: string }) => one.thread_id)
        .sort()
    expect(await found({})).toEqual([two, three, empty].sort())
    expect(await found({ values: { count: 3 } })).toEqual([three])
    expect(await found({ values: { log: ['step 2'] } })).toEqual([])
    expect(await found({ values: { log: ['none 2'], until: 2 } })).toEqual([two])
    expect(await found({ ids: [empty] })).toEqual([empty])
    expect(await found({ status: 'busy' })).toEqual([])
    expect((await server.post('/threads/count', { metadata: mine, status: 'idle' })).json).toBe(3)
    expect((await server.post('/threads/count', { metadata: mine, values: { count: 2 } })).json).toBe(1)
  })

  test('finds values with any text, in the newest state only', async () => {
    const mine = { search: randomUUID() }
    const thread = await server.newThread({ metadata: { ...mine, graph_id: 'counter' } })
    const write = (values: object) => server.post(`/threads/${thread}/state`, { values, as_node: 'step' })
    const isFound = async (values: object) =>
      (await server.post('/threads/search', { metadata: mine, values })).json.length === 1 &&
      (await server.post('/threads/count', { metadata: mine, values })).json === 1
    const file = 'a "quoted" \\u0000 \u0000 ü \ud83d\ude00'
    const long = 'x'.repeat(300)
    await write({ count: 1, file, log: ['\\u0000 in words', long] })
    for (const values of [{ count: 1 }, { file }, { file, count: 1 }, { log: ['\\u0000 in words'] }, { log: [long] }])
      expect(await isFound(values), JSON.stringify(values)).toBe(true)
    await write({ count: 2, file: long })
    expect(await Promise.all([{ count: 1 }, { file }, { file: 'x' }, { count: '2' }].map(isFound))).not.toContain(true)
    expect(await Promise.all([{ count: 2 }, { file: long }].map(isFound))).toEqual([true, true])
  })

  test('pages with the true total, selects, extracts and sorts', async () => {
    const mine = { test: crypto.randomUUID() }
    const ids = [await counted(1, mine), await counted(2, mine), await counted(3, mine)]
    const page = await server.post('/threads/search', {
      metadata: mine,
      limit: 2,
      offset: 1,
      sort_by: 'created_at',
      sort_order: 'asc',
      select: ['thread_id'],
    })
    expect(page.json).toEqual([{ thread_id: ids[1] }, { thread_id: ids[2] }])
    expect([page.headers.get('x-pagination-total'), page.headers.get('x-pagination-next')]).toEqual(['3', null])
    const { json } = await server.post('/threads/search', {
      metadata: mine,
      sort_order: 'asc',
      select: ['thread_id'],
      extract: { last: 'values.log[-1]', no: 'values.x.y' },
    })
    expect(json.map((one: { extracted: object }) => one.extracted)).toEqual([
      { last: 'none 1', no: null },
      { last: 'none 2', no: null },
      { last: 'none 3', no: null },
    ])
    const whole = await server.post('/threads/search', {
      ids: [ids[0]],
      select: [],
      extract: { first: 'values.log[0]' },
    })
    expect(whole.json).toMatchObject([{ thread_id: ids[0], status: 'idle', extracted: { first: 'none 1' } }])
  })
})

describe('state', () => {
  test('has values, next, tasks, checkpoints and metadata under our key names', async () => {
    const thread = await counted(2)
    const { json } = await server.get(`/threads/${thread}/state`)
    expect(json).toMatchObject({
      values: { count: 2, log: ['none 1', 'none 2'] },
      next: [],
      tasks: [],
      interrupts: [],
      checkpoint: { thread_id: thread, checkpoint_ns: '', checkpoint_id: expect.any(String) },
      parent_checkpoint: { thread_id: thread },
      metadata: { source: 'loop', step: 2, graph_id: 'counter', run_id: expect.any(String), thread_id: thread },
    })
    expect(JSON.stringify(json)).not.toContain('langgraph')
  })

  test('of a thread without runs is empty', async () => {
    expect((await server.get(`/threads/${await server.newThread()}/state`)).json).toMatchObject({
      values: {},
      next: [],
      tasks: [],
    })
  })

  test('can be read at each checkpoint in the history, by GET or POST', async () => {
    const thread = await counted(2)
    const history = (await server.get(`/threads/${thread}/history?limit=10`)).json
    expect(history.map((one: { metadata: { step: number } }) => one.metadata.step)).toEqual([2, 1, 0, -1])
    expect(history.at(-1).parent_checkpoint).toBeNull()
    const [, middle] = history
    const { checkpoint } = middle
    expect((await server.get(`/threads/${thread}/state/${checkpoint.checkpoint_id}`)).json.values.count).toBe(1)
    expect((await server.post(`/threads/${thread}/state/checkpoint`, { checkpoint })).json.values.count).toBe(1)
    const older = (await server.post(`/threads/${thread}/history`, { before: checkpoint, limit: 1 })).json
    expect(older.map((one: { metadata: { step: number } }) => one.metadata.step)).toEqual([0])
    expect((await server.post(`/threads/${thread}/history`, { metadata: { step: 1 } })).json).toHaveLength(1)
    expect((await server.get(`/threads/${thread}/state/1ef00000-0000-6000-8000-000000000000`)).status).toBe(404)
  })

  test('an update writes a checkpoint as the node, and the thread continues from it', async () => {
    const thread = await counted(2)
    const { status, json } = await server.post(`/threads/${thread}/state`, {
      values: { count: 0, until: 2 },
      as_node: 'step',
    })
    expect(status).toBe(200)
    expect(json.checkpoint.checkpoint_id).toBeTruthy()
    expect((await server.get(`/threads/${thread}`)).json).toMatchObject({ status: 'interrupted', values: { count: 0 } })
    expect((await server.get(`/threads/${thread}/state`)).json.next).toEqual(['step'])
    const { json: response } = await server.post(`/threads/${thread}/runs/wait`, {
      assistant_id: 'counter',
      input: null,
    })
    expect(response).toMatchObject({ count: 2 })
  })

  test('branches of a thread do not share stored values', async () => {
    const thread = await counted(3)
    const history = (await server.get(`/threads/${thread}/history?limit=10`)).json
    const atOne = history.find((one: { values: { count?: number } }) => one.values.count === 1).checkpoint
    const { json } = await server.post(`/threads/${thread}/state`, {
      values: { count: 40 },
      as_node: 'step',
      checkpoint: atOne,
    })
    expect((await server.get(`/threads/${thread}/state/${json.checkpoint.checkpoint_id}`)).json.values.count).toBe(40)
    const atThree = history.find((one: { values: { count?: number } }) => one.values.count === 3).checkpoint
    expect((await server.get(`/threads/${thread}/state/${atThree.checkpoint_id}`)).json.values.count).toBe(3)
  })

  test('an unknown node, invalid values and a thread without a graph are refused with a reason', async () => {
    const thread = await counted(1)
    expect(
      (await server.post(`/threads/${thread}/state`, { values: {}, as_node: 'nobody' })).json.detail[0],
    ).toMatchObject({
      loc: ['body', 'as_node'],
      msg: expect.stringContaining('nobody'),
    })
    const fresh = await server.newThread()
    expect(await server.post(`/threads/${fresh}/state`, { values: { count: 1 } })).toMatchObject({
      status: 422,
      json: { detail: expect.stringContaining('no graph') },
    })
  })

  test('the metadata of the newest checkpoint can be changed', async () => {
    const thread = await counted(1)
    expect((await server.request('PATCH', `/threads/${thread}/state`, { metadata: { note: 'x' } })).status).toBe(200)
    expect((await server.get(`/threads/${thread}/state`)).json.metadata).toMatchObject({ note: 'x', step: 1 })
  })

  test('supersteps create a history without running the graph', async () => {
    const { json } = await server.post('/threads', {
      metadata: { graph_id: 'counter' },
      supersteps: [
        { updates: [{ values: { until: 9 }, as_node: '__start__' }] },
        { updates: [{ values: { count: 7 }, as_node: 'step' }] },
      ],
    })
    expect(json.values).toMatchObject({ count: 7, until: 9 })
    const refused = await server.post('/threads', {
      metadata: { graph_id: 'counter' },
      supersteps: [{ updates: [{ values: {}, as_node: 'nobody' }] }],
    })
    expect(refused.status).toBe(422)
  })
})
