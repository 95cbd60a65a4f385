import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../persistence/db'
import { AgentSaver } from '../persistence/saver'
import { testTables } from '../testing'
import { readTtl, removeThread, type ThreadRow, Threads, threadOut } from './threads'

// The records of threads, without a graph that would run on them.

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
let saver: AgentSaver
let threads: Threads
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
  saver = new AgentSaver(db)
  threads = new Threads(db)
})
afterAll(() => tables.close())

type Json = Record<string, unknown>
const create = async (body: Json = {}) => (await threads.create(body as never)).row
const minutesLeft = ({ expires_at }: ThreadRow) =>
  expires_at && Math.round((expires_at.getTime() - Date.now()) / 60_000)
/** Stores a checkpoint with these values. */
async function put(thread: string, id: string, values: Json, ns = '') {
  const version = saver.getNextVersion(Number(id))
  const versions = Object.fromEntries(Object.keys(values).map((name) => [name, version]))
  const config = { configurable: { thread_id: thread, checkpoint_ns: ns }, metadata: {} }
  const checkpoint = { v: 4, id, ts: '', channel_values: values, channel_versions: versions, versions_seen: {} }
  await saver.put(config, checkpoint, { source: 'loop', step: 1, parents: {} }, versions)
}
const countOf = async (table: string, thread: string) =>
  (await db.query(`select from ${table} where thread_id = $1`, [thread])).length

describe('a new thread', () => {
  test('has the caller’s id in small letters, or one of its own, and no empty metadata', async () => {
    const id = randomUUID()
    const given = { a: null, b: undefined, c: 0, d: false, e: '', f: [null] }
    const row = await create({ thread_id: id.toUpperCase(), metadata: given })
    expect(row).toMatchObject({ thread_id: id, status: 'idle', is_temporary: false })
    expect(row.metadata).toEqual({ c: 0, d: false, e: '', f: [null] })
    expect((await create()).thread_id).toMatch(/^[0-9a-f-]{36}$/)
    expect((await threads.get(id.toUpperCase())).thread_id).toBe(id)
    await expect(threads.get(randomUUID())).rejects.toMatchObject({ status: 404 })
  })

  test('with the id of another one is refused, or is that one if its caller may see it', async () => {
    const { thread_id } = await create({ metadata: { owner: 'ann' } })
    const again = (if_exists: string | undefined, only?: string[]) =>
      threads.create({ thread_id, if_exists, metadata: { owner: 'bob' } } as never, only)
    await expect(again(undefined)).rejects.toMatchObject({ status: 409 })
    await expect(again('raise')).rejects.toMatchObject({ status: 409 })
    expect(await again('do_nothing')).toMatchObject({ isNew: false, row: { thread_id, metadata: { owner: 'ann' } } })
    expect((await again('do_nothing', ['{"owner":"ann"}'])).isNew).toBe(false)
    await expect(again('do_nothing', ['{"owner":"bob"}'])).rejects.toMatchObject({ status: 409 })
  })

  test('lives as long as it says, or as the deployment does', async () => {
    const configured = new Threads(db, { ttl: 60, strategy: 'keep_latest' })
    const of = async (ttl?: unknown) => (await configured.create({ ttl } as never)).row
    expect([await of(), await of(5), await of({ ttl: 7, strategy: 'delete' }), await create()]).toMatchObject([
      { ttl_minutes: 60, ttl_strategy: 'keep_latest' },
      { ttl_minutes: 5, ttl_strategy: 'delete' },
      { ttl_minutes: 7, ttl_strategy: 'delete' },
      { ttl_minutes: null, ttl_strategy: null, expires_at: null },
    ])
    expect(minutesLeft(await of(5))).toBe(5)
    for (const none of [null, undefined]) expect(readTtl(none)).toEqual({ minutes: null, strategy: null })
    expect([readTtl(3), readTtl({ ttl: 4 })]).toEqual([
      { minutes: 3, strategy: 'delete' },
      { minutes: 4, strategy: 'delete' },
    ])
  })

  test('shows its time to live only on request', async () => {
    const [row, mortal] = [await create(), await create({ ttl: 5 })]
    expect([threadOut(row, false), threadOut(row, true).ttl]).toEqual([
      expect.not.objectContaining({ ttl: null }),
      null,
    ])
    expect(threadOut(mortal, true).ttl).toEqual({ strategy: 'delete', ttl_minutes: 5, expires_at: expect.any(String) })
    expect(threadOut(mortal, false)).not.toHaveProperty('ttl')
    expect(threadOut({ ...row, error: { error: 'E' } }, false).error).toEqual({ error: 'E' })
  })
})

