import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { testTables } from '../testing'
import type { Ttl } from '../threads/threads'
import { type RunRow, runOut, withInput } from './run-record'
import type { RunRequest } from './run-request'
import { Runs } from './runs'

// The records of runs, without a queue that would execute them.

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
let told: unknown[]
let bus: EventEmitter
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
})
afterAll(() => tables.close())
beforeEach(() => {
  told = []
  bus = Object.assign(new EventEmitter(), {
    instance: 1,
    holdBack: () => () => void told.push('released'),
    tell: async (message: object) => void told.push(message),
    tellThread: (change: object, isWatched?: boolean) => void told.push({ ...change, isWatched }),
  })
  bus.on('claimable', (run) => told.push({ claimable: run.run, creator: run.creator, dueMs: run.dueMs }))
})
const runsOf = (ttl?: Ttl) => new Runs(db, bus as unknown as Bus, ttl)

type More = Partial<Omit<RunRequest, 'body' | 'plan'>> & { body?: object; plan?: object }
const request = (threadId: string | undefined, { body, plan, ...more }: More = {}): RunRequest => ({
  ...{ threadId, assistantId: 'a', graphId: 'g', metadata: {}, strategy: 'enqueue', place: undefined },
  body: { assistant_id: 'a', ...body },
  plan: { config: { configurable: {} }, context: {}, deletesThread: false, ...plan },
  ...more,
})
async function newThread(): Promise<string> {
  const id = randomUUID()
  await db.query('insert into threads (thread_id) values ($1)', [id])
  return id
}
const threadOf = async (id: string) =>
  (await db.query<Record<string, unknown>>('select * from threads where thread_id = $1', [id]))[0]
const runOf = async (id: string) =>
  (await db.query<Record<string, unknown>>('select * from runs where run_id = $1', [id]))[0]
const create = (threadId: string | undefined, more?: More, id = randomUUID()) =>
  runsOf().create(request(threadId, more), id)
/** As the queue does. */
const begin = (id: string) => db.query(`update runs set status = 'running', owner = 1 where run_id = $1`, [id])
const end = (id: string) => db.query(`update runs set status = 'success', owner = null where run_id = $1`, [id])

