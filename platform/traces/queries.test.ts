import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '@/lib/json/lossless'
import { filterText } from '@/lib/traces/filter'
import { lightRun } from '@/lib/traces/light-run'
import { TraceTree } from '@/lib/traces/tree'
import { INTAKE_LIMITS, Intake } from './intake'
import { runsStatement, treeStatement } from './queries'
import type { RunStore } from './run-store'
import { child, createTracesFixture, run, START, type TracesFixture } from './testing'
import { otherCostsStatement, totalsStatement, usageStatement } from './totals'
import { sweepTraces } from './upkeep/retention'

type Run = ReturnType<typeof run>
let traces: TracesFixture
let project: { id: string }
const NAMES = ['alpha', 'beta', 'gamma']
let roots: Run[]

beforeAll(async () => {
  traces = await createTracesFixture()
  const all: Run[] = []
  roots = Array.from({ length: 30 }, (_, n) => {
    const root = run(
      {
        name: NAMES[n % 3],
        tags: n % 2 ? ['odd'] : ['even', 'round'],
        extra: { metadata: { team: `t${n % 5}`, nested: { n }, thread_id: `thread-${n % 4}` } },
        inputs: { question: n === 7 ? 'Where is the Zebra-fish?' : `number ${n}` },
        end_time: START + n * 60_000 + (n + 1) * 100,
        ...(n % 10 === 9 && { error: 'Timeout: too slow' }),
        ...(n === 29 && { end_time: null, error: null }),
      },
      n * 60_000,
    )
    const usage = {
      ...{ input_tokens: n, output_tokens: 1, ...(n === 3 && { total_cost: '0.5' }) },
      ...(n === 5 && { input_token_details: { cache_read: 99 }, output_token_details: { reasoning: 1 } }),
    }
    const llm = child(
      root,
      {
        name: 'model',
        run_type: 'llm',
        outputs: { content: 'x', usage_metadata: usage },
        events: [{ name: 'new_token', time: START + n * 60_000 + 51 }],
        end_time: START + n * 60_000 + 80,
        extra: { metadata: { ls_model_name: `m${n % 2}`, ls_provider: 'p', usage_metadata: usage } },
      },
      n * 60_000 + 1,
    )
    all.push(root, llm, child(llm, { name: 'leaf', run_type: 'tool' }, n * 60_000 + 2))
    return root
  })
  for (const some of [all.slice(0, 45), all.slice(45)])
    expect((await traces.post('/runs/batch', { post: some })).status).toBe(202)
  project = await traces.project('tests')
}, 60_000)
afterAll(() => traces?.close(), 30_000)

const ask = async (fields: Record<string, unknown>) =>
  (await traces.post('/runs/query', { session: [project.id], is_root: true, ...fields })).body
/** The numbers of the found roots, ascending. */
const found = async (fields: Record<string, unknown>): Promise<number[]> =>
  (await ask(fields)).runs
    .map((one: Run) => roots.findIndex(({ id }) => id === one.id))
    .sort((a: number, b: number) => a - b)
const those = (is: (n: number) => boolean) => roots.flatMap((_, n) => (is(n) ? [n] : []))

