import { randomUUID } from 'node:crypto'
import { type Checkpoint, TASKS } from '@langchain/langgraph-checkpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testTables } from '../testing'
import type { Db } from './db'
import { AgentSaver } from './saver'

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
let saver: AgentSaver
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
  saver = new AgentSaver(db)
})
afterAll(() => tables.close())

type Json = Record<string, unknown>
const LARGE = 'x'.repeat(100_000)
const meta = { source: 'loop', step: 1, parents: {} } as const
const place = (thread_id: string, checkpoint_id?: string, checkpoint_ns = '') => ({
  configurable: { thread_id, checkpoint_ns, ...(checkpoint_id && { checkpoint_id }) },
})
/** Stores a checkpoint whose values all have this version. */
async function put(thread: string, id: string, values: Json, more: { parent?: string; ns?: string; v?: number } = {}) {
  const version = saver.getNextVersion(Number(id))
  const versions = Object.fromEntries(Object.keys(values).map((name) => [name, version]))
  const checkpoint: Checkpoint = {
    ...{ v: more.v ?? 4, id, ts: new Date(0).toISOString(), channel_values: values, channel_versions: versions },
    versions_seen: {},
  }
  await saver.put({ ...place(thread, more.parent, more.ns), metadata: {} }, checkpoint, meta, versions)
  return versions
}
/** A thread without checkpoints. */
async function newThread(): Promise<string> {
  const id = randomUUID()
  await db.query('insert into threads (thread_id) values ($1)', [id])
  return id
}
const valuesOf = async (thread: string, id?: string) =>
  (await saver.getTuple(place(thread, id)))?.checkpoint.channel_values
const typesOf = async (table: string, thread: string) =>
  (await db.query<{ type: string }>(`select type from ${table} where thread_id = $1 order by channel`, [thread])).map(
    ({ type }) => type,
  )

describe('a checkpoint', () => {
  test('is the newest one, or the one that was asked for, of its own graph and thread', async () => {
    const thread = await newThread()
    await put(thread, '1', { a: 1 })
    await put(thread, '2', { a: 2 }, { parent: '1' })
    await put(thread, '3', { a: 3 }, { ns: 'inner' })
    await put(await newThread(), '4', { a: 4 })
    expect([await valuesOf(thread), await valuesOf(thread, '1'), await valuesOf(thread, '9')]).toEqual([
      ...[{ a: 2 }, { a: 1 }, undefined],
    ])
    expect(await saver.getTuple(place(thread))).toMatchObject({
      config: place(thread, '2'),
      parentConfig: place(thread, '1'),
    })
    expect((await saver.getTuple(place(thread, '1')))?.parentConfig).toBeUndefined()
    expect((await saver.getTuple(place(thread, undefined, 'inner')))?.checkpoint.channel_values).toEqual({ a: 3 })
  })

  test('names the run that wrote it, without what is the runtime’s own', async () => {
    const thread = await newThread()
    const configurable = { run_id: 'r', graph_id: 'g', assistant_id: undefined, other: 1 }
    const config = { configurable: { ...place(thread).configurable, ...configurable } }
    const checkpoint = { v: 4, id: '1', ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} }
    const metadata = {
      own: 1,
      __internal: 1,
      thread_id: 't',
      checkpoint_ns: 'n',
      checkpoint_id: 'c',
      checkpoint_map: {},
    }
    await saver.put({ ...config, metadata }, checkpoint, meta, {})
    expect((await saver.getTuple(place(thread)))?.metadata).toEqual({ ...meta, run_id: 'r', graph_id: 'g', own: 1 })
  })

  test('that is written again has its new values', async () => {
    const thread = await newThread()
    await put(thread, '1', { a: 1 })
    await put(thread, '1', { a: 2, b: 1 })
    expect(await valuesOf(thread)).toEqual({ a: 2, b: 1 })
  })

  test('stores large values in pieces and others inline, and reads both', async () => {
    const thread = await newThread()
    const values = {
      bytes: new Uint8Array(150_000).fill(7),
      large: LARGE,
      small: LARGE.slice(10),
      text: { deep: [LARGE] },
    }
    await put(thread, '1', values)
    expect(await typesOf('checkpoint_blobs', thread)).toEqual(
      ['Uint8Array', 'pieces', 'json', 'pieces'].map((type) =>
        type === 'Uint8Array' ? expect.not.stringMatching(/pieces|json/) : type,
      ),
    )
    const read = await valuesOf(thread)
    expect({ ...read, bytes: Array.from(read?.bytes as Uint8Array) }).toEqual({
      ...values,
      bytes: Array.from(values.bytes),
    })
  })

  test('needs a thread, and pending writes a checkpoint too', async () => {
    const checkpoint = { v: 4, id: '1', ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} }
    await expect(saver.put({}, checkpoint, meta, {})).rejects.toThrow('needs a thread id')
    for (const configurable of [{ thread_id: 't' }, { checkpoint_id: 'c' }])
      await expect(saver.putWrites({ configurable }, [['a', 1]], 'task')).rejects.toThrow('a checkpoint id')
    await saver.putWrites({}, [], 'task')
  })
})