describe('a new run', () => {
  test('is pending, makes its thread busy, and is announced once it is stored', async () => {
    const thread = await newThread()
    const config = { tags: ['t'], configurable: {} }
    const row = await create(thread.toUpperCase(), { metadata: { m: 1 }, plan: { config } })
    expect(row).toMatchObject({
      ...{ thread_id: thread, status: 'pending', ordinal: 1, creator: 1, owner: null, attempt: 0, input_pieces: null },
      ...{ is_resumable: false, is_watched: false, metadata: { m: 1, graph_id: 'g', assistant_id: 'a' } },
    })
    expect(await threadOf(thread)).toMatchObject({ status: 'busy', metadata: { m: 1, graph_id: 'g' }, config })
    expect(told).toEqual([
      { thread, run: row.run_id, isWatched: false },
      { claimable: row.run_id, creator: 1, dueMs: 0 },
      'released',
    ])
  })

  test('has the next number of its thread, and is stored for readers in other processes', async () => {
    const thread = await newThread()
    await create(thread)
    await db.query('insert into thread_readers (thread_id, instance) values ($1, 2)', [thread])
    const row = await create(thread, { body: { stream_resumable: true } })
    expect(row).toMatchObject({ ordinal: 2, is_watched: true, is_resumable: true })
    expect(told).toContainEqual({ thread, run: row.run_id, isWatched: true })
  })

  test.each([
    ['after one that runs waits for the end of that one', 'running', {}, false, 0],
    ['after one that runs is offered when it is due later', 'running', { after_seconds: 5 }, true, 5000],
    ['after one that waits is offered too', 'pending', {}, true, 0],
  ])('%s', async (_, status, body, isOffered, dueMs) => {
    const thread = await newThread()
    const first = await create(thread)
    if (status === 'running') await begin(first.run_id)
    told = []
    const row = await create(thread, { body })
    const offers = told.filter((one) => (one as object | string) !== 'released' && 'claimable' in (one as object))
    expect(offers).toEqual(isOffered ? [{ claimable: row.run_id, creator: 1, dueMs }] : [])
  })

  test('gets a thread of its own, which is removed with it or lives as long as others', async () => {
    const ttl = { ttl: 60, strategy: 'keep_latest' } as const
    const [gone, kept] = await Promise.all([
      runsOf(ttl).create(request(undefined, { plan: { deletesThread: true } }), randomUUID()),
      runsOf(ttl).create(request(undefined), randomUUID()),
    ])
    expect(await threadOf(gone.thread_id)).toMatchObject({ is_temporary: true, ttl_minutes: null, expires_at: null })
    expect(await threadOf(kept.thread_id)).toMatchObject({
      ...{ is_temporary: false, ttl_minutes: 60, ttl_strategy: 'keep_latest', expires_at: expect.any(Date) },
    })
  })

  test('on an unknown thread is refused unless it may create it', async () => {
    const id = randomUUID()
    await expect(create(id)).rejects.toMatchObject({ status: 404 })
    expect(told).toEqual(['released'])
    expect(await create(id, { body: { if_not_exists: 'create' } })).toMatchObject({ thread_id: id })
    expect(await create(id, { body: { if_not_exists: 'create' } })).toMatchObject({ ordinal: 2 })
  })

  test('at an unknown checkpoint is refused', async () => {
    const thread = await newThread()
    const place = { checkpoint_id: 'c', checkpoint_ns: 'n' }
    await expect(create(thread, { place })).rejects.toMatchObject({
      status: 404,
      detail: expect.stringContaining(' c.'),
    })
    const insert = `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint, metadata) values ($1, $2, 'c', '{}', '{}')`
    await db.query(insert, [thread, 'n'])
    expect(await create(thread, { place })).toMatchObject({ status: 'pending' })
    await expect(create(thread, { place: { checkpoint_id: 'c' } })).rejects.toMatchObject({ status: 404 })
    await db.query(insert, [thread, ''])
    expect(await create(thread, { place: { checkpoint_id: 'c' } })).toMatchObject({ status: 'pending' })
    expect(await create(thread, { place: { checkpoint_ns: 'other' } as never })).toMatchObject({ status: 'pending' })
  })

  test('and its thread are not stored if what belongs to it fails', async () => {
    const id = randomUUID()
    const also = async () => {
      throw new Error('already fired')
    }
    const given = request(id, { body: { if_not_exists: 'create' } })
    await expect(runsOf().create(given, randomUUID(), also)).rejects.toThrow('already fired')
    expect([await threadOf(id), told]).toEqual([undefined, ['released']])
  })

  test('with a large input stores it apart, and is read with it', async () => {
    const thread = await newThread()
    const input = { text: 'x'.repeat(200_000) }
    const row = await create(thread, { body: { input, webhook: 'http://a/' } })
    expect([row.kwargs.input, row.kwargs.webhook, row.input_pieces?.length]).toEqual([
      ...[undefined, 'http://a/', expect.any(Number)],
    ])
    expect((await runsOf().out(row)).kwargs).toEqual({ assistant_id: 'a', webhook: 'http://a/', input })
    expect(await withInput(db.query, row)).toMatchObject({ input_pieces: null })
    const small = await create(thread, { body: { input: { text: 'x' } } })
    expect(await withInput(db.query, small)).toBe(small)
    await runsOf().remove(row.run_id)
    expect(await db.query('select from large_pieces where thread_id = $1', [thread])).toEqual([])
  })
})

