import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type Reply, type Seen, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import { HEAVY_FIELDS, LIGHT_FIELDS } from '@/lib/traces/light-run'
import type { Actor } from '../access/actor'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { callAny } from './call'
import { adoptTracesPace } from './traces-exchange'

// Which requests to a hosted tracing API are shared. Time is faked: runs are collected until a test says so.

const GATHER_MS = 40
const PACE = { limits: {}, patience: { waitMs: 1_000, backOffMs: 10 }, gatherMs: GATHER_MS }
let stub: StubUpstream
let other: StubUpstream
let home: TestConsole
let actor: Actor
let state: ReturnType<typeof adoptTracesPace>

const respond = ({ path, body }: Seen): Reply => {
  const ids = path === '/runs/query' ? (JSON.parse(body).id as string[] | undefined) : undefined
  if (path === '/runs/query') return { body: { runs: (ids ?? []).filter((id) => id !== 'gone').map((id) => ({ id })) } }
  return { body: path.startsWith('/sessions') ? [] : path === '/runs/stats' ? { run_count: 1 } : {} }
}
beforeAll(async () => {
  stub = await startStubUpstream()
  other = await startStubUpstream(respond)
  home = await testConsole()
  for (const [slug, url, apiKey] of [
    ['one', stub.url, 'key'],
    ['same', stub.url, 'key'],
    ['another-key', stub.url, 'key-2'],
    ['another-server', other.url, 'key'],
  ] as const)
    await insertWorkspace(
      NewWorkspace.parse({
        ...{ kind: 'control-plane', slug, name: slug, dialect: 'auto', allowedOrigins: [], keys: {} },
        ...{ baseUrl: 'http://127.0.0.1:9', traces: { url, apiKey } },
      }),
    )
  actor = await testActor({ '*': 'admin' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
  await other.stop()
  adoptTracesPace()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  state = adoptTracesPace(PACE)
  stub.respondWith(respond)
  stub.seen.length = 0
  other.seen.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

const ask = (op: Operation, input: object = {}, workspace = 'one') => callAny(op, { workspace, ...input }, { actor })
const bodies = () => stub.seen.map(({ body }) => JSON.parse(body))

describe('runs that are opened', () => {
  const open = (id: string, workspace?: string) => ask(traces.getTraceRun, { params: { run_id: id } }, workspace)
  /** Opens runs, and waits until so many are collected. */
  async function gather(ids: string[], collected = ids.length, workspaces = ['one']) {
    const all = ids.map((id, at) => open(id, workspaces[at % workspaces.length]))
    const size = () => [...state.gathered.values()].reduce((sum, one) => sum + one.ids.size, 0)
    while (size() !== collected) await new Promise(setImmediate)
    return all
  }
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `run ${from + n}`)
  const asked = () => bodies().map(({ id, limit }) => [id.length, limit])

  test('at about the same time are asked for together, at most twenty at once', async () => {
    const all = [...(await gather(names(0, 20))), ...(await gather(names(20, 25), 5))]
    vi.advanceTimersByTime(GATHER_MS)
    expect(await Promise.all(all)).toEqual(names(0, 25).map((id) => ({ id })))
    expect(asked()).toEqual([
      [20, 20],
      [5, 5],
    ])
    expect(bodies()[0].select).toEqual([...LIGHT_FIELDS, ...HEAVY_FIELDS])
  })

  test('when others are full are collected until their own time', async () => {
    const first = await gather(names(0, 20))
    vi.advanceTimersByTime(GATHER_MS - 10)
    const second = await gather(names(20, 21), 1)
    vi.advanceTimersByTime(10)
    await Promise.all(first)
    const third = await gather(names(21, 22), 2)
    vi.advanceTimersByTime(GATHER_MS - 10)
    expect(await Promise.all([...second, ...third])).toEqual([{ id: 'run 20' }, { id: 'run 21' }])
    expect(asked()).toEqual([
      [20, 20],
      [2, 2],
    ])
  })

  test('later are asked for again', async () => {
    for (let time = 1; time <= 2; time++) {
      const all = await gather(['a b'])
      vi.advanceTimersByTime(GATHER_MS)
      expect(await Promise.all(all)).toEqual([{ id: 'a b' }])
      expect(stub.seen).toHaveLength(time)
    }
  })

  test('of other keys and servers are asked for apart', async () => {
    const workspaces = ['one', 'same', 'another-key', 'another-server']
    const all = await gather(['a', 'b', 'c', 'd'], 4, workspaces)
    vi.advanceTimersByTime(GATHER_MS)
    await Promise.all(all)
    expect(bodies().map(({ id }) => id)).toEqual(expect.arrayContaining([expect.arrayContaining(['a', 'b']), ['c']]))
    expect(stub.seen.map(({ headers }) => headers['x-api-key']).sort()).toEqual(['key', 'key-2'])
    expect(other.seen).toHaveLength(1)
  })

  test('and are not stored any more are not found', async () => {
    const [gone = Promise.resolve()] = await gather(['gone'])
    vi.advanceTimersByTime(GATHER_MS)
    expect(await failure(gone)).toMatchObject({ code: 'not_found', view: { upstreamStatus: 404 } })
  })
})

describe('a response', () => {
  const totals = (session: string, workspace?: string) =>
    ask(traces.getTraceTotals, { body: { session: [session] } }, workspace)
  const projects = () => ask(traces.listTracingProjects)

  test.each([
    ['of totals', () => totals('a'), 30_000],
    ['of projects', projects, 60_000],
  ])('%s is shared for its time', async (_, read, ms) => {
    const first = await read()
    vi.advanceTimersByTime(ms - 1)
    expect(await read()).toEqual(first)
    expect(stub.seen).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await read()
    expect(stub.seen).toHaveLength(2)
  })

  test('is not shared with other keys, servers and questions', async () => {
    for (const workspace of ['one', 'same', 'another-key', 'another-server']) await totals('a', workspace)
    expect([stub.seen.length, other.seen.length]).toEqual([2, 1])
    await totals('b')
    await projects()
    expect(stub.seen).toHaveLength(4)
  })

  test('that failed is asked for again', async () => {
    stub.respondWith(() => ({ status: 500, body: '' }))
    expect(await failure(totals('a'))).toMatchObject({ code: 'upstream_failed' })
    stub.respondWith(respond)
    expect(await totals('a')).toMatchObject({ run_count: 1 })
  })

  test('to a query of runs is of that moment', async () => {
    for (let time = 0; time < 2; time++) await ask(traces.queryTraceRuns, { body: { id: ['a'] } })
    expect(stub.seen).toHaveLength(2)
  })

  test('that is not shared is not waited for by someone who leaves', async () => {
    const leaving = new AbortController()
    stub.respondWith(() => () => leaving.abort(new Error('left')))
    const input = { workspace: 'one', body: { id: ['a'] } }
    const asked = callAny(traces.queryTraceRuns, input, { actor, signal: leaving.signal })
    await expect(asked).rejects.toThrow('left')
  })

  test('is kept for at most five hundred questions', async () => {
    for (let n = 0; n < 499; n++)
      state.kept.set(`${n}`, { until: Date.now() + 1_000, response: Promise.resolve({ status: 200, value: {} }) })
    await totals('a')
    await totals('a')
    expect([stub.seen.length, state.kept.size]).toEqual([1, 500])
    await totals('b')
    expect([stub.seen.length, state.kept.size]).toEqual([2, 1])
  })
})

describe('a limit', () => {
  const query = (workspace?: string) => ask(traces.queryTraceRuns, { body: { id: ['a'] } }, workspace)

  test('is that of an operation, a key and a server', async () => {
    adoptTracesPace({ ...PACE, limits: { queryTraceRuns: { count: 1, windowMs: 60_000 } } })
    await query()
    await ask(traces.getTraceTotals, { body: {} })
    await query('another-key')
    await query('another-server')
    for (const workspace of ['one', 'same', 'another-key', 'another-server'])
      expect(await failure(query(workspace))).toMatchObject({ code: 'rate_limited' })
  })

  test('does not hold back what is written, which is sent as it is', async () => {
    adoptTracesPace({ ...PACE, limits: { createFeedback: { count: 1, windowMs: 60_000 } } })
    const body = { key: 'good', run_id: 'a', cost: 1, group_by: 'x', filter: 'eq(model, "m")', is_model: true }
    for (let time = 0; time < 2; time++) await ask(traces.createFeedback, { body })
    expect(bodies()).toEqual([body, body])
  })
})

test.each([
  ['filter', 'eq(finish_reason, "length")', 'finish reason'],
  ['trace_filter', 'eq(status, "cancelled")', 'the status cancelled'],
  ['tree_filter', 'gt(cached_share, 0.5)', 'cached share'],
])('what %s asks and a hosted server cannot filter by is refused', async (name, filter, what) => {
  const refused = await failure(ask(traces.queryTraceRuns, { body: { [name]: filter } }))
  expect(refused).toMatchObject({ code: 'unsupported', message: expect.stringContaining(`cannot filter by ${what}.`) })
  expect(stub.seen).toEqual([])
  await ask(traces.queryTraceRuns, { body: { [name]: 'eq(model, "m")', is_model: false } })
  await ask(traces.queryTraceRuns, { body: { [name]: null } })
  expect(bodies()).toEqual([{ [name]: expect.stringContaining('ls_model_name') }, { [name]: null }])
})