describe('the history of a thread', () => {
  test('is read newest first, with the values of each checkpoint', async () => {
    const thread = await newThread()
    const first = await put(thread, '1', { a: 1, kept: LARGE })
    const version = saver.getNextVersion(2)
    // The second one has a value of the first.
    const checkpoint = {
      ...{ v: 4, id: '2', ts: '', channel_values: { a: 2 }, versions_seen: {} },
      channel_versions: { a: version, kept: first.kept as number, gone: first.kept as number },
    }
    await saver.put({ ...place(thread, '1'), metadata: {} }, checkpoint, meta, { a: version })
    await put(thread, '3', { a: 3, none: undefined })
    const history = async (options = {}) => {
      const found: Json[] = []
      for await (const tuple of saver.list(place(thread), options)) found.push(tuple.checkpoint.channel_values)
      return found
    }
    const [one, two, three] = [
      { a: 1, kept: LARGE },
      { a: 2, kept: LARGE },
      { a: 3, none: undefined },
    ]
    expect(await history()).toEqual([three, two, one])
    expect(await history({ limit: 2 })).toEqual([three, two])
    expect(await history({ limit: 1.9 })).toEqual([three])
    expect(await history({ before: place(thread, '2') })).toEqual([one])
  })

  test('is that of the newest checkpoints where several threads are read at once', async () => {
    const [a, b, c, none] = [await newThread(), await newThread(), await newThread(), await newThread()]
    await put(a, '1', { v: 'old' })
    await put(a, '2', { v: LARGE, w: 1, none: undefined }, { parent: '1' })
    await put(a, '3', { v: 'inner' }, { ns: 'inner' })
    await put(b, '1', { v: 'b' })
    await put(c, '1', {})
    await saver.putWrites(
      { ...place(a, '2'), metadata: {} },
      [
        ['v', 1],
        ['w', LARGE],
      ],
      'task',
    )
    await saver.putWrites({ ...place(a, '1'), metadata: {} }, [['v', 'old']], 'task')
    await saver.putWrites({ ...place(b, '1'), metadata: {} }, [['v', 2]], 'task')
    const newest = await saver.newestOf([a, b, c, none])
    for (const thread of [a, b, c]) {
      const tuple = await saver.getTuple(place(thread))
      expect(tuple).toBeDefined()
      expect(await newest.getTuple(place(thread))).toEqual(tuple)
    }
    expect(await newest.getTuple(place(none))).toBeUndefined()
    expect((await newest.getTuple(place(a)))?.pendingWrites).toEqual([
      ['task', 'v', 1],
      ['task', 'w', LARGE],
    ])
  })

  test('of an older format has its pending tasks, which were stored with the checkpoint before', async () => {
    const thread = await newThread()
    await put(thread, '1', { a: 1 })
    await saver.putWrites(
      { ...place(thread, '1'), metadata: {} },
      [
        [TASKS, { node: 'n', args: LARGE }],
        ['a', 2],
        [TASKS, 's'],
      ],
      'task',
    )
    await put(thread, '2', { a: 2 }, { parent: '1', v: 3 })
    await put(thread, '3', { a: 3 }, { parent: '1', v: 4 })
    await put(thread, '4', { a: 4 }, { v: 3 })
    await put(thread, '5', { a: 5 }, { parent: '2', v: 3 })
    await put(thread, '6', {}, { parent: '1', v: 3 })
    const tuple = await saver.getTuple(place(thread, '2'))
    expect(tuple?.checkpoint.channel_values).toEqual({ a: 2, [TASKS]: [{ node: 'n', args: LARGE }, 's'] })
    const versions = tuple?.checkpoint.channel_versions
    expect(versions).toEqual({ a: expect.any(String), [TASKS]: versions?.a })
    expect([await valuesOf(thread, '3'), await valuesOf(thread, '4'), await valuesOf(thread, '5')]).toEqual([
      ...[{ a: 3 }, { a: 4 }, { a: 5 }],
    ])
    expect((await saver.getTuple(place(thread, '6')))?.checkpoint.channel_versions).toEqual({ [TASKS]: 1 })
  })
})