describe('a busy thread', () => {
  /** A thread with a running and a pending run. */
  async function busy() {
    const thread = await newThread()
    const [first, second] = [await create(thread), await create(thread)]
    await begin(first.run_id)
    told = []
    return { thread, first: first.run_id, second: second.run_id }
  }

  test('takes a run that waits, and refuses one that must not', async () => {
    const { thread, first, second } = await busy()
    await create(thread)
    expect([await runOf(first), await runOf(second)]).toMatchObject([{ cancel: null }, { status: 'pending' }])
    await expect(create(thread, { strategy: 'reject' })).rejects.toMatchObject({
      ...{ status: 409, detail: expect.stringContaining(`${first} is running`) },
    })
    expect(await create(await newThread(), { strategy: 'reject' })).toMatchObject({ status: 'pending' })
  })

  test('stops all its runs for one that interrupts', async () => {
    const { thread, first, second } = await busy()
    const { run_id } = await create(thread, { strategy: 'interrupt' })
    expect([await runOf(first), await runOf(second)]).toMatchObject([
      { status: 'running', cancel: 'interrupt' },
      { status: 'interrupted', cancel: null },
    ])
    expect(told).toEqual([
      { thread, run: run_id, isWatched: false },
      { kind: 'cancel', run: first },
      { kind: 'ended', run: second },
      'released',
    ])
  })

  test('removes what waits for one that rolls back', async () => {
    const { thread, first, second } = await busy()
    await create(thread, { strategy: 'rollback' })
    expect([(await runOf(first))?.cancel, await runOf(second)]).toEqual(['rollback', undefined])
  })
})

describe('cancelling', () => {
  test('marks a running run, whose rollback stays requested', async () => {
    const { run_id } = await create(await newThread())
    await begin(run_id)
    told = []
    expect(await runsOf().cancel(run_id, 'rollback')).toBe(true)
    expect(await runsOf().cancel(run_id, 'interrupt')).toBe(true)
    expect(await runOf(run_id)).toMatchObject({ status: 'running', cancel: 'rollback' })
    expect(told).toEqual(Array(2).fill({ kind: 'cancel', run: run_id }))
  })

  test('does nothing to a run that has ended or is gone', async () => {
    const { run_id } = await create(await newThread())
    await end(run_id)
    told = []
    expect([await runsOf().cancel(run_id, 'interrupt'), await runsOf().cancel(randomUUID(), 'interrupt')]).toEqual([
      ...[false, false],
    ])
    expect([(await runOf(run_id))?.status, told]).toEqual(['success', []])
  })

  test('ends a pending run at once, and offers the one after it', async () => {
    const thread = await newThread()
    const [first, second] = [await create(thread), await create(thread)]
    told = []
    await runsOf().cancel(first.run_id, 'interrupt')
    expect((await runOf(first.run_id))?.status).toBe('interrupted')
    expect(told).toEqual([
      { kind: 'ended', run: first.run_id },
      { claimable: second.run_id, creator: 1, dueMs: expect.any(Number) },
    ])
    await runsOf().cancel(second.run_id, 'interrupt')
    expect([told.length, (await threadOf(thread))?.status]).toEqual([3, 'idle'])
  })

  test.each([
    ['interrupt', 1],
    ['rollback', 0],
  ] as const)('by %s of a pending run leaves %i notices', async (action, count) => {
    const body = { webhook: 'http://example.com/' }
    const { run_id } = await create(await newThread(), { body })
    await runsOf().cancel(run_id, action)
    expect(await db.query('select from webhooks where run_id = $1', [run_id])).toHaveLength(count)
    expect((await runOf(run_id))?.status).toBe(action === 'interrupt' ? 'interrupted' : undefined)
  })

  test('a pending run that has a temporary thread removes both', async () => {
    const { run_id, thread_id } = await create(undefined, { plan: { deletesThread: true } })
    await runsOf().cancel(run_id, 'interrupt')
    expect([await runOf(run_id), await threadOf(thread_id)]).toEqual([undefined, undefined])
  })
})