describe('runs are found by', () => {
  test.each<[string, Parameters<typeof filterText>[0], (n: number) => boolean]>([
    ['status', { status: 'error' }, (n) => n % 10 === 9 && n !== 29],
    ['status pending', { status: 'pending' }, (n) => n === 29],
    ['name', { name: 'BET' }, (n) => n % 3 === 1],
    ['tag', { tag: 'round' }, (n) => n % 2 === 0],
    ['metadata', { metadata: { team: 't3' } }, (n) => n % 5 === 3],
    ['text, by its beginning', { text: 'zebra fi' }, (n) => n === 7],
    ['text of an error', { text: 'timeout' }, (n) => n % 10 === 9 && n !== 29],
    ['latency', { minLatency: 0.99, maxLatency: 1.5 }, (n) => n >= 9 && n <= 14],
    [
      'time',
      { after: new Date(START + 600_000).toISOString(), before: new Date(START + 900_000).toISOString() },
      (n) => n >= 10 && n < 15,
    ],
    [
      'several together',
      { name: 'alpha', tag: 'odd', metadata: { team: 't4' } },
      (n) => n % 3 === 0 && n % 2 === 1 && n % 5 === 4,
    ],
    ['type', { runType: 'llm' }, () => false],
  ])('%s', async (_, asked, is) => {
    expect(await found({ filter: filterText(asked) })).toEqual(those(is))
  })

  test('model, provider and tokens, which only model runs have', async () => {
    const filter = filterText({ model: 'm1', provider: 'p', minTokens: 21 })
    const { runs } = await ask({ is_root: undefined, run_type: 'llm', filter })
    expect(runs.map((one: { total_tokens: number }) => one.total_tokens)).toEqual([30, 28, 26, 24, 22])
  })

  test('a run without an end tells when its trace was logged last, as its tree does', async () => {
    const id = roots[29]?.id
    const { runs } = (await traces.get(`/traces/${id}/runs`)).body
    const tree = new TraceTree()
    tree.add(runs.map(lightRun))
    const [found, ended] = (await ask({ id: [id, roots[28]?.id] })).runs
    expect(Date.parse(found.last_time)).toBe(tree.end)
    expect(tree.end).toBeGreaterThan(tree.start)
    expect(ended.last_time).toBeUndefined()
  })

  test('the fields of the query itself', async () => {
    expect(await found({ error: true })).toEqual([9, 19])
    expect(await found({ query: 'zebra' })).toEqual([7])
    expect(await found({ id: [roots[3]?.id, roots[5]?.id] })).toEqual([3, 5])
    expect(await found({ start_time: new Date(START + 27 * 60_000).toISOString() })).toEqual([27, 28, 29])
    expect(await found({ tree_filter: 'and(eq(run_type, "llm"), gt(total_tokens, 28))' })).toEqual([28, 29])
    expect((await ask({ is_root: undefined, trace: roots[4]?.id })).runs).toHaveLength(3)
    expect((await ask({ is_root: undefined, parent_run: roots[4]?.id })).runs).toMatchObject([{ name: 'model' }])
    expect(await found({ filter: 'or(eq(name, "none"), not(neq(thread_id, "thread-1")), in(id, []))' })).toEqual(
      those((n) => n % 4 === 1),
    )
  })

  test.each([
    ['eq(name, "a"'],
    ['eq(nothing, 1)'],
    ['eq(start_time, "soon")'],
    ['eq(latency, "slow")'],
    ['eq(id, "1")'],
    ['has(metadata, "[")'],
    ["eq(name, 'a') or true"],
    ['drop(name, 1)'],
    ['"'.repeat(3)],
    [`${'not('.repeat(50)}eq(name, "a")${')'.repeat(50)}`],
    ['eq(name, "\u0000")'],
  ])('%s is refused by name', async (filter) => {
    const { status, body } = await traces.post('/runs/query', { filter })
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'filter']])
  })

  test('quotes and patterns in a text are taken literally', async () => {
    expect(await found({ filter: filterText({ tag: `x'] or true; --"\\` }) })).toEqual([])
    expect((await traces.post('/runs/query', { cursor: 'x' })).status).toBe(422)
    expect((await traces.post('/runs/query', { session: ['x'] })).status).toBe(422)
  })
})

test.each(['asc', 'desc'])('pages %s hold every run once, in order', async (order) => {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: { runs: Run[]; cursors: { next: string | null } } = await ask({ limit: 7, order, cursor })
    seen.push(...page.runs.map((one) => one.id))
    cursor = page.cursors.next
  } while (cursor)
  const ids = roots.map(({ id }) => id)
  expect(seen).toEqual(order === 'asc' ? ids : ids.reverse())
})

