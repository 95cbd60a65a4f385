import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { StateSnapshot } from '@langchain/langgraph'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { testTables } from '../testing'
import type { ThreadStates } from '../threads/thread-state'
import { Threads } from '../threads/threads'
import { type EventStore, EventWriter } from './event-store'
import { RunLog } from './events'
import type { AttemptResult } from './execute'
import { RunFinisher } from './finish'
import type { RunRow } from './run-record'
import { Runs } from './runs'

// The ends of runs in the store, as this process or another one comes to them.

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
let told: unknown[]
let bus: Bus
/** What the graph says of the thread; undefined if it cannot be read. */
let state: StateSnapshot | undefined
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
})
afterAll(() => tables.close())
beforeEach(() => {
  told = []
  state = undefined
  const tell = async (message: object) => void told.push(message)
  const emitter = Object.assign(new EventEmitter(), {
    ...{ instance: 1, holdBack: () => () => {}, tell, send: tell, tellThread: () => {} },
  })
  bus = emitter as unknown as Bus
})

const snapshot = (more: object = {}) => ({ values: { v: 1 }, next: [], tasks: [], ...more }) as unknown as StateSnapshot
const asking = () => snapshot({ next: ['n'], tasks: [{ interrupts: [{ id: 'i' }] }] })
async function create(body: object = {}, { thread = '', plan = {} } = {}): Promise<RunRow> {
  const request = {
    ...{ threadId: thread || randomUUID(), assistantId: 'a', graphId: 'g', metadata: {}, strategy: 'enqueue' as const },
    body: { assistant_id: 'a', if_not_exists: 'create' as const, ...body },
    plan: { config: { configurable: {} }, context: {}, deletesThread: false, ...plan },
    place: undefined,
  }
  return new Runs(db, bus).create(request, randomUUID())
}
/** Claimed by an instance, as the queue does. */
async function claimed(row: RunRow, more: Partial<RunRow> = {}): Promise<RunRow> {
  const [run] = await db.query<RunRow>(
    `update runs set status = 'running', owner = $2, attempt = $3, crashes = $4, cancel = $5 where run_id = $1 returning *`,
    [row.run_id, more.owner ?? 1, more.attempt ?? 1, more.crashes ?? 0, more.cancel ?? null],
  )
  return run as RunRow
}
const running = async (body: object = {}, more: Partial<RunRow> = {}) => claimed(await create(body), more)
const runOf = async (run: RunRow) =>
  (await db.query<Record<string, unknown>>('select * from runs where run_id = $1', [run.run_id]))[0]
const threadOf = async (run: RunRow) =>
  (await db.query<Record<string, unknown>>('select * from threads where thread_id = $1', [run.thread_id]))[0]
/** The newest attempt's step, as the checkpointer stores it. */
const storeStep = (run: RunRow, attempt = run.attempt) =>
  db.query(
    `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint, metadata) values ($1, '', 'c', '{}', $2)`,
    [run.thread_id, { run_id: run.run_id, run_attempt: attempt }],
  )

let notices = 0
function finisher() {
  notices = 0
  const states = {
    snapshot: async () => {
      if (!state) throw new Error('no graph')
      return state
    },
  } as unknown as ThreadStates
  return new RunFinisher(db, bus, new Threads(db), states, () => {
    notices += 1
  })
}
/** Ends an attempt; returns its outcome and what readers of its log got. */
async function finish(run: RunRow, result: AttemptResult, isKept = false) {
  told = []
  const offers: string[] = []
  bus.on('claimable', ({ run }) => offers.push(run))
  const log = new RunLog(run.run_id, 0)
  log.publish('metadata', '{}')
  const reader = log.attach()
  const store = { flush: async () => void told.push('flushed') } as unknown as EventStore
  const writer = new EventWriter(store, run.run_id, run.attempt, isKept, false)
  const status = await finisher().finish(run, result, log, writer)
  const events = reader.size > 0 ? ((await reader.take(1)) ?? []) : []
  return { status, log, offers, events: events.map(({ id, event, data }) => [id, event, JSON.parse(data)]) }
}
const failed = { kind: 'failed', error: { error: 'E', message: 'no' }, thrown: undefined } as const
const stopped = (reason: 'interrupt' | 'rollback' | 'released') => ({ kind: 'stopped', reason }) as const

