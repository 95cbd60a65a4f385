import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../agent-server/persistence/migrations'
import { agentSchemaName } from '../../kernel/agent-database'
import { sweepRuns } from '../../kernel/run-retention'
import * as schema from '../../kernel/schema'
import { conformance, refusedFields } from './testing'

const it = conformance()
const limits = async () => (await it.call('getRetention')).body

test('traces are kept for two weeks and runs for good, until an update; what is left out stays', async () => {
  expect(await limits()).toEqual({
    traces: {
      ...{ max_age_days: 14, max_bytes: 512_000_000, count: 0, bytes: 0, largest: null, is_fixed: false },
      disk_bytes: expect.any(Number),
    },
    runs: { max_age_days: null, max_bytes: null, count: 0, bytes: 0, disk_bytes: 0, largest: null, is_fixed: false },
  })
  const update = (body: object) => it.call('updateRetention', { body })
  const { status, body } = await update({ runs: { max_age_days: 30, max_bytes: 5_000_000 } })
  expect([status, body.runs.max_age_days, body.runs.max_bytes, body.traces.max_age_days]).toEqual([
    200, 30, 5_000_000, 14,
  ])
  await update({ traces: { max_age_days: 7, max_bytes: 1_000_000 } })
  expect(await limits()).toMatchObject({
    traces: { max_age_days: 7, max_bytes: 1_000_000 },
    runs: { max_age_days: 30, max_bytes: 5_000_000 },
  })
  expect(
    refusedFields(
      await update({
        traces: { max_age_days: 0, max_bytes: null },
        runs: { max_age_days: 1.5, max_bytes: 1 },
        more: 1,
      }),
    ),
  ).toEqual([
    expect.stringMatching(/^body\.traces\.max_age_days: /),
    expect.stringMatching(/^body\.traces\.max_bytes: /),
    expect.stringMatching(/^body\.runs\.max_age_days: /),
    expect.stringMatching(/^body\.runs\.max_bytes: /),
    'body.more: extra_forbidden',
  ])
})

test('limits of traces that the operator has set are told, and refused to change', async () => {
  const restart = async (changed = {}) => {
    await it.fixture.platform.stop()
    await it.fixture.start(changed)
  }
  await restart({ traceRetention: { maxAgeDays: 3 } })
  expect((await limits()).traces).toMatchObject({ max_age_days: 3, is_fixed: true })
  const refused = await it.call('updateRetention', { body: { traces: { max_age_days: 7, max_bytes: 1_000_000 } } })
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('PILOTHOUSE_TRACE_DAYS') } })
  await restart()
})

test('rows of ended runs are counted and removed by age and size; threads and what must be answered stay', async () => {
  const id = await it.park('with-runs')
  const other = await it.park('never-started')
  const client = new pg.Client(it.fixture.database.url)
  await client.connect()
  const own = agentSchemaName(id)
  // The platform may be making it at this moment, which "if not exists" does not wait for.
  await client.query(`create schema if not exists ${own}`).catch((error: { code?: string }) => {
    if (error.code !== '23505') throw error
  })
  await client.query(`set search_path to ${own}`)
  await client.query(MIGRATIONS[0] ?? '') // makes threads and runs
  const add = async (run: string, thread: string, status: string, days: number, kilobytes = 0, resting = 'idle') => {
    await client.query(
      'insert into threads (thread_id, status) values ($1, $2) on conflict (thread_id) do update set status = $2',
      [thread, resting],
    )
    await client.query(
      `insert into runs (run_id, thread_id, assistant_id, graph_id, status, metadata, kwargs, plan, multitask_strategy,
         is_resumable, creator, created_at, updated_at)
       values ($1, $2, 'a', 'g', $3, '{}', $4, '{}', 'enqueue', false, 1, now() - make_interval(days => $5), now() - make_interval(days => $5))`,
      [run, thread, status, JSON.stringify({ text: noise(kilobytes) }), days],
    )
  }
  await add('old', 't1', 'success', 40)
  await add('asked-before', 't2', 'interrupted', 50)
  await add('asked', 't2', 'interrupted', 40, 0, 'interrupted')
  await add('hangs', 't3', 'running', 40, 0, 'busy')
  await add('large', 't4', 'success', 2, 300)
  await add('new', 't4', 'success', 1, 300)
  const { runs } = await limits()
  expect(runs).toMatchObject({ count: 6, largest: { name: 'with-runs' } })
  expect(runs.bytes).toBeGreaterThan(600_000)
  expect(runs.disk_bytes).toBeGreaterThan(runs.bytes)
  expect(runs.largest.recent_bytes).toBeGreaterThan(600_000)
  expect(runs.largest.recent_days).toBe(7)

  const pool = new pg.Pool({ connectionString: it.fixture.database.url, max: 1 })
  pool.on('connect', (one) => one.on('error', () => {})) // it is ended before its socket is closed
  const db = drizzle(pool, { schema })
  const all = [id, other].map((one) => ({ id: one, name: one }))
  const left = async () => (await client.query('select run_id from runs order by seq')).rows.map((row) => row.run_id)
  expect(await sweepRuns(db, all, { maxAgeDays: null, maxBytes: null })).toBe(0)
  expect(await sweepRuns(db, all, { maxAgeDays: 30, maxBytes: null })).toBe(2)
  expect(await left()).toEqual(['asked', 'hangs', 'large', 'new'])
  expect(await sweepRuns(db, all, { maxAgeDays: 30, maxBytes: 400_000 })).toBe(1)
  expect(await left()).toEqual(['asked', 'hangs', 'new'])
  expect((await client.query('select count(*)::int as count from threads')).rows[0].count).toBe(4)
  await pool.end()
  await client.end()
})

/** Text that does not compress. */
const noise = (kilobytes: number) =>
  Array.from({ length: kilobytes * 100 }, () => Math.random().toString(36).slice(2, 12).padEnd(10, 'x')).join('')
