import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import { isConnectionError } from '../kernel/errors'
import { testTables } from '../testing'
import { Db, iso, type Query } from './db'

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
  await db.query('create table notes (id int, note json)')
})
afterAll(() => tables.close())
beforeEach(() => db.query('truncate notes'))

const notes = async () => (await db.query<{ id: number }>('select id from notes order by id')).map(({ id }) => id)
const add = (by: Query, id: number) => by('insert into notes (id) values ($1)', [id])

describe('a statement', () => {
  test('keeps the digits of numbers in both directions', async () => {
    const text = '{"big":12345678901234567890,"exact":0.10000000000000000001}'
    const [row] = await db.query<{ a: object; b: object }>('select $1::json as a, $1::jsonb as b', [text])
    const [back] = await db.query<{ text: string }>('select $1::text as text', [row?.a])
    const [binary] = await db.query<{ text: string }>('select $1::text as text', [row?.b])
    expect([back?.text, binary?.text]).toEqual([text, text])
  })

  test('gets objects as JSON, and lists as arrays', async () => {
    const [row] = await db.query('select $1::json as object, $2::int[] as list, $3::text as text', [
      { a: [1] },
      [1, 2],
      'x',
    ])
    expect(row).toEqual({ object: { a: [1] }, list: [1, 2], text: 'x' })
  })

  test('that is dispatched tells its rows, or its failure', async () => {
    const { done } = await db.dispatch<{ one: number }>('select $1::int as one', [1])
    expect(await done).toEqual([{ one: 1 }])
    const failing = await db.dispatch('select nothing', [])
    await expect(failing.done).rejects.toThrow('nothing')
    // Many more than there are connections.
    for (let n = 0; n < 30; n++) await (await db.dispatch('select 1', [])).done
    expect(db.pool.waitingCount).toBe(0)
  })
})

describe('a transaction', () => {
  test('stores all or nothing, and nobody sees it before', async () => {
    await db.transaction(async (by) => {
      await add(by, 1)
      expect(await notes()).toEqual([])
    })
    const failed = db.transaction(async (by) => {
      await add(by, 2)
      throw new Error('not this')
    })
    await expect(failed).rejects.toThrow('not this')
    expect(await notes()).toEqual([1])
    expect(await db.transaction(async () => 'result')).toBe('result')
  })

  test('whose connection breaks tells the first failure, and the connection is not used again', async () => {
    const pids = new Set<number>()
    const failed = db.transaction(async (by) => {
      const [row] = await by<{ pid: number }>('select pg_backend_pid() as pid')
      pids.add(row?.pid as number)
      await db.query('select pg_terminate_backend($1)', [row?.pid])
      await add(by, 3)
    })
    await expect(failed).rejects.toThrow(/terminat|connection error/)
    const others = await Promise.all(
      Array.from({ length: 10 }, () => db.query<{ pid: number }>('select pg_backend_pid() as pid')),
    )
    for (const [row] of others) expect(pids).not.toContain(row?.pid)
    expect(await notes()).toEqual([])
  })
})

test('an idle connection that is lost is reported, and the next statement has another one', async () => {
  const logs: string[] = []
  const other = new Db(db.url, db.schema, (line) => void logs.push(line))
  const lost = new Promise((resolve) => other.pool.once('error', resolve))
  const [row] = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  await db.query('select pg_terminate_backend($1)', [row?.pid])
  await lost
  expect(logs).toEqual([expect.stringMatching(/^An idle database connection was lost: /)])
  expect(await other.query('select 1 as one')).toEqual([{ one: 1 }])
  await other.close()
})

test('a statement that a vanished database leaves without an answer fails, and the next one has another connection', async () => {
  const proxy = await databaseProxy(db.url)
  const other = new Db(proxy.url, db.schema, () => {}, { statementMs: 200, silenceMs: 100 })
  await other.query('select 1')
  proxy.set('silent')
  const failed = await other.query('select 1').catch((error: unknown) => error)
  expect([failed, isConnectionError(failed)]).toEqual([new Error('Query read timeout'), true])
  proxy.set('up')
  expect(await other.query('select 1 as one')).toEqual([{ one: 1 }])
  await other.close()
  await proxy.close()
}, 30_000)

test('statements have a limit; a connection of its own, as for migrations, has none', async () => {
  const client = db.client()
  await client.connect()
  const limit = 'show statement_timeout'
  expect([await db.query(limit), (await client.query(limit)).rows]).toEqual([
    [{ statement_timeout: '1min' }],
    [{ statement_timeout: '0' }],
  ])
  await client.end()
})

test('every connection uses the deployment’s schema', async () => {
  const client = db.client()
  await client.connect()
  const schema = 'select current_schema() as schema'
  expect([(await client.query(schema)).rows, await db.query(schema)]).toEqual(Array(2).fill([{ schema: 'agent_test' }]))
  await client.end()
})

describe('a migration', () => {
  test('of tables that are there changes nothing, but the checkpointer’s are looked after each time', async () => {
    let calls = 0
    const versions = () => db.query('select version from migrations order by version')
    const before = await versions()
    await db.migrate(async () => {
      calls += 1
    })
    expect([await versions(), calls]).toEqual([before, 1])
  })

  test('that fails leaves the lock to the next process', async () => {
    const refuse = async () => {
      throw new Error('not now')
    }
    await expect(db.migrate(refuse)).rejects.toThrow('not now')
    await db.migrate(async () => {})
  })

  test('of a database in another encoding is refused', async () => {
    const { url, drop } = await testDatabase('ascii')
    const other = new Db(url, 'agent_test', () => {})
    await expect(other.migrate(async () => {})).rejects.toThrow('has the encoding SQL_ASCII')
    await other.close()
    await drop()
  })
})

test.each(['', '1st', 'a-b', 'A', 'a"b', ' a', 'a'.repeat(64)])('the schema %j is refused', (schema) => {
  expect(() => new Db(db.url, schema, () => {})).toThrow('not a usable name')
})

test.each(['_', 'agent_1', 'a'.repeat(63)])('the schema %j is accepted', async (schema) => {
  await new Db(db.url, schema, () => {}).close()
})

test('a time has its offset in words that all clients read', () => {
  expect(iso(new Date(0))).toBe('1970-01-01T00:00:00.000+00:00')
})
