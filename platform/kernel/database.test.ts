import { expect, test } from 'vitest'
import { query, testDatabase } from '@/scripts/testing'
import { openDatabase } from './database'

test('a platform whose connection is lost takes its lock once more', async () => {
  const database = await testDatabase()
  const lines: string[] = []
  const opened = await openDatabase(database.url, (line) => lines.push(line))
  // Once all is done that comes with the lock. A connection that is lost before that is told in other words.
  const holders = () =>
    query(
      database.url,
      `select pid from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted
      and datname = current_database() and state = 'idle' and query like 'select pg_advisory_unlock%'`,
    )
  const [first] = await holders()
  await query(database.url, `select pg_terminate_backend(${first?.pid})`)
  await expect.poll(async () => (await holders())[0]?.pid ?? first?.pid, { timeout: 30_000 }).not.toBe(first?.pid)
  // Another loop would try, and be refused, within a second.
  const [second] = await holders()
  await query(database.url, `select pg_terminate_backend(${second?.pid})`)
  await expect.poll(async () => (await holders())[0]?.pid ?? second?.pid, { timeout: 30_000 }).not.toBe(second?.pid)
  expect(lines.map((line) => line.replace(/ \(.*/, ''))).toEqual(Array(2).fill('The database connection was lost'))
  await opened.close()
  await database.drop()
})
