import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testTables } from '../testing'
import { Bus, type BusMessage, type BusTiming } from './bus'
import { Db } from './db'

let tables: Awaited<ReturnType<typeof testTables>>
const buses: Bus[] = []
const logs: string[] = []
beforeAll(async () => {
  tables = await testTables()
})
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()))
  logs.length = 0
})
afterAll(() => tables.close())

/** A process of the deployment, and what it is told. */
async function join(db = tables.db, timing?: BusTiming) {
  const bus = await Bus.open(db, 'test', (line) => void logs.push(line), timing)
  buses.push(bus)
  const heard: unknown[] = []
  let onHeard = () => {}
  const hear = (one: unknown) => {
    heard.push(one)
    onHeard()
  }
  for (const name of ['message', 'events', 'thread'] as const) bus.on(name, hear)
  /** Resolves once so many notices have come. */
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      onHeard = () => heard.length >= count && resolve()
      onHeard()
    })
  return { bus, heard, until }
}
const cancel: BusMessage = { kind: 'cancel', run: 'one' }
const last: BusMessage = { kind: 'ended', run: 'last' }
const isGone = async (instance: number) =>
  (
    await tables.db.query<{ gone: boolean }>(`select ${Bus.isGone('i')} as gone from (values ($1::int)) v (i)`, [
      instance,
    ])
  )[0]?.gone

test('a message reaches the other processes, and this one only if it is told too', async () => {
  const [a, b] = [await join(), await join()]
  await a.bus.send(cancel)
  await a.bus.tell(last)
  await b.until(2)
  expect(b.heard).toEqual([cancel, last])
  // Its own notices came back before those of the other process.
  await b.bus.send(cancel)
  await a.until(2)
  expect([a.heard, a.bus.instance === b.bus.instance]).toEqual([[last, cancel], false])
})

test('the commit of a notice waits for no disk', async () => {
  const { bus } = await join()
  const queries = vi.spyOn(tables.db, 'query')
  onTestFinished(() => queries.mockRestore())
  await bus.send(cancel)
  const told = queries.mock.calls.findIndex(([text]) => text.includes('pg_notify'))
  expect(await queries.mock.results[told]?.value).toMatchObject([{ synchronous_commit: 'off' }])
})

test('a change of a thread is told here, and elsewhere if it is read there', async () => {
  const [a, b] = [await join(), await join()]
  a.bus.tellThread({ thread: 't', run: 'quiet' }, false)
  a.bus.tellThread({ thread: 't', isGone: true })
  await a.bus.send(last)
  await b.until(2)
  expect(a.heard).toEqual([
    { thread: 't', run: 'quiet' },
    { thread: 't', isGone: true },
  ])
  expect(b.heard).toEqual([{ kind: 'thread', thread: 't', isGone: true, isElsewhere: true }, last])
})

test('any number of runs with new events are announced, in notices that the database takes', async () => {
  const [a, b] = [await join(), await join()]
  const runs = Array.from({ length: 301 }, (_, n) => `${n} ${'x'.repeat(34)}`)
  a.bus.tellEvents([])
  a.bus.tellEvents(runs)
  await b.until(3)
  expect(b.heard).toEqual([runs.slice(0, 150), runs.slice(150, 300), runs.slice(300)])
  expect(a.heard).toEqual([])
})