describe('the end of a run', () => {
  test.each([
    ['a graph that is done', { kind: 'done', snapshot: snapshot() }, 'success', 'idle'],
    ['a graph that asks', { kind: 'done', snapshot: asking() }, 'interrupted', 'interrupted'],
    ['a breakpoint', { kind: 'done', snapshot: snapshot({ next: ['n'] }) }, 'interrupted', 'interrupted'],
    ['a failure', failed, 'error', 'error'],
    ['a cancellation', stopped('interrupt'), 'interrupted', 'idle'],
  ] as [string, AttemptResult, string, string][])(
    'after %s shows in the run, the thread and the stream',
    async (_, result, status, resting) => {
      const run = await running()
      state = snapshot({ next: ['n'] })
      const { events, log, ...ended } = await finish(run, result)
      const error = result.kind === 'failed' ? result.error : null
      expect(ended).toEqual({ status, offers: [] })
      expect(await runOf(run)).toMatchObject({ status, error, owner: null })
      expect(await threadOf(run)).toMatchObject({ status: resting, resting, error })
      expect(events).toEqual([
        ...(error ? [[1, 'error', error]] : []),
        [error ? 2 : 1, 'end', { run_id: run.run_id, status }],
      ])
      expect(log.outcome).toMatchObject({ status, error: error ?? undefined })
      expect([log.isOver, told, notices]).toEqual([true, [{ kind: 'ended', run: run.run_id }], 0])
    },
  )

  test('leaves a question open that the state still has, and works without a state', async () => {
    const [asked, unknown] = [await running(), await running()]
    state = snapshot({ tasks: [{ interrupts: [] }, { interrupts: [{ id: 'i' }] }] })
    await finish(asked, stopped('interrupt'))
    expect((await threadOf(asked))?.status).toBe('interrupted')
    state = undefined
    await finish(unknown, stopped('interrupt'))
    expect((await threadOf(unknown))?.status).toBe('idle')
  })

  test('clears the error of the run before, but a rollback keeps it', async () => {
    const run = await running()
    await finish(run, failed)
    const next = await claimed(await create({}, { thread: run.thread_id }))
    await finish(next, stopped('rollback'))
    expect(await threadOf(run)).toMatchObject({ status: 'error', error: failed.error })
    expect(await runOf(next)).toBeUndefined()
    await finish(await claimed(await create({}, { thread: run.thread_id })), { kind: 'done', snapshot: snapshot() })
    expect(await threadOf(run)).toMatchObject({ status: 'idle', error: null })
  })

  test('offers the next run of the thread, which stays busy', async () => {
    const run = await running()
    const next = await create({}, { thread: run.thread_id })
    const { offers } = await finish(run, { kind: 'done', snapshot: snapshot() })
    expect([offers, await threadOf(run)]).toMatchObject([[next.run_id], { status: 'busy', resting: 'idle' }])
  })

  test('stores its events with it, if they are kept', async () => {
    const run = await running()
    await finish(run, failed, true)
    const rows = await db.query('select id::int as id, event from run_events where run_id = $1 order by id', [
      run.run_id,
    ])
    expect(rows).toEqual([
      { id: 1, event: 'error' },
      { id: 2, event: 'end' },
    ])
    expect(told[0]).toBe('flushed')
  })

  test('wakes what sends its webhook', async () => {
    await finish(await running({ webhook: 'http://example.com/' }), { kind: 'done', snapshot: snapshot() })
    expect(notices).toBe(1)
  })

  test.each([
    ['of its own process', 1, false, [undefined, 0]],
    ['of its own process that can be resumed', 1, true, [undefined, 1]],
    ['of another process', 2, false, ['later', 1]],
  ])('removes its temporary thread with a request %s', async (_, creator, stream_resumable, expected) => {
    const row = await create({ stream_resumable }, { plan: { deletesThread: true } })
    await db.query(`insert into run_events (run_id, id, event, data) values ($1, 0, 'custom', '1')`, [row.run_id])
    await db.query('update runs set creator = $2 where run_id = $1', [row.run_id, creator])
    const run = await claimed({ ...row, creator })
    await finish(run, { kind: 'done', snapshot: snapshot() })
    const events = await db.query('select from run_events where run_id = $1', [run.run_id])
    expect([(await threadOf(run)) && 'later', events.length]).toEqual(expected)
    if (expected[0]) expect((await threadOf(run))?.expires_at).toBeInstanceOf(Date)
  })

  test('is a rollback if one was asked for at the last moment', async () => {
    const run = await running({}, { cancel: 'rollback' })
    const { status, events } = await finish(run, { kind: 'done', snapshot: snapshot() })
    expect([status, await runOf(run), events]).toEqual([
      ...['rollback', undefined, [[1, 'end', { run_id: run.run_id, status: 'rollback' }]]],
    ])
  })

  test('is not stored by an attempt that has lost the run, whose readers go on with the next one', async () => {
    const run = await running()
    await claimed(run, { attempt: 2, owner: 2 })
    const { status, log, events } = await finish(run, { kind: 'done', snapshot: snapshot() })
    expect([status, log.isOver, events, told]).toEqual(['released', false, [], []])
    expect(await runOf(run)).toMatchObject({ status: 'running', owner: 2 })
  })

  test('is not undone by an attempt that has lost the run', async () => {
    const run = await running({}, { cancel: 'rollback' })
    await storeStep(run)
    await claimed(run, { attempt: 2, owner: 2, cancel: 'rollback' })
    const { status } = await finish(run, stopped('rollback'))
    const steps = await db.query('select from checkpoints where thread_id = $1', [run.thread_id])
    expect([status, steps.length, await runOf(run)]).toMatchObject(['released', 1, { status: 'running', owner: 2 }])
  })

  test('of a deleted run ends its stream', async () => {
    const run = await running()
    await db.query('delete from runs where run_id = $1', [run.run_id])
    const { log, events } = await finish(run, { kind: 'done', snapshot: snapshot() })
    expect([log.outcome?.status, log.isOver, events.length]).toEqual(['gone', true, 1])
  })

  test('that cannot be stored is the caller’s to repeat', async () => {
    const run = await running()
    await db.query(`alter table runs rename to runs_away`)
    await expect(finish(run, { kind: 'done', snapshot: snapshot() })).rejects.toThrow('does not exist')
    await db.query(`alter table runs_away rename to runs`)
  })
})