test('a tree is returned in order, page by page; a root shows the totals of its trace', async () => {
  const [root] = roots.slice(12)
  const id = root?.id
  const whole = (await traces.get(`/traces/${id}/runs`)).body.runs
  expect(whole.map((one: Run) => one.name)).toEqual([root?.name, 'model', 'leaf'])
  expect(whole[1]).not.toHaveProperty('inputs')
  const first = (await traces.get(`/traces/${id}/runs?limit=2`)).body
  const second = (await traces.get(`/traces/${id}/runs?limit=2&cursor=${first.cursors.next}`)).body
  expect([...first.runs, ...second.runs]).toEqual(whole)
  expect(second.cursors.next).toBeNull()
  expect((await traces.get(`/runs/${id}`)).body).toMatchObject({ total_tokens: 13, model: 'm0', first_token: 0.050999 })
  expect((await traces.get('/traces/x/runs')).status).toBe(422)
})

test('a tree of 130 levels is paged by a cursor that fits into a URL', async () => {
  const chain = [run({ session_name: 'deep' })]
  for (let n = 1; n < 130; n++) chain.push(child(chain[n - 1] as (typeof chain)[0], { session_name: 'deep' }, n))
  await traces.post('/runs/batch', { post: chain })
  const path = `/traces/${chain[0]?.id}/runs?limit=100`
  const first = (await traces.get(path)).body
  expect(first.cursors.next.length).toBeLessThan(200)
  const rest = (await traces.get(`${path}&cursor=${first.cursors.next}`)).body
  expect([...first.runs, ...rest.runs].map((one: Run) => one.id)).toEqual(chain.map(({ id }) => id))
})

test('totals over time: errors, percentiles, tokens of models only, and known costs', async () => {
  const { body } = await traces.post('/runs/stats', { session: [project.id], is_root: true })
  expect(body).toMatchObject({
    run_count: 30,
    error_count: 2,
    total_tokens: null,
    total_cost: null,
    first_token_p50: null,
  })
  expect(body.latency_p50).toBeCloseTo(1.5, 3)
  const all = (await traces.post('/runs/stats', { session: [project.id], bucket_seconds: 600 })).body
  expect(all).toMatchObject({
    run_count: 90,
    prompt_tokens: 435,
    completion_tokens: 30,
    total_tokens: 465,
    total_cost: '0.5',
  })
  expect(all.first_token_p50).toBeCloseTo(0.05, 3)
  expect(all.buckets.map((one: { start_time: string; run_count: number }) => [one.start_time, one.run_count])).toEqual([
    ['2026-01-01T00:00:00Z', 30],
    ['2026-01-01T00:10:00Z', 30],
    ['2026-01-01T00:20:00Z', 30],
  ])
  const [usage] = (
    await traces.post('/runs/stats', { session: [project.id], bucket_seconds: 600, model_usage: true })
  ).body.model_usage.filter((one: Run) => one.model === 'm1' && String(one.start_time).includes('T00:00'))
  // Of runs 1, 3, 5, 7 and 9; the third has a cost. Cached tokens never exceed the total.
  expect(usage).toEqual({
    ...{ start_time: '2026-01-01T00:00:00Z', model: 'm1', provider: 'p', day: '2026-01-01', run_count: 4 },
    ...{ prompt_tokens: 22, completion_tokens: 4, cache_read_tokens: 5, reasoning_tokens: 1 },
    ...{ cache_write_tokens: 0, cache_write_1h_tokens: 0 },
  })
  const failed = { session: [project.id], run_type: 'llm', trace_filter: 'eq(status, "error")' }
  expect((await traces.post('/runs/stats', failed)).body).toMatchObject({ run_count: 2, error_count: 0 })
  const none = (await traces.post('/runs/stats', { session: [project.id], filter: 'eq(name, "nobody")' })).body
  expect(none).toMatchObject({ run_count: 0, error_rate: null, latency_p50: null, total_cost: null })
})

