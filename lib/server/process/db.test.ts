import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import { LOCKS, openStore, storeOutage } from './db'

test('no two advisory locks share a number', () => {
  const numbers = Object.values(LOCKS)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('every advisory lock of the console has its number from the table', () => {
  const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const own = files.filter((file) => /7_?240_?0\d\d/.test(readFileSync(path.join('lib', file), 'utf8')))
  expect(own).toEqual([path.join('server', 'process', 'db.ts')])
})

// An uncaught exception would end the program, and fails this run.
test('a connection that is lost within a transaction fails it and nothing else', async () => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const store = await openStore(proxy.url, { connections: 1 })
  const uncaught: unknown[] = []
  const note = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', note)
  await expect(
    store.db.transaction(async (transaction) => {
      await transaction.execute(sql`select 1`)
      proxy.setDown(true)
      await expect.poll(() => transaction.execute(sql`select 1`).catch(() => 'lost')).toBe('lost')
      throw new Error('given up')
    }),
  ).rejects.toThrow()
  proxy.setDown(false)
  expect((await store.db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
  await store.close()
  await proxy.close()
  await database.drop()
})

test('a transaction that nobody goes on with, such as that of a process that hangs, gives up its locks', async () => {
  const database = await testDatabase()
  const [hung, other] = [await openStore(database.url, { statementMs: 300 }), await openStore(database.url)]
  await other.db.execute(sql`create table notes as select 1 as id`)
  const isFree = async () => (await other.db.execute(sql`select from notes for update skip locked`)).rowCount === 1
  const held = hung.db.transaction(async (transaction) => {
    await transaction.execute(sql`select from notes for update`)
    expect(await isFree()).toBe(false)
    await expect.poll(isFree, { timeout: 10_000 }).toBe(true)
    await transaction.execute(sql`select 1`)
  })
  expect(storeOutage(await held.catch((error: unknown) => error))).toBeDefined()
  await Promise.all([hung.close(), other.close()])
  await database.drop()
})

test('a database that has vanished without a word counts as an outage', async () => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const store = await openStore(proxy.url, { connections: 1, statementMs: 200, silenceMs: 100 })
  await store.db.execute(sql`select 1`)
  proxy.set('silent')
  await expect(store.db.execute(sql`select 1`).catch(storeOutage)).resolves.toBe('busy')
  proxy.set('up')
  expect((await store.db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  await store.close()
  await proxy.close()
  await database.drop()
}, 30_000)

test('a transaction that cannot begin gives its connection back', async () => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const store = await openStore(proxy.url, { connections: 1 })
  for (const fault of ['cut statement', 'lost reply'] as const) {
    proxy.failNext(fault, 'begin')
    await expect(store.db.transaction(async () => {})).rejects.toThrow()
    expect((await store.db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  }
  await store.close()
  await proxy.close()
  await database.drop()
}, 30_000)

test('a database that is not in UTF-8 is refused, with what to do', async () => {
  const database = await testDatabase('ascii')
  await expect(openStore(database.url)).rejects.toThrow(/encoding SQL_ASCII.*create database NAME encoding 'UTF8'/)
  await database.drop()
})