describe('a run that is given back', () => {
  test('waits for another process, and its crashes stay as they are', async () => {
    const run = await running({}, { crashes: 2 })
    const { status, log } = await finish(run, stopped('released'))
    expect([status, log.isOver, await runOf(run)]).toMatchObject([
      ...['released', false, { status: 'pending', owner: null, crashes: 2 }],
    ])
    expect(told).toEqual([
      { kind: 'ended', run: run.run_id },
      { kind: 'waiting', run: run.run_id, creator: 1, dueMs: expect.any(Number) },
    ])
  })

  test('is left alone if another attempt has it', async () => {
    const run = await running()
    await claimed(run, { attempt: 2 })
    await finish(run, stopped('released'))
    expect([(await runOf(run))?.status, told]).toEqual(['running', [{ kind: 'ended', run: run.run_id }]])
  })

  const lost = { kind: 'lost', error: { error: 'StoreLost', message: 'gone' } } as const
  test.each([
    ['is tried again', { crashes: 8 }, false, { status: 'pending', crashes: 9 }],
    ['has failed after ten losses without a step', { crashes: 9 }, false, { status: 'error', error: lost.error }],
    ['is tried again after any number with a step', { crashes: 50 }, true, { status: 'pending', crashes: 1 }],
    ['is tried again in its 99th attempt', { attempt: 99 }, true, { status: 'pending', crashes: 1 }],
    ['has failed in its hundredth attempt', { attempt: 100 }, true, { status: 'error', error: lost.error }],
  ])('because its store was lost %s', async (_, more, hasStep, expected) => {
    const run = await running({}, more)
    await storeStep(run, hasStep ? run.attempt : run.attempt + 1)
    const { status } = await finish(run, lost)
    expect([status, await runOf(run)]).toMatchObject([expected.status === 'error' ? 'error' : 'released', expected])
  })
})

