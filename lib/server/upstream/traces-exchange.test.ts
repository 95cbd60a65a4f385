import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { traces } from '@/lib/contracts/traces'
import type { Actor } from '../access/actor'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { readTree } from '../resources/trace-tree'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from './call'
import { adoptTracesPace } from './traces-exchange'

// A hosted tracing API with time scaled to a tenth: /api/v1, its own key, no operation for trees, pages of 100 by cursor,
// and 429 with Retry-After beyond its rate limit.

const WINDOW_MS = 400
const RUNS = 450
const runs = Array.from({ length: RUNS }, (_, n) => ({ id: randomUUID(), name: `run ${n}`, run_type: 'llm' }))
let stub: StubUpstream
let home: TestConsole
let actor: Actor
let refused: string[] = []
let strict: Record<string, number> = {}
const times = new Map<string, number[]>()

const setPatience = (waitMs: number) =>
  adoptTracesPace({
    limits: { queryTraceRuns: { count: 3, windowMs: WINDOW_MS } },
    patience: { waitMs, backOffMs: 100 },
    gatherMs: 500,
  })
beforeAll(async () => {
  setPatience(5_000)
  stub = await startStubUpstream(({ path, headers, body }) => {
    if (headers['x-api-key'] !== 'reads' || headers['x-tenant-id'] !== 'tenant')
      return { status: 403, body: { error: 'Forbidden' } }
    const name = path.replace('/api/v1', '').split('?')[0] ?? ''
    const recent = (times.get(name) ?? []).filter((at) => at > Date.now() - WINDOW_MS + 20)
    if (recent.length >= (strict[name] ?? Number.POSITIVE_INFINITY)) {
      refused.push(name)
      return { status: 429, headers: { 'retry-after': '0.3' }, body: { detail: 'Rate limit exceeded' } }
    }
    times.set(name, [...recent, Date.now()])
    if (name === '/runs/query') {
      const asked = JSON.parse(body) as { id?: string[]; cursor?: string; limit: number }
      if (asked.id) return { body: { runs: runs.filter(({ id }) => asked.id?.includes(id)), cursors: { next: null } } }
      const from = Number(asked.cursor ?? 0)
      const next = from + asked.limit < RUNS ? String(from + asked.limit) : null
      return { body: { runs: runs.slice(from, from + asked.limit), cursors: { next } } }
    }
    if (name === '/runs/stats') return { body: { run_count: RUNS, total_cost: 0 } }
    return { status: 404, body: { detail: 'Not Found' } }
  })
  home = await testConsole()
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'hosted', name: 'Hosted', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: 'http://127.0.0.1:9', keys: { apiKey: 'control-plane-canary' } },
      traces: { url: `${stub.url}/api/v1`, apiKey: 'reads', tenantId: 'tenant' },
    }),
  )
  actor = await testActor({ hosted: 'viewer' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})
beforeEach(() => {
  stub.seen.length = 0
  refused = []
  strict = {}
  times.clear()
})

const asked = (path: string) => stub.seen.filter((one) => one.path.startsWith(`/api/v1${path}`)).length

test("a whole trace is read through the query within its rate limit, without the control plane's key", async () => {
  strict = { '/runs/query': 3 }
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await readTree({ workspace: 'hosted', trace: 't' }, cursor ? { cursor } : {}, { actor })
    found.push(...page.runs.map(({ id }) => id))
    cursor = page.next
  }
  expect(found).toEqual(runs.map(({ id }) => id))
  // The operation for trees is tried once, not once per page.
  expect([asked('/traces'), asked('/runs/query'), refused]).toEqual([1, 5, []])
  expect(JSON.stringify(stub.seen)).not.toContain('canary')
})

test('runs opened together share one request, and a deleted one is not found', async () => {
  const open = (id: string) => call(traces.getTraceRun, { workspace: 'hosted', params: { run_id: id } }, { actor })
  const some = runs.slice(0, 6).map(({ id }) => id)
  const gone = open(randomUUID()).catch((error: { code: string }) => error.code)
  expect((await Promise.all(some.map(open))).map(({ id }) => id)).toEqual(some)
  expect([await gone, asked('/runs/query'), stub.seen.length]).toEqual(['not_found', 1, 1])
})

test('requests refused with 429 are retried in turn after Retry-After, and equal requests share a response', async () => {
  strict = { '/runs/stats': 1 }
  const total = (session: string) =>
    call(traces.getTraceTotals, { workspace: 'hosted', body: { session: [session] } }, { actor })
  const began = Date.now()
  const all = await Promise.all(['a', 'b', 'a', 'a', 'c'].map(total))
  expect(all.map(({ run_count }) => run_count)).toEqual([RUNS, RUNS, RUNS, RUNS, RUNS])
  expect(Date.now() - began).toBeGreaterThan(300)
  // Three distinct requests; only a few were refused for coming too early.
  expect(asked('/runs/stats') - refused.length).toBe(3)
  expect(refused.length).toBeLessThanOrEqual(4)
  await total('a')
  expect(asked('/runs/stats') - refused.length).toBe(3)
})

test('requests to a hosted server leave out unsupported totals and filter models by logged metadata', async () => {
  const filter = 'eq(model, "m")'
  const body = { session: [randomUUID()], bucket_seconds: 60, model_usage: true, other_costs: true, filter }
  await call(traces.getTraceTotals, { workspace: 'hosted', body }, { actor })
  expect(JSON.parse(stub.seen[0]?.body ?? '')).toEqual({
    session: body.session,
    filter: String.raw`has(metadata, "{\"ls_model_name\":\"m\"}")`,
  })
})

test('what a hosted server cannot filter by is refused in words, and nothing is sent', async () => {
  const session = [randomUUID()]
  const ask = (body: object) =>
    call(traces.queryTraceRuns, { workspace: 'hosted', body: { session, ...body } }, { actor })
  await expect(ask({ tree_filter: 'eq(finish_reason, "length")', cost: { prices: [] } })).rejects.toMatchObject({
    ...{ code: 'unsupported', message: expect.stringContaining('cannot filter by cost, finish reason') },
  })
  expect(stub.seen).toEqual([])
  await call(traces.getTraceTotals, { workspace: 'hosted', body: { session, is_model: true } }, { actor })
  expect(JSON.parse(stub.seen[0]?.body ?? '')).toEqual({ session, run_type: 'llm' })
})

test('a request that would wait too long fails with the time to retry', async () => {
  strict = { '/runs/query': 0 }
  setPatience(200)
  const body = { session: [randomUUID()] }
  await expect(call(traces.queryTraceRuns, { workspace: 'hosted', body }, { actor })).rejects.toMatchObject({
    code: 'rate_limited',
    view: { retryAfterMs: expect.any(Number) },
  })
})