test('a run that is held back is announced when it is let go', async () => {
  const { bus } = await join()
  expect(bus.announced('one')).toBeUndefined()
  const release = bus.holdBack('one')
  let isAnnounced = false
  const announced = bus.announced('one')?.then(() => {
    isAnnounced = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect([isAnnounced, bus.announced('other')]).toEqual([false, undefined])
  release()
  await announced
  expect([isAnnounced, bus.announced('one')]).toEqual([true, undefined])
})

test('a process counts as gone once it has left, and the others do not', async () => {
  const [a, b] = [await join(), await join()]
  expect([await isGone(a.bus.instance), await isGone(b.bus.instance)]).toEqual([false, false])
  await a.bus.close()
  await expect.poll(() => isGone(a.bus.instance)).toBe(true)
  expect(await isGone(b.bus.instance)).toBe(false)
})

test('a lost connection is opened again, with the same number, and what was missed can be looked for', async () => {
  const [a, b] = [await join(), await join()]
  const reconnected = new Promise<void>((resolve) => a.bus.once('reconnected', resolve))
  expect(a.bus.isConnected).toBe(true)
  await tables.db.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 2 and objid = $1::int::oid
       and database = (select oid from pg_database where datname = current_database())`,
    [a.bus.instance],
  )
  await reconnected
  expect([a.bus.isConnected, await isGone(a.bus.instance)]).toEqual([true, false])
  expect(logs[0]).toMatch(/^The connection for notices was lost: /)
  await b.bus.send(last)
  await a.until(1)
  expect(a.heard).toEqual([last])
})

test('a connection over which nothing comes any more is opened again', async () => {
  const proxy = await databaseProxy(tables.db.url)
  const db = new Db(proxy.url, tables.db.schema, () => {})
  const [a, b] = [await join(db, { askMs: 200 }), await join()]
  const reconnected = new Promise<void>((resolve) => a.bus.once('reconnected', resolve))
  proxy.set('silent')
  await expect.poll(() => a.bus.isConnected, { timeout: 20_000 }).toBe(false)
  expect(logs[0]).toBe('The connection for notices was lost: the database does not answer')
  proxy.set('up')
  await reconnected
  await b.bus.send(last)
  await a.until(1)
  expect(a.heard).toEqual([last])
  await a.bus.close()
  await db.close()
  await proxy.close()
}, 60_000)

test('a process that leaves does not come back', async () => {
  const { bus } = await join()
  await bus.close()
  await expect.poll(() => isGone(bus.instance)).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect([await isGone(bus.instance), logs]).toEqual([true, []])
})

/** A process that has its lock and says nothing, with a transaction under way and connections of this name. */
async function silent(name?: string) {
  const db = new Db(tables.db.url + (name ? `?application_name=${name}` : ''), tables.db.schema, () => {})
  const [row] = await db.query<{ id: number }>(`insert into instances (owner) values ('silent') returning id`)
  const { id } = row as { id: number }
  const client = db.client()
  client.on('error', () => {})
  await client.connect()
  await client.query(`select pg_advisory_lock(('instances'::regclass::oid::bigint & 2147483647)::int, $1)`, [id])
  const pooled = await db.pool.connect()
  pooled.on('error', () => {})
  await pooled.query('begin')
  await pooled.query('select from instances where id = $1 for update', [id])
  const isFree = async () =>
    (await tables.db.query('select from instances where id = $1 for update skip locked', [id])).length > 0
  const close = async () => {
    pooled.release(true)
    await Promise.allSettled([client.end(), db.close()])
  }
  return { id, isFree, close }
}

test('a process that shows no sign of life loses its lock and its transactions', async () => {
  const earlier = await silent('pilothouse-agent')
  const hung = await silent()
  const [a, b] = [await join(tables.db, { hangMs: 400 }), await join(undefined, { hangMs: 400 })]
  await expect.poll(() => isGone(hung.id), { timeout: 20_000 }).toBe(true)
  await expect.poll(hung.isFree).toBe(true)
  expect(logs).toContain(`Process ${hung.id} of this deployment has hung for 0.4 s and loses its runs.`)
  // Earlier releases cannot be told apart by their names, and may show nothing.
  expect([await isGone(earlier.id), await earlier.isFree()]).toEqual([false, false])
  expect([await isGone(a.bus.instance), await isGone(b.bus.instance)]).toEqual([false, false])
  await Promise.all([earlier.close(), hung.close()])
}, 60_000)

test('a notice that cannot be sent is reported, unless the process is leaving', async () => {
  const db = new Db(tables.db.url, tables.db.schema, () => {})
  const { bus } = await join(db)
  await db.close()
  await bus.send(cancel)
  expect(logs).toEqual([expect.stringMatching(/^A notice to other processes was lost: /)])
  await bus.close()
  await bus.send(cancel)
  expect(logs).toHaveLength(1)
})
