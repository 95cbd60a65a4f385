import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { query, testDatabase } from '@/scripts/testing'
import { type Db, openDatabase } from './database'

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
  const opened = await openDatabase(proxy.url, () => {}, { directUrl: database.url })
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

test('a database that has vanished without a word fails statements, and its lock is taken once more', async () => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const lines: string[] = []
  const limits = { statementMs: 200, silenceMs: 100, askMs: 200 }
  const opened = await openDatabase(proxy.url, (line) => lines.push(line), limits)
  const holder = async () =>
    (
      await query(
        database.url,
        `select pid from pg_locks where locktype = 'advisory' and objid = 72616002 and granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
    )[0]?.pid
  const first = await holder()
  await opened.db.execute(sql`select 1`)
  proxy.set('silent')
  await expect(opened.db.execute(sql`select 1`)).rejects.toMatchObject({ cause: { message: 'Query read timeout' } })
  await expect
    .poll(() => lines, { timeout: 20_000 })
    .toContain('The database connection was lost (the database does not answer).')
  proxy.set('up')
  expect((await opened.db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  await expect.poll(async () => (await holder()) ?? first, { timeout: 20_000 }).not.toBe(first)
  await opened.close()
  await proxy.close()
  await database.drop()
}, 60_000)

test('statements have a limit, upkeep a longer one; a pooler is not asked for either', async () => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const limitOf = async (db: Db) => (await db.execute(sql`show statement_timeout`)).rows[0]?.statement_timeout
  const direct = await openDatabase(database.url, () => {})
  expect([await limitOf(direct.db), await limitOf(direct.upkeep)]).toEqual(['1min', '10min'])
  await direct.close()
  const pooled = await openDatabase(proxy.url, () => {}, { directUrl: database.url })
  expect([await limitOf(pooled.db), await limitOf(pooled.upkeep)]).toEqual(['0', '0'])
  await pooled.close()
  await proxy.close()
  await database.drop()
})

test('a database that is not in UTF-8 is refused, with what to do', async () => {
  const database = await testDatabase('ascii')
  await expect(openDatabase(database.url, () => {})).rejects.toThrow(
    /encoding SQL_ASCII.*create database NAME encoding 'UTF8'/,
  )
  await database.drop()
})