describe('removing', () => {
  test('takes the stored events along, frees the thread and offers the next run', async () => {
    const thread = await newThread()
    const [first, second] = [await create(thread), await create(thread)]
    await db.query(`insert into run_events (run_id, id, event, data) values ($1, 1, 'custom', '1')`, [first.run_id])
    told = []
    await runsOf().remove(first.run_id)
    expect([
      await runOf(first.run_id),
      await db.query('select from run_events where run_id = $1', [first.run_id]),
    ]).toEqual([...[undefined, []]])
    expect(told).toEqual([
      { kind: 'ended', run: first.run_id },
      { claimable: second.run_id, creator: 1, dueMs: expect.any(Number) },
    ])
    await runsOf().remove(second.run_id)
    expect([(await threadOf(thread))?.status, told.length]).toEqual(['idle', 3])
    await runsOf().remove(second.run_id)
    expect(told).toHaveLength(4)
  })

  test('a thread is told to its readers', () => {
    runsOf().announceThreadDeleted('t')
    expect(told).toEqual([{ thread: 't', isGone: true, isWatched: undefined }])
  })
})

describe('reading', () => {
  test('lists the newest ten first, with the total, by status and page', async () => {
    const thread = await newThread()
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.unshift((await create(thread)).run_id)
    await end(ids[0] as string)
    const list = async (page: Parameters<Runs['list']>[1]) => {
      const { rows, total } = await runsOf().list(thread.toUpperCase(), page)
      return [rows.map(({ run_id }) => run_id), total]
    }
    expect(await list({})).toEqual([ids.slice(0, 10), 12])
    expect(await list({ limit: 3, offset: 10 })).toEqual([ids.slice(10), 12])
    expect(await list({ status: 'success' })).toEqual([[ids[0]], 1])
    expect(await list({ status: 'error' })).toEqual([[], 0])
  })

  test('finds a run by any spelling of its ids, on its own thread only', async () => {
    const { run_id, thread_id } = await create(await newThread())
    const runs = runsOf()
    expect((await runs.get(run_id.toUpperCase())).run_id).toBe(run_id)
    expect((await runs.get(run_id, thread_id.toUpperCase())).run_id).toBe(run_id)
    await expect(runs.get(run_id, randomUUID())).rejects.toMatchObject({ status: 404 })
    await expect(runs.get(randomUUID())).rejects.toMatchObject({ status: 404 })
  })

  test('finds the runs in progress by thread, id, status and the thread’s metadata', async () => {
    const [thread, other] = [await newThread(), await newThread()]
    const [a, b, c] = [await create(thread), await create(thread), await create(other, { metadata: { k: 1 } })]
    await begin(a.run_id)
    const ids = [a, b, c].map(({ run_id }) => run_id)
    const find = async (filter: Parameters<Runs['inProgress']>[0]) =>
      (await runsOf().inProgress({ runIds: ids, ...filter })).map((id) => ids.indexOf(id))
    expect(await find({})).toEqual([0, 1, 2])
    expect(await find({ threadId: thread.toUpperCase() })).toEqual([0, 1])
    expect([await find({ status: 'running' }), await find({ status: 'all' })]).toEqual([[0], [0, 1, 2]])
    expect(await find({ runIds: [ids[1] as string] })).toEqual([1])
    await end(ids[0] as string)
    expect(await find({ runIds: null, threadId: thread })).toEqual([1])
    expect(await find({ only: ['{"k":1}'] })).toEqual([2])
  })
})

test('a record has the fields that clients know', async () => {
  const row: RunRow = await create(await newThread(), { metadata: { m: 1 } })
  expect(Object.keys(runOut(row)).sort()).toEqual([
    ...['assistant_id', 'created_at', 'kwargs', 'metadata', 'multitask_strategy', 'run_id', 'status', 'thread_id'],
    'updated_at',
  ])
})