test('totals include the costs of tools and services, not the copies in chains', async () => {
  const root = run({
    name: 'paid',
    session_name: 'paid',
    extra: { metadata: { usage_metadata: { total_cost: 9, input_tokens: 5 } } },
  })
  const paid = (run_type: string, usage_metadata: object, n: number) =>
    child(root, { run_type, session_name: 'paid', outputs: { usage_metadata } }, n)
  const post = [
    root,
    paid('llm', { input_tokens: 5, output_tokens: 1, total_cost: 1 }, 1),
    paid('tool', { total_cost: 0.25 }, 2),
    paid('tool', { input_tokens: 5, output_tokens: 1, total_cost: 1 }, 3),
    paid('embedding', { input_tokens: 80, total_cost: 0.5 }, 4),
  ]
  expect((await traces.post('/runs/batch', { post })).status).toBe(202)
  const session = [(await traces.project('paid')).id]
  const other_costs = [{ start_time: '2026-01-01T00:00:00Z', run_count: 1, total_cost: '0.25' }]
  const asked = { session, bucket_seconds: 60, other_costs: true }
  for (const [total_cost, more] of [
    ['1.5', {}],
    ['1.5', { is_model: true }],
    ['1', { run_type: 'llm' }],
  ] as const)
    expect((await traces.post('/runs/stats', { ...asked, ...more })).body).toMatchObject({ total_cost, other_costs })
  expect((await traces.post('/runs/stats', { ...asked, run_type: 'chain' })).body.other_costs).toEqual([])
  const [listed] = await traces.runs('paid', { is_root: true })
  expect(listed).toMatchObject({ total_cost: '1.75', total_tokens: 86, prompt_tokens: 85 })
})

test('the cost of a chain counts if nothing below it calls a model or costs', async () => {
  const cost = (total_cost: number) => ({ metadata: { usage_metadata: { total_cost } } })
  const alone = run({ session_name: 'chains', extra: cost(2) })
  const copies = run({ session_name: 'chains', extra: cost(9) })
  const step = child(copies, { session_name: 'chains', run_type: 'chain' }, 1)
  const paid = child(step, { session_name: 'chains', run_type: 'prompt', extra: cost(0.5) }, 2)
  const called = run({ session_name: 'chains', extra: cost(9) })
  const model = child(called, { session_name: 'chains', run_type: 'llm', extra: cost(1) }, 3)
  expect((await traces.post('/runs/batch', { post: [alone, copies, step, paid, called, model] })).status).toBe(202)
  const listed = await traces.runs('chains', { is_root: true })
  const costs = new Map(listed.map(({ id, total_cost }) => [id, total_cost]))
  expect([alone, copies, called].map(({ id }) => costs.get(id))).toEqual(['2', '0.5', '1'])
  const session = [(await traces.project('chains')).id]
  const { body } = await traces.post('/runs/stats', { session, other_costs: true })
  expect(body).toMatchObject({ total_cost: '1', other_costs: [{ run_count: 2, total_cost: '2.5' }] })
  const { body: grouped } = await traces.post('/runs/stats', { session, is_root: true, group_by: 'name' })
  expect(grouped.groups.reduce((sum: number, one: { total_cost: string }) => sum + Number(one.total_cost), 0)).toBe(3.5)
  // The filter finds by the figure of the list, and the tree of the page has the same one.
  const found = async (cost: object) =>
    (await traces.runs('chains', { is_root: true, cost: { ...cost, prices: [] } })).map(({ id }) => id).sort()
  expect(await found({ min: 1.5 })).toEqual([alone.id])
  expect(await found({ min: 0.4, max: 1 })).toEqual([copies.id, called.id].sort())
  for (const root of [alone, copies, called]) {
    const tree = new TraceTree()
    tree.add((await traces.get(`/traces/${root.id}/runs?limit=100`)).body.runs.map(lightRun))
    expect(String(tree.sums.logged)).toBe(costs.get(root.id))
  }
})