describe('a change', () => {
  test('merges metadata, and renews or keeps the time to live', async () => {
    const { thread_id } = await create({ metadata: { a: 1, b: 1 }, ttl: { ttl: 60, strategy: 'keep_latest' } })
    await db.query(`update threads set expires_at = now() where thread_id = $1`, [thread_id])
    const renewed = await threads.update(thread_id.toUpperCase(), { metadata: { b: 2 } } as never)
    expect(renewed).toMatchObject({ metadata: { a: 1, b: 2 }, ttl_minutes: 60, ttl_strategy: 'keep_latest' })
    expect(minutesLeft(renewed)).toBe(60)
    const shorter = await threads.update(thread_id, { ttl: 5 } as never)
    expect([shorter.metadata, shorter.ttl_strategy, minutesLeft(shorter)]).toEqual([{ a: 1, b: 2 }, 'delete', 5])
    const { thread_id: eternal } = await create()
    expect((await threads.update(eternal, {} as never)).expires_at).toBeNull()
    await expect(threads.update(randomUUID(), {} as never)).rejects.toMatchObject({ status: 404 })
  })

  test('of the state sets the status, but a busy thread stays busy', async () => {
    const { thread_id } = await create()
    const statuses = async () =>
      (await db.query('select status, resting, error from threads where thread_id = $1', [thread_id]))[0]
    await db.query(`update threads set error = '{}' where thread_id = $1`, [thread_id])
    await threads.rest(thread_id, 'interrupted')
    expect(await statuses()).toEqual({ status: 'interrupted', resting: 'interrupted', error: null })
    await db.query(`update threads set status = 'busy' where thread_id = $1`, [thread_id])
    await threads.rest(thread_id, 'idle')
    expect(await statuses()).toMatchObject({ status: 'busy', resting: 'idle' })
  })
})

describe('a search', () => {
  const search = async (body: Json, only?: string[]) => {
    const { rows, total } = await threads.search({ sort_by: 'created_at', sort_order: 'asc', ...body } as never, only)
    return [rows.map(({ thread_id }) => thread_id), total]
  }
  const count = (filters: Json, only?: string[]) => threads.count(filters as never, only)

  test('finds threads by id, metadata, status and what the caller may see, never temporary ones', async () => {
    const mark = randomUUID()
    const [a, b] = [await create({ metadata: { mark, k: 1 } }), await create({ metadata: { mark, k: 2 } })]
    const hidden = await create({ metadata: { mark } })
    await db.query('update threads set is_temporary = true where thread_id = $1', [hidden.thread_id])
    await db.query(`update threads set status = 'error' where thread_id = $1`, [b.thread_id])
    const mine = { metadata: { mark } }
    expect(await search(mine)).toEqual([[a.thread_id, b.thread_id], 2])
    expect(await search({ ...mine, limit: 1, offset: 1 })).toEqual([[b.thread_id], 2])
    expect(await search({ ...mine, ids: [b.thread_id, hidden.thread_id] })).toEqual([[b.thread_id], 1])
    expect(await search({ ...mine, status: 'error' })).toEqual([[b.thread_id], 1])
    expect(await search(mine, ['{"k":1}'])).toEqual([[a.thread_id], 1])
    expect([await count(mine), await count({ ...mine, status: 'error' }), await count(mine, ['{"k":1}'])]).toEqual([
      2, 1, 1,
    ])
  })

  test('by values compares the newest state of the whole graph, with scalars as they are and parts of others', async () => {
    const mark = randomUUID()
    const [thread, other] = [await create({ metadata: { mark } }), await create({ metadata: { mark } })]
    const long = 'x'.repeat(300)
    const values = {
      count: 1,
      text: 'one',
      long,
      list: ['a', { b: 1, c: 2 }],
      none: null,
      big: [`${'y'.repeat(120_000)}`, 'part'],
    }
    await put(thread.thread_id, '1', { count: 0, text: 'old' })
    await put(thread.thread_id, '2', values)
    await put(thread.thread_id, '3', { count: 7 }, 'inner')
    await put(other.thread_id, '1', { count: 2 })
    const found = async (wanted: Json) => {
      const [ids, total] = await search({ metadata: { mark }, values: wanted })
      expect(await count({ metadata: { mark }, values: wanted })).toBe(total)
      return ids
    }
    for (const wanted of [
      { count: 1 },
      { text: 'one' },
      { long },
      { list: ['a'] },
      { list: [{ b: 1 }] },
      { none: null },
      { big: ['part'] },
      { count: 1, text: 'one', big: ['part'] },
    ])
      expect(await found(wanted), JSON.stringify(wanted).slice(0, 50)).toEqual([thread.thread_id])
    for (const wanted of [
      { count: 0 },
      { text: 'old' },
      { count: 7 },
      { count: '1' },
      { text: 'o' },
      { list: ['z'] },
      { big: ['no'] },
      { unknown: 1 },
      { count: 1, text: 'two' },
    ])
      expect(await found(wanted), JSON.stringify(wanted)).toEqual([])
    expect(await found({ count: 2 })).toEqual([other.thread_id])
    // The pieces of another caller's values are not looked at.
    expect(await search({ values: { big: ['part'] } }, ['{"mark":"other"}'])).toEqual([[], 0])
  })

  test('by values knows the total, also on a page past the end', async () => {
    const metadata = { mark: randomUUID() }
    for (const n of [1, 1, 2]) await put((await create({ metadata })).thread_id, '1', { n })
    const total = async (page: Json) => (await search({ metadata, values: { n: 1 }, ...page }))[1]
    expect([await total({}), await total({ limit: 1 }), await total({ offset: 5 })]).toEqual([2, 2, 2])
    expect((await search({ metadata, values: { n: 3 } }))[1]).toBe(0)
  })
})