describe('pending writes', () => {
  const writesOf = async (thread: string) => (await saver.getTuple(place(thread)))?.pendingWrites
  const write = (thread: string, writes: [string, unknown][], task = 'task') =>
    saver.putWrites({ ...place(thread, '1'), metadata: {} }, writes, task)

  test('of a task are stored once, but its interrupts and errors are replaced', async () => {
    const thread = await newThread()
    await put(thread, '1', {})
    await write(thread, [
      ['a', 1],
      ['b', LARGE],
    ])
    await write(thread, [
      ['a', 'again'],
      ['b', 'again'],
    ])
    await write(thread, [['__error__', 'first']], 'other')
    await write(thread, [['__error__', 'second']], 'other')
    expect(new Set(await writesOf(thread))).toEqual(
      new Set([
        ['task', 'a', 1],
        ['task', 'b', LARGE],
        ['other', '__error__', 'second'],
      ]),
    )
    // One that is no interrupt is enough to store them once.
    await write(
      thread,
      [
        ['__interrupt__', 'first'],
        ['a', 1],
      ],
      'mixed',
    )
    await write(
      thread,
      [
        ['__interrupt__', 'second'],
        ['a', 2],
      ],
      'mixed',
    )
    expect((await writesOf(thread))?.filter(([task]) => task === 'mixed')).toEqual([['mixed', 'a', 1]])
  })

  test('hide the interrupt of a task that was answered, but not that of another one', async () => {
    const thread = await newThread()
    await put(thread, '1', {})
    await write(thread, [['__interrupt__', 'open']], 'waits')
    await write(thread, [['__interrupt__', 'answered']], 'done')
    await write(thread, [['__resume__', 'yes']], 'waits')
    await write(thread, [['a', 1]], 'done')
    expect(new Set(await writesOf(thread))).toEqual(
      new Set([
        ['waits', '__interrupt__', 'open'],
        ['waits', '__resume__', 'yes'],
        ['done', 'a', 1],
      ]),
    )
  })

  test('are stored all or none', async () => {
    const thread = await newThread()
    await put(thread, '1', {})
    const writes = Array.from({ length: 4001 }, (_, n): [string, unknown] => ['a', n])
    await db.query(`create function refuse() returns trigger language plpgsql as
      'begin if new.idx = 4000 then raise exception ''not this one''; end if; return new; end'`)
    await db.query('create trigger refuse before insert on checkpoint_writes for each row execute function refuse()')
    await expect(write(thread, writes)).rejects.toThrow('not this one')
    await db.query('drop trigger refuse on checkpoint_writes')
    expect(await writesOf(thread)).toEqual([])
    await write(thread, writes)
    expect(await writesOf(thread)).toHaveLength(4001)
  })
})
