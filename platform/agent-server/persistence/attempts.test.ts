import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testTables } from '../testing'
import type { Db } from './db'
import { AgentSaver, type Watcher } from './saver'

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
let saver: AgentSaver
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
  saver = new AgentSaver(db)
})
afterAll(() => tables.close())

const LARGE = 'x'.repeat(100_000)
const place = (thread_id: string, checkpoint_id?: string) => ({
  configurable: { thread_id, checkpoint_ns: '', ...(checkpoint_id && { checkpoint_id }) },
})
/** Stores a checkpoint in the name of an attempt. */
async function put(thread: string, id: string, run: object) {
  const versions = { a: saver.getNextVersion(undefined) }
  const checkpoint = { v: 4, id, ts: '', channel_values: { a: 1 }, channel_versions: versions, versions_seen: {} }
  await saver.put(
    { ...place(thread), metadata: { ...run } },
    checkpoint,
    { source: 'loop', step: 1, parents: {} },
    versions,
  )
}
const newestOf = async (thread: string) => (await saver.getTuple(place(thread)))?.checkpoint.id

/** Watches the first attempt of a run that has `attempt` and `status` in the store. */
async function watched(attempt = 1, status = 'running', before = async () => {}) {
  const [thread, run_id] = [randomUUID(), randomUUID()]
  await db.query('insert into threads (thread_id) values ($1)', [thread])
  await db.query(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, status, metadata, kwargs, plan, multitask_strategy, is_resumable, creator, attempt)
     values ($1, $2, '', '', $3, '{}', '{}', '{}', 'enqueue', false, 1, $4)`,
    [run_id, thread, status, attempt],
  )
  const calls: string[] = []
  const watcher: Watcher = {
    before: async () => {
      calls.push('before')
      await before()
    },
    onLost: () => void calls.push('lost'),
    onStep: () => void calls.push('step'),
    onFailure: (error) => void calls.push(`failed: ${(error as Error).message}`),
  }
  saver.watch(run_id, 1, watcher)
  const run = { run_id, run_attempt: 1 }
  const writes = () =>
    saver.putWrites(
      { ...place(thread, '1'), metadata: run },
      [
        ['a', 1],
        ['b', LARGE],
      ],
      'task',
    )
  return { thread, run_id, calls, run, writes }
}
const refused = 'Another attempt has the run. The writes of this one are not stored.'

test('an attempt has its events sent before each write, and is told of each step', async () => {
  const { thread, run_id, calls, run, writes } = await watched()
  await put(thread, '1', run)
  await writes()
  expect(calls).toEqual(['before', 'step', 'before'])
  await saver.stop(run_id, 1)
})

test.each([
  [2, 'running'],
  [1, 'success'],
])('an attempt stores nothing once attempt %i of its run is %s', async (attempt, status) => {
  const { thread, run_id, calls, run, writes } = await watched(attempt, status)
  await expect(put(thread, '1', run)).rejects.toThrow(refused)
  await expect(writes()).rejects.toThrow(refused)
  expect(calls).toEqual(['before', 'lost', `failed: ${refused}`, 'before', 'lost', `failed: ${refused}`])
  const stored = await db.query(
    'select from checkpoints where thread_id = $1 union all select from checkpoint_writes where thread_id = $1',
    [thread],
  )
  expect(stored).toEqual([])
  await saver.stop(run_id, 1)
})

test('an attempt writes also while it goes back to the queue', async () => {
  const { thread, run_id, run } = await watched(1, 'pending')
  await put(thread, '1', run)
  expect(await newestOf(thread)).toBe('1')
  await saver.stop(run_id, 1)
})

test('an attempt ends once its writes are stored; later ones are refused, those of the next attempt are not', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const { thread, run_id, calls, run, writes } = await watched(1, 'running', () => held)
  const writing = put(thread, '1', run)
  let isStopped = false
  const stopping = saver.stop(run_id, 1).then(() => {
    isStopped = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isStopped).toBe(false)
  release()
  await Promise.all([writing, stopping])
  expect(calls).toEqual(['before', 'step'])
  await expect(writes()).rejects.toThrow('The run was stopped')
  await put(thread, '2', { ...run, run_attempt: 2 })
  expect([await newestOf(thread), calls.length]).toEqual(['2', 2])
})
