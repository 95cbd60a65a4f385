import { EventEmitter } from 'node:events'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import type { Bus } from '../persistence/bus'
import { Db } from '../persistence/db'
import { AgentSaver } from '../persistence/saver'
import { EventStore, EventWriter } from './event-store'

class SlowClient extends pg.Client {
  static opened = 0
  constructor(options: pg.ClientConfig) {
    super(options)
    SlowClient.opened += 1
    const connect = this.connect.bind(this)
    Object.assign(this, { connect: (done: () => void) => setTimeout(() => connect(done), 400) })
  }
}

test('events that count as sent reach the database before what is sent after them', async () => {
  const database = await testDatabase()
  const before = new Db(database.url, 'agent_test', () => {})
  await before.migrate(() => new AgentSaver(before).setup())
  await before.query(`insert into threads (thread_id) values ('thread')`)
  await before.query(`insert into runs (run_id, thread_id, assistant_id, graph_id, status, metadata, kwargs, plan,
      multitask_strategy, is_resumable, creator, attempt)
    values ('one', 'thread', '', '', 'running', '{}', '{}', '{}', 'enqueue', true, 1, 1)`)
  await before.close()
  const db = new Db(database.url, 'agent_test', () => {})
  try {
    const first = await db.pool.connect()
    // The pool grows: further connections open slowly, while the first one is free again at once.
    Object.assign(db.pool, { Client: SlowClient })
    const bus = Object.assign(new EventEmitter(), { tellEvents: () => {} })
    const store = new EventStore(db, bus as unknown as Bus, () => {})
    const writer = new EventWriter(store, 'one', 1, true, false)
    writer.add({ id: 1, event: 'custom', data: '1' })
    void store.flush()
    await new Promise((resolve) => setTimeout(resolve, 50))
    first.release()
    await writer.send()
    expect(SlowClient.opened).toBe(1)
    // As a checkpoint would, but it has to wait for nothing.
    await db.query('select pg_sleep(0.1)')
    expect(await db.query('select run_id from run_events')).toEqual([{ run_id: 'one' }])
    await store.flush()
  } finally {
    await db.close()
    await database.drop()
  }
})

test('events survive a connection that is lost while they are stored', async () => {
  const lost = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const stored: unknown[] = []
  let tries = 0
  const dispatch = async (_: string, values: unknown[]) => {
    tries += 1
    if (tries === 1) return { done: Promise.reject(lost) }
    if (tries === 2) throw new Error('Connection terminated unexpectedly')
    stored.push(values[0])
    return { done: Promise.resolve([]) }
  }
  const bus = Object.assign(new EventEmitter(), { tellEvents: () => {} })
  const errors: string[] = []
  const store = new EventStore({ dispatch } as unknown as Db, bus as unknown as Bus, (line) => void errors.push(line))
  const writer = new EventWriter(store, 'one', 1, true, false)
  writer.add({ id: 1, event: 'custom', data: '1' })
  writer.add({ id: 2, event: 'custom', data: '2' })
  await writer.flush()
  expect([stored, errors]).toEqual([[[1, 2]], []])
})

