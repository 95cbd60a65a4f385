import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { type Database, openDatabase } from '../../kernel/database'
import { rebuildIndexes } from './indexes'

let database: Awaited<ReturnType<typeof testDatabase>>
let opened: Database
beforeAll(async () => {
  database = await testDatabase()
  opened = await openDatabase(database.url, () => {})
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const run = async (text: string) => (await opened.db.execute(sql.raw(text))).rows
const sizeOf = async (index: string) =>
  Number((await run(`select pg_relation_size('platform.${index}') as bytes`))[0]?.bytes)
/** As retention leaves it: other runs, whose words nobody else has. */
async function replaceRuns(): Promise<void> {
  await run('delete from platform.trace_runs')
  await run(`insert into platform.trace_runs (id, name, input_text, metadata)
    select gen_random_uuid(), 'one', (select string_agg(md5(n || '.' || k || clock_timestamp()), ' ') from generate_series(1, 60) k), jsonb_build_object('n', gen_random_uuid())
    from generate_series(1, 300) n`)
  await run('vacuum platform.trace_runs')
}
const settings = new Map<string, unknown>()
const store = {
  setting: async <T>(key: string, make: () => T) => (settings.get(key) as T) ?? make(),
  setSetting: async (key: string, value: unknown) => void settings.set(key, structuredClone(value)),
}
test('an index that has grown by 30 % for each run is built again, and any of unknown size once', async () => {
  await replaceRuns()
  expect(await rebuildIndexes(opened, store, 1e9)).toEqual([])
  expect(await rebuildIndexes(opened, store, 0)).toEqual(['trace_runs_words', 'trace_runs_metadata'])
  const fresh = await sizeOf('trace_runs_words')
  expect(await rebuildIndexes(opened, store, 0)).toEqual([])

  await replaceRuns()
  expect(await sizeOf('trace_runs_words')).toBeGreaterThan(1.3 * fresh)
  expect(await rebuildIndexes(opened, store, 0)).toContain('trace_runs_words')
  expect(await sizeOf('trace_runs_words')).toBeLessThan(1.2 * fresh)
})

test('an index that has become smaller for each run may grow from there only', async () => {
  settings.set('trace_indexes', { trace_runs_words: 1e9, trace_runs_metadata: 1e9 })
  expect(await rebuildIndexes(opened, store, 0)).toEqual([])
  await replaceRuns()
  expect(await rebuildIndexes(opened, store, 0)).toContain('trace_runs_words')
})

test('closing the database ends a rebuild, and the next one removes what it has left', async () => {
  const own = await testDatabase()
  const writer = new pg.Client({ connectionString: own.url })
  writer.on('error', () => {})
  const left = async () => (await writer.query(`select relname from pg_class where relname like '%_ccnew'`)).rows.length
  const closing = await openDatabase(own.url, () => {})
  await writer.connect()
  // A rebuild waits for those who write.
  await writer.query('begin')
  await writer.query('insert into platform.trace_runs (id) values (gen_random_uuid())')
  const ended = expect(closing.rebuildIndex('trace_runs_words')).rejects.toThrow()
  await vi.waitFor(async () => expect(await left()).toBe(1), { timeout: 10_000 })
  await closing.close()
  await ended
  await writer.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where query like 'reindex%'`)
  await writer.query('rollback')
  expect(await left()).toBe(1)

  const next = await openDatabase(own.url, () => {}, { timeoutMs: 10_000 })
  await next.rebuildIndex('trace_runs_words')
  expect(await left()).toBe(0)
  await Promise.all([writer.end(), next.close()])
  await own.drop()
})
