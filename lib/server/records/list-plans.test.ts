import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { systemActor } from '../access/actor'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { recordedCounts, recordedRows } from './recorded-runs'
import { listRecordings } from './recordings'

// Lists of recordings read a page of an index, however many recordings there are.

const actor = systemActor('test')
let home: TestConsole
beforeAll(async () => {
  home = await testConsole()
  const store = await db()
  await store.execute(sql`insert into console.recordings
    (id, workspace, deployment, thread, run, assistant, phase, outcome, started_by, started_at, ended_at, request, is_stateless, is_resumable)
    select gen_random_uuid(), 'default', 'deployment-' || (n % 7), 'thread-' || (n / 4), 'run-' || n, 'agent', 'ended',
      case when n % 50 = 0 then 'error' when n % 1000 = 1 then 'waiting' else 'success' end,
      'ada@example.com', now() - n * interval '1 second', now(), '{}', false, true from generate_series(1, 100000) as n`)
  await store.execute(sql`analyze console.recordings`)
}, 60_000)
afterEach(() => vi.restoreAllMocks())
afterAll(() => home.close())

type Plan = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Rows of tables that the statements of `work` read. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const pool = (await db()).$client
  const spy = vi.spyOn(pool, 'query')
  await work()
  const asked = spy.mock.calls.map(([query, values]) => ({ text: (query as unknown as { text: string }).text, values }))
  spy.mockRestore()
  let read = 0
  for (const { text, values } of asked.filter((one) => one.text.includes('"recordings"'))) {
    const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values as unknown as unknown[])
    for (const node of nodesOf(rows[0]['QUERY PLAN'][0].Plan))
      if (node['Node Type'].includes('Scan'))
        read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  }
  return read
}
const listed = async (filter: object) => {
  let length = 0
  const read = await rowsRead(async () => {
    length = (await listRecordings(actor, { workspace: 'default', limit: 26, ...filter })).items.length
  })
  return { length, read }
}

test('a page of recordings reads about as many rows as it shows, whatever page it is', async () => {
  for (const filter of [{}, { deploymentId: 'deployment-3' }, { thread: 'thread-77' }, { run: 'run-5' }]) {
    const { length, read } = await listed(filter)
    expect(length).toBeGreaterThan(0)
    expect(read, JSON.stringify(filter)).toBeLessThan(200)
  }
  let after: string | undefined
  for (let page = 0; page < 20; page += 1)
    after = (await listRecordings(actor, { workspace: 'default', limit: 200, after })).next ?? undefined
  expect(await listed({ after })).toMatchObject({ length: 26 })
  expect((await listed({ after })).read).toBeLessThan(200)
})

test('a page of one outcome reads no more than needed to find its rows', async () => {
  expect((await listed({ outcome: 'error' })).read).toBeLessThan(2_000)
})

test('a page of the list of runs reads as little', async () => {
  const rows = async (filter: object, after?: { at: number; id: string }) =>
    await rowsRead(() => recordedRows(actor, 'default', filter, { after, limit: 26 }))
  expect(await rows({})).toBeLessThan(200)
  expect(await rows({ deployment: 'deployment-3' })).toBeLessThan(200)
  expect(await rows({}, { at: Date.now() - 50_000_000, id: 'zzz' })).toBeLessThan(200)
  expect(await rows({ status: 'failed' })).toBeLessThan(2_000)
  expect(await rows({ status: 'success' })).toBeLessThan(200)
})

test('a histogram reads the recordings of its span only, in one statement', async () => {
  const since = Date.now() - 3_600_000
  let runs = 0
  const read = await rowsRead(async () => {
    const counts = await recordedCounts(actor, 'default', { since }, { first: since, step: 60 })
    runs = counts.reduce((sum, one) => sum + one.runs, 0)
  })
  expect(runs).toBeGreaterThan(3_000)
  expect(read).toBeLessThan(5_000)
})

test('pages are complete and in order where many runs started in the same millisecond', async () => {
  const store = await db()
  await store.execute(sql`insert into console.recordings
    (id, workspace, deployment, assistant, phase, started_by, started_at, request, is_stateless, is_resumable)
    select gen_random_uuid(), 'same', 'd', 'agent', 'ended', 'ada', '2026-01-01T00:00:00.123456Z', '{}', false, true
    from generate_series(1, 25)`)
  const seen: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await listRecordings(actor, { workspace: 'same', limit: 10, after })
    seen.push(...page.items.map(({ id }) => id))
    if (!page.next) break
    after = page.next
  }
  expect(seen).toEqual([...seen].sort().reverse())
  expect(new Set(seen).size).toBe(25)
})
