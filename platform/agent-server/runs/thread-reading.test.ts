import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { type Entry, HEARTBEAT, HEARTBEAT_MS } from './events'
import { type Cursor, type Frame, ThreadReader, type ThreadView } from './thread-reader'

// One stream of all runs of a thread, over runs in memory.

type Row = { run_id: string; seq: number; status: string; is_resumable?: boolean; is_watched?: boolean }
type Asked = { run: string; after: number | undefined; isOfThread: boolean | undefined; modes: unknown }

afterEach(() => void vi.useRealTimers())

const row = (run_id: string, seq: number, more: Partial<Row> = {}): Row => ({ run_id, seq, status: 'running', ...more })
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A stream of the thread `t`; a run's events are `events`, with an end that `end` lets it reach. */
async function open(
  rows: Row[],
  {
    cursor,
    view,
    events = [0, 1],
    signal,
  }: { cursor?: Cursor; view?: Partial<ThreadView>; events?: number[]; signal?: AbortSignal } = {},
) {
  const bus = new EventEmitter()
  const state = {
    rows,
    isThere: true,
    watchers: 0,
    released: [] as string[],
    asked: [] as Asked[],
    failure: undefined as Error | undefined,
  }
  const query = async (sql: string, [, from, runId]: (string | number)[] = []) => {
    if (state.failure) throw state.failure
    if (sql.startsWith('select from threads')) return state.isThere ? [{}] : []
    if (sql.includes('max(seq)')) return [{ seq: Math.max(0, ...state.rows.map(({ seq }) => seq)) || null }]
    const isActive = ({ status }: Row) => status === 'running' || status === 'pending'
    return state.rows.filter(
      (one) => one.seq >= Number(from) || (runId === undefined ? isActive(one) : one.run_id === runId),
    )
  }
  const services = {
    ...{ bus, db: { query } },
    watch: {
      add: async () => {
        state.watchers += 1
        return () => {
          state.watchers -= 1
        }
      },
    },
    readers: {
      subscribe: (run: string) => ({ release: () => state.released.push(run) }),
      async *read(
        { run_id }: Row,
        { after, isOfThread, modes }: { after?: number; isOfThread?: boolean; modes?: unknown },
      ): AsyncGenerator<Entry[]> {
        state.asked.push({ run: run_id, after, isOfThread, modes })
        yield []
        for (const id of events) yield [{ id, event: 'values', data: `${run_id} ${id}` }]
        yield [{ id: events.length, event: 'end', data: `${run_id} end` }]
      },
    },
  }
  const leave = new AbortController()
  const given: ThreadView = {
    wanted: { modes: ['values'] },
    framesOf: ({ seq }, entries) => entries.map(({ id, event, data }) => ({ id: `${seq}-${id}`, event, data })),
    ...view,
  }
  const body = await new ThreadReader(services as never, 't', given, signal ?? leave.signal).open(cursor)
  const reader = body.getReader()
  /** The data of the next events, or undefined at the end of the stream. */
  const next = async () => {
    const { done, value } = await reader.read()
    return done
      ? undefined
      : [
          ...Buffer.from(value)
            .toString()
            .matchAll(/data: (.*)/g),
        ].map(([, data]) => data)
  }
  const until = async (last: string) => {
    const seen: unknown[] = []
    while (!seen.includes(last)) {
      const more = await next()
      if (!more) throw new Error(`The stream ended before ${last}: ${seen}`)
      seen.push(...more)
    }
    return seen
  }
  const announce = (change: object) => bus.emit('thread', { thread: 't', ...change })
  return { bus, state, reader, next, until, announce, leave: () => leave.abort() }
}

test('the stream starts at once, with a comment', async () => {
  const { reader, leave } = await open([])
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(HEARTBEAT)
  leave()
})

test('a run of this process and one of another are read once each, however often they are announced', async () => {
  const rows: Row[] = []
  const { state, until, announce, leave } = await open(rows)
  rows.push(row('here', 1))
  announce({ thread: 'other', run: 'other' })
  announce({ run: 'here' })
  announce({ run: 'here' })
  expect(await until('here end')).toEqual(['here 0', 'here 1', 'here end'])
  rows.push(row('elsewhere', 2))
  announce({ run: 'elsewhere', isElsewhere: true })
  announce({ run: 'elsewhere', isElsewhere: true })
  expect(await until('elsewhere end')).toEqual(['elsewhere 0', 'elsewhere 1', 'elsewhere end'])
  expect(new Set(state.asked.map(({ run, after }) => `${run} ${after}`))).toEqual(
    new Set(['here undefined', 'elsewhere -1']),
  )
  expect(state.asked[0]).toMatchObject({ isOfThread: true, modes: ['values'] })
  expect(state.released).toEqual(['here'])
  leave()
})

test('a run that is announced but not found is not read', async () => {
  const { state, announce, leave } = await open([])
  announce({ run: 'gone' })
  announce({ run: 'gone too', isElsewhere: true })
  await settle()
  expect([state.asked, state.released]).toEqual([[], ['gone']])
  leave()
})

