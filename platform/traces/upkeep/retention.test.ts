import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { type Database, openDatabase } from '../../kernel/database'
import { removeRunsOf } from '../../kernel/projects'
import { sweepTraces } from './retention'

let database: Awaited<ReturnType<typeof testDatabase>>
let opened: Database
beforeAll(async () => {
  database = await testDatabase()
  opened = await openDatabase(database.url, () => {})
  await run(`create table sizes (size int)`)
  await run(`create function note_size() returns trigger language plpgsql as
    $$ begin insert into sizes select count(*) from gone; return null; end $$`)
  for (const table of ['trace_runs', 'trace_feedback'])
    await run(`create trigger note_size after delete on platform.${table}
      referencing old table as gone for each statement execute function note_size()`)
  await run(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'the power failed'; end $$`)
})
beforeEach(async () => {
  await run(`truncate platform.tracing_projects cascade`)
  await run(`truncate platform.trace_feedback`)
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const run = async (statement: string) => (await opened.db.execute(sql.raw(statement))).rows
const TRACES = { old: 7, small: 1, next: 3, new: 4 }
const traceId = (name: string) => `00000000-0000-0000-0000-${Buffer.from(name).toString('hex').padStart(12, '0')}`
/** Traces of so many runs each, with a payload of 10 bytes per run; only that named `new` is not weeks old. */
async function fill(): Promise<void> {
  await run(`insert into platform.tracing_projects (id, name) values ('${traceId('p')}', 'p')`)
  for (const [name, runs] of Object.entries(TRACES)) {
    const days = name === 'new' ? 1 : name === 'old' ? 40 : 30
    await run(`insert into platform.trace_runs (id, trace_id, project_id, start_time)
      select case n when 1 then '${traceId(name)}' else gen_random_uuid() end, '${traceId(name)}', '${traceId('p')}', now() - interval '${days} days'
      from generate_series(1, ${runs}) n`)
  }
  await run(`insert into platform.trace_payloads (run_id, inputs) select id, '0123456789' from platform.trace_runs`)
}
const left = async () => {
  const rows = await run(`select trace_id, count(*)::int as count, count(inputs)::int as payloads
    from platform.trace_runs join platform.trace_payloads on run_id = id group by trace_id`)
  const names = new Map(Object.keys(TRACES).map((name) => [traceId(name), name]))
  const counts = rows.map(
    (row) => [names.get(String(row.trace_id)), [Number(row.count), Number(row.payloads)]] as const,
  )
  return Object.fromEntries(counts) as Record<string, readonly [runs: number, payloads: number]>
}
/** How many rows each statement has removed since the last call. */
const sizes = async () => (await run('delete from sizes returning size')).map(({ size }) => size)
const KEEP = { maxAgeDays: 14, maxBytes: 1e12 }

test('expired traces go in portions; an interrupted sweep loses nothing else, and the next one goes on', async () => {
  await fill()
  await sizes()
  await run(`create trigger refuse before delete on platform.trace_runs for each row
    when (old.id = '${traceId('next')}') execute function refuse()`)
  await expect(sweepTraces(opened.db, KEEP, 2)).rejects.toThrow()
  await run(`drop trigger refuse on platform.trace_runs`)
  const first = await sizes()
  expect((await left()).new).toEqual([4, 4])
  const rest = Object.values(await left()).reduce((sum, [runs]) => sum + runs, 0) - 4
  expect(await sweepTraces(opened.db, KEEP, 2)).toBe(rest)
  expect(await left()).toEqual({ new: [4, 4] })
  const removed = [...first, ...(await sizes())].filter((size) => size !== 0)
  expect(removed.length).toBeGreaterThanOrEqual(6)
  expect(Math.max(...removed.map(Number))).toBe(2)
})

test('traces beyond the size of their project go in portions, oldest first', async () => {
  await fill()
  await sizes()
  expect(await sweepTraces(opened.db, { maxAgeDays: 365, maxBytes: 80 }, 3)).toBe(7)
  expect(await left()).toEqual({ small: [1, 1], next: [3, 3], new: [4, 4] })
  expect(await sizes()).toEqual([3, 3, 1, 0, 0])
})

test('feedback without a run goes in portions', async () => {
  await fill()
  await run(`insert into platform.trace_feedback (id, run_id, body, created_at)
    select gen_random_uuid(), gen_random_uuid(), '{}'::jsonb, now() - interval '2 days' from generate_series(1, 5)
    union all select gen_random_uuid(), '${traceId('new')}', '{}', now() - interval '2 days'`)
  await sizes()
  await sweepTraces(opened.db, { maxAgeDays: 365, maxBytes: 1e12 }, 2)
  expect(await sizes()).toEqual([2, 2, 1, 0])
  expect(await run(`select run_id from platform.trace_feedback`)).toEqual([{ run_id: traceId('new') }])
})

test('the runs of a project that is removed go in portions', async () => {
  await fill()
  await sizes()
  await removeRunsOf(opened.db, sql`select id from platform.tracing_projects where name = 'other'`, 4)
  expect(await sizes()).toEqual([0])
  await removeRunsOf(opened.db, sql`select id from platform.tracing_projects where name = 'p'`, 4)
  expect(await sizes()).toEqual([4, 4, 4, 3, 0])
})