describe('keeping the latest', () => {
  test('removes older checkpoints of each graph with their values, and ends the time to live until the next change', async () => {
    const { thread_id } = await create({ ttl: 5 })
    const large = 'x'.repeat(120_000)
    await put(thread_id, '1', { a: large })
    await put(thread_id, '2', { a: 2 })
    await put(thread_id, '1', { a: 3 }, 'inner')
    const write = (id: string) =>
      saver.putWrites(
        { configurable: { thread_id, checkpoint_ns: '', checkpoint_id: id }, metadata: {} },
        [['a', 1]],
        'task',
      )
    for (const id of ['1', '2']) await write(id)
    await threads.keepLatest(thread_id.toUpperCase())
    expect(
      await db.query('select checkpoint_ns, checkpoint_id from checkpoints where thread_id = $1 order by 1', [
        thread_id,
      ]),
    ).toEqual([
      { checkpoint_ns: '', checkpoint_id: '2' },
      { checkpoint_ns: 'inner', checkpoint_id: '1' },
    ])
    const counts = ['checkpoint_blobs', 'checkpoint_writes', 'large_pieces'].map((table) => countOf(table, thread_id))
    expect(await Promise.all(counts)).toEqual([2, 1, 0])
    expect((await threads.get(thread_id)).expires_at).toBeNull()
  })

  test('is refused for a busy thread and an unknown one', async () => {
    const { thread_id } = await create()
    await db.query(`update threads set status = 'busy' where thread_id = $1`, [thread_id])
    await expect(threads.keepLatest(thread_id)).rejects.toMatchObject({ status: 409 })
    await expect(threads.keepLatest(randomUUID())).rejects.toMatchObject({ status: 404 })
  })
})

test('a copy has the whole history, its own time to live, and what the thread is when nothing runs', async () => {
  const { thread_id } = await create({ metadata: { a: 1 }, ttl: 60 })
  await put(thread_id, '1', { a: 'x'.repeat(120_000) })
  await put(thread_id, '2', { a: 2 })
  const late = { configurable: { thread_id, checkpoint_ns: '', checkpoint_id: '2' }, metadata: {} }
  await saver.putWrites(late, [['a', 1]], 'task')
  await db.query(
    `update threads set status = 'busy', resting = 'interrupted', expires_at = now() where thread_id = $1`,
    [thread_id],
  )
  const copy = await threads.copy(thread_id.toUpperCase())
  expect(copy).toMatchObject({ status: 'interrupted', metadata: { a: 1 }, ttl_minutes: 60 })
  expect([copy.thread_id === thread_id, minutesLeft(copy)]).toEqual([false, 60])
  for (const table of ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes', 'large_pieces'])
    expect(await countOf(table, copy.thread_id), table).toBe(await countOf(table, thread_id))
  expect(await countOf('checkpoints', copy.thread_id)).toBe(2)
  await expect(threads.copy(randomUUID())).rejects.toMatchObject({ status: 404 })
})

test('a deleted thread takes everything along, but events can be kept for their readers', async () => {
  const gone = async (withEvents?: boolean) => {
    const { thread_id } = await create()
    await put(thread_id, '1', { a: 'x'.repeat(120_000) })
    const run = randomUUID()
    await db.query(
      `insert into runs (run_id, thread_id, assistant_id, graph_id, metadata, kwargs, plan, multitask_strategy, is_resumable, creator)
       values ($1, $2, '', '', '{}', '{}', '{}', 'enqueue', false, 1)`,
      [run, thread_id],
    )
    await db.query(`insert into run_events (run_id, id, event, data) values ($1, 1, 'custom', '1')`, [run])
    if (withEvents === undefined) await threads.remove(thread_id)
    else await removeThread(db.query, thread_id, withEvents)
    const tables = ['threads', 'runs', 'checkpoints', 'checkpoint_blobs', 'large_pieces']
    const left = await Promise.all(tables.map((table) => countOf(table, thread_id)))
    return [...left, (await db.query('select from run_events where run_id = $1', [run])).length]
  }
  expect([await gone(), await gone(true), await gone(false)]).toEqual([
    ...[
      [0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 1],
    ],
  ])
})
