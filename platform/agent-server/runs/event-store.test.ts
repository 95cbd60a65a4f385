import { EventEmitter } from 'node:events'
import pg from 'pg'
import { expect, test } from 'vitest'
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