test('a run that the reader does not want is left out', async () => {
  const rows: Row[] = []
  const view = { includes: ({ run_id }: { run_id: string }) => run_id !== 'unwanted' }
  const { state, until, announce, leave } = await open(rows, { view })
  rows.push(row('unwanted', 1), row('wanted', 2))
  announce({ run: 'unwanted' })
  announce({ run: 'wanted' })
  expect(await until('wanted end')).toEqual(['wanted 0', 'wanted 1', 'wanted end'])
  expect(state.released).toEqual(['unwanted'])
  leave()
})

test('a cursor continues its own run after its event, and later ones from the start', async () => {
  const rows = [
    row('first', 1, { status: 'success' }),
    row('second', 2, { status: 'success', is_resumable: true }),
    row('third', 3),
  ]
  const { state, until, leave } = await open(rows, { cursor: { seq: 2, id: 0 } })
  const seen = await until('third end')
  const after = Object.fromEntries(state.asked.map((one) => [one.run, one.after]))
  expect(after).toEqual({ second: 0, third: -1 })
  expect(seen).toEqual(['second 1', 'second end', 'third 0', 'third 1', 'third end'])
  leave()
})

test.each([{ is_resumable: true }, { is_watched: true }])(
  'an end that the reader has is not sent again, of a run with %j',
  async (kept) => {
    const rows = [row('first', 1, { status: 'success', ...kept }), row('second', 2)]
    const { until, leave } = await open(rows, { cursor: { seq: 1, id: 2 } })
    expect(await until('second end')).toEqual(['second 0', 'second 1', 'second end'])
    leave()
  },
)

test('without a cursor only runs in progress are read, from now on', async () => {
  const rows = [row('first', 1, { status: 'success' }), row('second', 2)]
  const { state, until, leave } = await open(rows)
  await until('second end')
  expect(state.asked.map(({ run, after }) => [run, after])).toEqual([['second', undefined]])
  leave()
})

test('the state follows each end and each update, after the last event', async () => {
  const rows: Row[] = []
  const afterChange = async ({ seq, id }: Cursor): Promise<Frame[]> => [
    { id: '', event: 'state', data: `state ${seq}-${id}` },
  ]
  const { until, announce, leave } = await open(rows, { view: { afterChange } })
  announce({})
  expect(await until('state 0-0')).toEqual(['state 0-0'])
  rows.push(row('one', 4))
  announce({ run: 'one' })
  expect(await until('state 4-2')).toEqual(['one 0', 'one 1', 'one end', 'state 4-2'])
  announce({})
  expect(await until('state 4-2')).toEqual(['state 4-2'])
  leave()
})

test('without frames nothing is sent', async () => {
  const rows: Row[] = []
  const view = {
    framesOf: () => [],
    afterChange: async (last: Cursor) => (last.id < 2 ? [] : [{ id: '', event: 'state', data: 'state' }]),
  }
  const { next, announce, leave } = await open(rows, { view })
  expect(await next()).toEqual([])
  rows.push(row('one', 1))
  announce({ run: 'one' })
  expect(await next()).toEqual(['state'])
  leave()
})

test('a silent stream looks for runs that nobody announced, and ends with its thread', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const rows: Row[] = []
  const { state, next, until } = await open(rows)
  expect(await next()).toEqual([])
  rows.push(row('silent', 1))
  const silent = next()
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
  expect(await silent).toEqual([])
  expect(await until('silent end')).toEqual(['silent 0', 'silent 1', 'silent end'])
  state.isThere = false
  const last = next()
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
  expect([await last, state.watchers]).toEqual([undefined, 0])
})

test('a deleted thread ends the stream at once', async () => {
  const { bus, state, next, announce } = await open([])
  await next()
  const last = next()
  announce({ thread: 'other', isGone: true })
  announce({ isGone: true })
  expect([await last, state.watchers, bus.listenerCount('thread')]).toEqual([undefined, 0, 0])
})

test.each(['leaves', 'cancels'])('a reader that %s leaves nothing behind', async (way) => {
  const { bus, state, reader, next, leave } = await open([])
  await next()
  expect([state.watchers, bus.listenerCount('thread')]).toEqual([1, 1])
  if (way === 'leaves') leave()
  else await reader.cancel()
  expect([state.watchers, bus.listenerCount('thread')]).toEqual([0, 0])
  expect(await next()).toBeUndefined()
})

test('a reader that is gone before the stream begins leaves nothing behind', async () => {
  const { bus, state } = await open([], { signal: AbortSignal.abort() })
  expect([state.watchers, bus.listenerCount('thread')]).toEqual([0, 0])
})

test.each([{ run: 'one' }, { run: 'one', isElsewhere: true }, {}])(
  'a failure to read %j breaks the stream',
  async (change) => {
    const afterChange = async () => {
      throw new Error('no state')
    }
    const { state, next, announce } = await open([], { view: { afterChange } })
    await next()
    state.failure = new Error('no database')
    announce(change)
    await expect(next()).rejects.toThrow('run' in change ? 'no database' : 'no state')
    expect(state.watchers).toBe(0)
  },
)