describe('in memory', () => {
  afterEach(() => void vi.useRealTimers())

  const connectionLost = () => Object.assign(new Error('terminating connection'), { code: '57P01' })
  type Statement = { ids: number[]; runs: string[]; attempts: number[]; writers: number[] }

  /** A store whose statements get the answer of `answer`: the numbers of the writers that were refused. */
  function storeWith(
    answer: (statement: Statement, count: number) => { number: number }[] | Promise<never> = () => [],
  ) {
    const [statements, told, errors]: [Statement[], string[][], string[]] = [[], [], []]
    const dispatch = async (_: string, [ids, , , writers, runs, attempts]: never[]) => {
      const statement = { ids, writers, runs, attempts } as unknown as Statement
      statements.push(statement)
      const rows = answer(statement, statements.length)
      // As the driver does: an error may come after the statement was sent.
      return { done: Promise.resolve(rows) }
    }
    const bus = Object.assign(new EventEmitter(), { tellEvents: (runs: string[]) => void told.push(runs) })
    const store = new EventStore({ dispatch } as unknown as Db, bus as unknown as Bus, (line) => void errors.push(line))
    return { store, statements, told, errors }
  }
  const event = (id: number, data = String(id)) => ({ id, event: 'custom', data })

  test('events of all runs are stored together after 20 ms, and only followed runs are announced', async () => {
    vi.useFakeTimers()
    const { store, statements, told } = storeWith()
    const [own, followed] = [
      new EventWriter(store, 'own', 1, true, false),
      new EventWriter(store, 'followed', 3, true, true),
    ]
    own.add(event(1))
    followed.add(event(2))
    await vi.advanceTimersByTimeAsync(19)
    expect(statements).toEqual([])
    own.add(event(3))
    await vi.advanceTimersByTimeAsync(1)
    expect(statements).toEqual([{ ids: [1, 2, 3], writers: [1, 2, 1], runs: ['own', 'followed'], attempts: [1, 3] }])
    expect([told, own.unsent, followed.unsent, vi.getTimerCount()]).toEqual([[['followed']], 0, 0, 0])
    await store.flush()
    await store.send()
    expect(statements).toHaveLength(1)
  })

  test('a million characters are stored at once', async () => {
    vi.useFakeTimers()
    const { store, statements } = storeWith()
    const writer = new EventWriter(store, 'one', 1, true, false)
    writer.add(event(1, 'x'.repeat(600_000)))
    writer.add(event(2, 'x'.repeat(400_000)))
    await vi.advanceTimersByTimeAsync(0)
    expect(statements).toEqual([])
    writer.add(event(3))
    await vi.advanceTimersByTimeAsync(0)
    expect(statements.map(({ ids }) => ids)).toEqual([[1, 2, 3]])
    writer.add(event(4, 'x'.repeat(600_000)))
    await vi.advanceTimersByTimeAsync(0)
    expect(statements).toHaveLength(1)
  })

  test('an attempt whose events are refused is told so, the others are not', async () => {
    const { store } = storeWith(() => [{ number: 2 }])
    const lost: string[] = []
    const writers = ['first', 'second'].map(
      (run) => new EventWriter(store, run, 1, true, false, () => void lost.push(run)),
    )
    for (const writer of writers) writer.add(event(1))
    await store.flush()
    expect(lost).toEqual(['second'])
  })

  test('an event that cannot be stored costs only its own run its events, which is reported', async () => {
    const { store, statements, errors, told } = storeWith(({ runs }) =>
      runs.includes('bad') ? Promise.reject(new Error('invalid byte sequence')) : [],
    )
    const writers = ['good', 'bad', 'fine'].map((run) => new EventWriter(store, run, 1, true, true))
    for (const writer of writers) {
      writer.add(event(1))
      writer.add(event(2))
    }
    await store.flush()
    expect(statements.map(({ runs, ids }) => [runs.join(), ids.length])).toEqual([
      ['good,bad,fine', 6],
      ['good', 2],
      ['bad', 2],
      ['fine', 2],
    ])
    expect(errors).toEqual(['2 events of run bad could not be stored: invalid byte sequence'])
    expect(told).toEqual([['good'], ['fine']])
  })

  test('a database that is away is asked again for half a minute, which runs do not wait for', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    const { store, statements, errors } = storeWith((_, count) => {
      vi.setSystemTime(count === 1 ? 29_999 : 30_000)
      return Promise.reject(connectionLost())
    })
    const writer = new EventWriter(store, 'one', 1, true, false)
    writer.add(event(1))
    await writer.send()
    expect([writer.unsent, statements.length, errors]).toEqual([0, 1, []])
    await store.flush()
    expect(statements).toHaveLength(2)
    expect(errors).toEqual(['1 events of run one could not be stored: terminating connection'])
  })

  test('events of a run that nobody may read later are not stored until another process reads it', async () => {
    const { store, statements, told } = storeWith()
    const writer = new EventWriter(store, 'one', 1, false, false)
    const finished: unknown[] = []
    const query = (async (_: string, values: unknown[]) => finished.push(values)) as never
    writer.add(event(1))
    await writer.flush()
    await writer.send()
    await writer.finish(query, [event(2)])
    expect([writer.isKept, writer.unsent, statements, finished]).toEqual([false, 0, [], []])
    writer.keepForOthers()
    writer.add(event(3))
    expect([writer.isKept, writer.unsent]).toEqual([true, 1])
    await writer.flush()
    await writer.finish(query, [event(4), event(5)])
    expect([statements.map(({ ids }) => ids), told]).toEqual([[[3]], [['one']]])
    expect(finished).toEqual([[[4, 5], ['custom', 'custom'], ['4', '5'], 'one']])
  })

  test('one batch is stored after the other, and a flush covers what was added before it', async () => {
    let answer = (_: never[]) => {}
    const held = new Promise<never[]>((resolve) => (answer = resolve))
    const { store, statements } = storeWith((_, count) => (count === 1 ? (held as Promise<never>) : []))
    const writer = new EventWriter(store, 'one', 1, true, false)
    writer.add(event(1))
    void store.flush()
    await new Promise((resolve) => setImmediate(resolve))
    writer.add(event(2))
    const flushed = store.flush()
    await new Promise((resolve) => setImmediate(resolve))
    expect(statements.map(({ ids }) => ids)).toEqual([[1]])
    answer([])
    await flushed
    expect(statements.map(({ ids }) => ids)).toEqual([[1], [2]])
  })
})
