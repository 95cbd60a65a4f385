import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
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

test('a transaction whose connection is lost gives it back, at its beginning, its end or when it fails', async () => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const opened = await openDatabase(proxy.url, () => {}, 3000, database.url)
  // More often than the pool has connections.
  for (let times = 0; times < 4; times++) {
    for (const statement of ['begin', 'commit']) {
      proxy.failNext(times % 2 === 0 ? 'cut statement' : 'lost reply', statement)
      await expect(opened.db.transaction((one) => one.execute(sql`select 1`))).rejects.toThrow()
    }
    proxy.failNext('cut statement', 'rollback')
    const failing = opened.db.transaction(async (one) => {
      await one.execute(sql`select 1`)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow()
  }
  expect((await opened.db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  await opened.close()
  await proxy.close()
  await database.drop()
}, 30_000)