test('projects can be created, listed, renamed and removed with their runs, unless a deployment logs to them', async () => {
  const { body: made } = await traces.post('/sessions', { name: 'mine' })
  expect((await traces.post('/sessions', { name: 'mine' })).status).toBe(409)
  const one = run({ session_name: undefined, session_id: made.id })
  await traces.post('/runs', one)
  expect((await traces.get('/sessions?name_contains=MIN')).body).toMatchObject([
    { id: made.id, last_run_start_time: expect.stringContaining('2026') },
  ])
  expect((await traces.send('PATCH', `/sessions/${made.id}`, { name: 'tests' })).status).toBe(409)
  expect((await traces.send('PATCH', `/sessions/${made.id}`, { name: 'ours' })).body.name).toBe('ours')
  expect((await traces.send('DELETE', `/sessions/${made.id}`)).status).toBe(204)
  expect((await traces.get(`/runs/${one.id}`)).status).toBe(404)
  expect((await traces.get(`/sessions/${made.id}`)).status).toBe(404)
})

test('a project keeps its extra fields as they were sent, with the deployment that logs to it', async () => {
  const odd = '"id":12345678901234567890,"large":1e400000,"text":"\\u0000\\ud800"'
  const given = `{"name":"kept","description":"a\\u0000b","extra":{${odd},"deployment_id":"x"}}`
  const { status, text, body: made } = await traces.send('POST', '/sessions', given)
  expect([status, made.description, made.extra.deployment_id]).toEqual([200, 'a\ufffdb', null])
  expect(text).toContain(odd)
  expect((await traces.get(`/sessions?name=kept`)).text).toContain(odd)
  expect((await traces.get(`/sessions/${made.id}`)).text).toContain(odd)
  const cleared = await traces.send('PATCH', `/sessions/${made.id}`, { description: '', extra: {} })
  expect(cleared.body).toMatchObject({ description: '', extra: { deployment_id: null } })
  expect(cleared.text).not.toContain('large')
  expect((await traces.send('PATCH', `/sessions/${made.id}`, { end_time: 'soon' })).status).toBe(422)
  const nested = (levels: number) => `{"extra":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
  expect((await traces.send('PATCH', `/sessions/${made.id}`, nested(509))).status).toBe(200)
  expect((await traces.send('PATCH', `/sessions/${made.id}`, nested(510))).status).toBe(422)
  const { text: list } = await traces.get('/sessions?name=kept')
  expect(() => parseJson(list)).not.toThrow()
})

/** The platform's store, with planner statistics as for many runs. */
async function withDatabase<T>(work: (db: ReturnType<typeof drizzle>, client: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: traces.fixture.database.url, max: 1 })
  try {
    return await work(drizzle(pool), pool)
  } finally {
    await pool.end()
  }
}

test('lists, errors, trees and searches use their indexes', async () => {
  await withDatabase(async (_, pool) => {
    await pool.query(`delete from platform.tracing_projects where name in ('filler', 'more')`) // left by a first try
    await pool.query(`with other as (insert into platform.tracing_projects (name) values ('filler'), ('more') returning id)
      insert into platform.trace_runs (id, trace_id, project_id, start_time, dotted_order, name, error, metadata, tags)
      select gen_random_uuid(), md5((n / 50)::text)::uuid, other.id, '2025-01-01'::timestamptz + n * interval '1 minute', 'x' || n, 'filler', case when n % 100 = 0 then 'bad' end,
        jsonb_build_object('n', n), array['t' || n] from generate_series(1, 3000) n, other`)
    await pool.query('analyze platform.trace_runs')
    const plan = async (statement: SQL) => {
      const { sql: text, params } = new PgDialect().sqlToQuery(statement)
      const { rows } = await pool.query(`explain (format text) ${text}`, params as unknown[])
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    const session = [project.id]
    expect(await plan(runsStatement({ session, is_root: true, limit: 50 }))).toMatch(
      /Index Scan.* (using|on) trace_runs_(roots|newest)/,
    )
    expect(await plan(runsStatement({ session, error: true }))).toMatch(/trace_runs_errors/)
    expect(await plan(runsStatement({ session, limit: 50, cursor: (await ask({ limit: 1 })).cursors.next }))).toMatch(
      /Index Scan.* using trace_runs_newest/,
    )
    expect(await plan(runsStatement({ filter: 'has(metadata, \'{"n": 5}\')' }))).toMatch(/trace_runs_metadata/)
    expect(await plan(runsStatement({ filter: 'has(tags, "t5")' }))).toMatch(/trace_runs_tags/)
    // So few rows are as fast without an index, so this only checks that it can be used.
    await pool.query('set enable_seqscan = off')
    await pool.query('vacuum analyze platform.trace_runs')
    await pool.query('set enable_bitmapscan = off')
    const mine = [sql`project_id = ${project.id}::uuid`]
    expect(await plan(totalsStatement(mine, 600))).toMatch(/Index Only Scan.* using trace_runs_totals/)
    expect(await plan(usageStatement(mine, 600))).toMatch(/Index Only Scan.* using trace_runs_usage/)
    expect(await plan(otherCostsStatement(mine, 600))).toMatch(/Index Scan.* using trace_runs_other_costs/)
    await pool.query('set enable_bitmapscan = on')
    expect(await plan(runsStatement({ query: 'zebra' }))).toMatch(/trace_runs_words/)
    expect(await plan(treeStatement(roots[0]?.id ?? '', { limit: 10 }))).toMatch(/trace_runs_tree/)
    await pool.query(`delete from platform.tracing_projects where name in ('filler', 'more')`)
  })
})

test('retention removes whole traces by age and by size, oldest first', async () => {
  await withDatabase(async (db) => {
    const keep = { maxAgeDays: 36_500, maxBytes: 1e12 }
    const sweep = (fields: object) => sweepTraces(db as never, { ...keep, ...fields })
    expect(await sweep({})).toBe(0)
    const days = Math.floor((Date.now() - START) / 86_400_000)
    expect(await sweep({ maxAgeDays: Math.max(1, days + 2) })).toBe(0)
    const { rows } = await db.execute(`select sum(bytes) as bytes from platform.trace_payloads`)
    const removed = await sweep({ maxBytes: Math.floor(Number(rows[0]?.bytes) / 2) })
    expect(removed).toBeGreaterThan(30)
    expect(removed % 3).toBe(0)
    const left = await found({})
    expect(left).toEqual(those((n) => n >= 30 - left.length))
    const said = [randomUUID(), roots[29]?.id ?? ''].map((run_id) => ({ id: randomUUID(), run_id, key: 'good' }))
    for (const one of said) expect((await traces.post('/feedback', one)).status).toBe(202)
    await db.execute(`update platform.trace_feedback set created_at = now() - interval '2 days'`)
    await sweep({})
    const { rows: kept } = await db.execute(`select id from platform.trace_feedback`)
    expect(kept).toEqual([{ id: said[1]?.id }])
    expect(await sweep({ maxAgeDays: 0 })).toBeGreaterThan(0)
    expect(await found({})).toEqual([])
  })
})

test('a request over the concurrency limit is a 429, one over the size limit a 413', async () => {
  let release = () => {}
  const written: number[] = []
  const store = {
    write: () =>
      new Promise<void>(
        (resolve) =>
          (release = () => {
            written.push(1)
            resolve()
          }),
      ),
  } as unknown as RunStore
  const intake = new Intake(store, { ...INTAKE_LIMITS, maxActive: 1, maxBytes: 1000 })
  const request = (text: string) =>
    Object.assign(Readable.from([Buffer.from(text)]), { headers: {} }) as unknown as IncomingMessage
  const first = intake.batch(request('{}'))
  expect(await intake.batch(request('{}'))).toMatchObject({ status: 429, retryAfterS: 1 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  release()
  expect((await first).status).toBe(202)
  const large = intake.batch(request(' '.repeat(1001)))
  await new Promise((resolve) => setTimeout(resolve, 20))
  release()
  expect((await large).status).toBe(413)
  expect(written).toHaveLength(2)
})