describe('the runs of a process that is gone', () => {
  let instance = 100
  const orphan = async (more: Partial<RunRow> = {}, body: object = {}) => running(body, { owner: instance, ...more })
  const take = async () => {
    told = []
    const losses = await finisher().takeFrom(instance)
    instance += 1
    return losses.map(({ run, crashes, isLast }) => [run.run_id, crashes, isLast])
  }

  test('go back to the queue, whose processes are told of one of them', async () => {
    const [a, b] = [await orphan({ crashes: 3 }), await orphan()]
    await storeStep(b)
    expect(new Set(await take())).toEqual(
      new Set([
        [a.run_id, 4, false],
        [b.run_id, 1, false],
      ]),
    )
    for (const [run, crashes] of [
      [a, 4],
      [b, 1],
    ] as const)
      expect(await runOf(run)).toMatchObject({ status: 'pending', owner: null, crashes })
    expect(told.filter((one) => (one as { kind: string }).kind === 'ended')).toHaveLength(2)
    expect(told.filter((one) => (one as { kind: string }).kind === 'waiting')).toHaveLength(1)
    expect(await take()).toEqual([])
  })

  test('have failed if one was alone three times, or with others ten times', async () => {
    const alone = await orphan({ crashes: 1 })
    await take()
    expect(await runOf(alone)).toMatchObject({ status: 'pending', crashes: 2 })
    const third = await orphan({ crashes: 2, attempt: 3 })
    state = snapshot()
    expect(await take()).toEqual([[third.run_id, 3, true]])
    const message = 'The process that executed this run ended again and again, last in attempt 3.'
    expect(await runOf(third)).toMatchObject({
      status: 'error',
      error: { error: 'ProcessCrashed', message },
      owner: null,
    })
    expect(await threadOf(third)).toMatchObject({ status: 'error', error: { message } })
    expect(told).toEqual([{ kind: 'ended', run: third.run_id }])
    const [ninth, tenth] = [await orphan({ crashes: 8 }), await orphan({ crashes: 9 })]
    await take()
    expect([await runOf(ninth), await runOf(tenth)]).toMatchObject([{ status: 'pending' }, { status: 'error' }])
  })

  test('end as was asked if they were cancelled', async () => {
    const [stopped, back] = [await orphan({ cancel: 'interrupt' }), await orphan({ cancel: 'rollback', crashes: 9 })]
    await storeStep(back)
    state = asking()
    await take()
    expect([await runOf(stopped), await threadOf(stopped)]).toMatchObject([
      { status: 'interrupted', error: null },
      { status: 'interrupted', error: null },
    ])
    const left = await db.query('select from checkpoints where thread_id = $1', [back.thread_id])
    expect([await runOf(back), left, (await threadOf(back))?.status]).toEqual([undefined, [], 'idle'])
  })

  test('queue their notices too', async () => {
    await orphan({ cancel: 'interrupt' }, { webhook: 'http://example.com/' })
    await take()
    expect(notices).toBe(1)
  })
})
