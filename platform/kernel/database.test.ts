import { expect, test } from 'vitest'
import { query, testDatabase } from '@/scripts/testing'
import { openDatabase } from './database'

test('a platform whose connection is lost takes its lock once more', async () => {
  const database = await testDatabase()
  const lines: string[] = []
  const opened = await openDatabase(database.url, (line) => lines.push(line))
  const holders = () =>
    query(
      database.url,
      `select pid from pg_locks where locktype = 'advisory' and granted and database =
      (select oid from pg_database where datname = current_database())`,
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
