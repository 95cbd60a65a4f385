import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import type { Entry, Outcome } from './events'
import { Hub } from './hub'
import { type ReadOptions, RunReaders, resultOf } from './run-readers'
import type { RunRow } from './run-record'
import type { Runs } from './runs'

// Readers in memory: the database is a list of stored events, and `row` is the run as it is stored.

type Stored = { id: number; event: string; data: string }
type Options = { stored?: Stored[]; row?: Partial<RunRow> | undefined; heartbeatMs?: number; snapshot?: unknown }

const RUN = {
  ...{ run_id: 'one', thread_id: 't', status: 'running', attempt: 1, is_resumable: false, is_watched: false },
  ...{ creator: 1, owner: 1 },
} as RunRow

function readersOf({ stored = [], row = RUN, heartbeatMs = 5000, snapshot }: Options = {}) {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {}, tellEvents: () => {} })
  const query = async (text: string, [, after = -1, until = Number.MAX_SAFE_INTEGER]: number[] = []) => {
    if (text.includes('order by id desc')) return stored.slice(-1)
    if (text.includes('max(id)')) return [{ id: stored.at(-1)?.id ?? null }]
    if (text.includes('status from runs')) return [{ run_id: 'one', status: row?.status }]
    return text.includes('unnest') ? [] : stored.filter(({ id }) => id > after && id <= until)
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const state = { row, lostThread: false }
  const runs = { find: async () => state.row } as unknown as Runs
  const threads = {
    get: async () => {
      if (state.lostThread) throw new Error('Thread t not found.')
      return {}
    },
  } as unknown as Threads
  const states = { snapshot: async () => snapshot } as unknown as ThreadStates
  const readers = new RunReaders(hub, runs, threads, states, heartbeatMs)
  /** An attempt that this process executes. */
  const begin = () => hub.begin('one', 1, { isKept: false, isFollowed: false })
  return { hub, readers, state, begin }
}
const options = (more: Partial<ReadOptions> = {}) => ({ signal: new AbortController().signal, ...more })
const textOf = async (body: ReadableStream<Uint8Array>) => {
  let text = ''
  for await (const part of body) text += Buffer.from(part).toString()
  return text
}
const eventsIn = (text: string) =>
  [...text.matchAll(/id: (.*)\nevent: (.*)\ndata: (.*)\n\n/g)].map(([, id, event, data]) => [Number(id), event, data])
const namesOf = (entries: readonly Entry[] | undefined) => entries?.map(({ event }) => event)

describe('a reader that is there before its run', () => {
  const events = [
    'metadata',
    'values',
    'updates',
    'messages/partial',
    'values|a:1',
    'updates|a:1|b:2',
    'protocol',
    'error',
    'end',
  ]

  test.each([
    [{}, events.filter((event) => event !== 'protocol')],
    [{ isProtocol: true }, events],
    [{ modes: ['values'] }, ['metadata', 'values', 'values|a:1', 'error', 'end']],
    [{ modes: ['messages'] }, ['metadata', 'messages/partial', 'error', 'end']],
    [{ modes: ['values'], isProtocol: true }, ['metadata', 'values', 'values|a:1', 'error', 'end']],
    [{ modes: [] }, ['metadata', 'error', 'end']],
    [{ namespaces: ['a:1'] }, ['metadata', 'values|a:1', 'updates|a:1|b:2', 'error', 'end']],
    [{ namespaces: ['b:2'] }, ['metadata', 'error', 'end']],
    [{ namespaces: ['x', 'a:1|b'] }, ['metadata', 'updates|a:1|b:2', 'error', 'end']],
    [{ modes: ['updates'], namespaces: ['a'] }, ['metadata', 'updates|a:1|b:2', 'error', 'end']],
  ])('with %j gets the events that it asked for', async (wanted, expected) => {
    const { readers } = readersOf()
    const { log, reader } = readers.subscribe('one', wanted)
    for (const event of events) log.publish(event, '1')
    expect(namesOf(await reader?.take(1))).toEqual(expected)
  })

  test('leaves nothing behind once it is released', () => {
    const { hub, readers } = readersOf()
    const subscription = readers.subscribe('one', {})
    expect([hub.size, subscription.log.hasReaders]).toEqual([1, true])
    subscription.release()
    expect([hub.size, subscription.log.hasReaders]).toEqual([0, false])
  })
})

describe('the stream of a run', () => {
  test('has its events in order, closes at the end, and does not count as left', async () => {
    const { hub, readers, begin } = readersOf()
    let left = 0
    const subscription = readers.subscribe('one', {})
    const stop = new AbortController()
    const body = await readers.stream(
      { ...RUN, status: 'pending' },
      { signal: stop.signal, onLeave: () => left++ },
      subscription,
    )
    expect(readers.openCount).toBe(1)
    const begun = begin()
    begun.log.publish('metadata', '{}')
    begun.log.publish('values', '1')
    begun.log.publish('end', '{}')
    begun.log.end()
    begun.release()
    expect(eventsIn(await textOf(body))).toEqual([
      [0, 'metadata', '{}'],
      [1, 'values', '1'],
      [2, 'end', '{}'],
    ])
    stop.abort()
    expect([left, readers.openCount, hub.size]).toEqual([0, 0, 0])
  })

  test.each(['cancels the body', 'disconnects'])('counts as left once if its reader %s', async (way) => {
    const { hub, readers } = readersOf()
    let left = 0
    const stop = new AbortController()
    const body = await readers.stream(RUN, { signal: stop.signal, onLeave: () => left++ })
    if (way === 'disconnects') {
      stop.abort()
      await textOf(body)
    } else await body.cancel()
    stop.abort()
    expect([left, readers.openCount, hub.size]).toEqual([1, 0, 0])
  })

  test('counts as left if its reader is gone before it begins', async () => {
    const { readers } = readersOf()
    let left = 0
    await (await readers.stream(RUN, { signal: AbortSignal.abort(), onLeave: () => left++ })).cancel()
    expect(left).toBe(1)
  })

  test('has a comment while the run is silent', async () => {
    const { readers } = readersOf({ heartbeatMs: 5 })
    const body = (
      await readers.stream({ ...RUN, status: 'pending' }, options(), readers.subscribe('one', {}))
    ).getReader()
    for (let n = 0; n < 2; n++) expect(Buffer.from((await body.read()).value ?? []).toString()).toBe(': heartbeat\n')
    await body.cancel()
  })

  test('breaks if the reader is cut', async () => {
    const { hub, readers, begin } = readersOf()
    const begun = begin()
    const body = (await readers.stream(RUN, options())).getReader()
    await body.read()
    const failed = expect(body.read()).rejects.toThrow('stopping')
    hub.cut(new Error('The process is stopping.'))
    await failed
    begun.release()
    expect([readers.openCount, hub.size]).toEqual([0, 0])
  })

  test('that is joined begins with the attempt, under the id of the last event that was missed', async () => {
    const { readers, begin } = readersOf()
    const begun = begin()
    begun.log.publish('values', '1')
    const body = await readers.stream(RUN, options())
    begun.log.publish('values', '2')
    begun.log.publish('end', '{}')
    begun.log.end()
    const events = eventsIn(await textOf(body))
    expect(events).toEqual([
      [0, 'metadata', '{"run_id":"one","attempt":1}'],
      [1, 'values', '2'],
      [2, 'end', '{}'],
    ])
    begun.release()
  })

  test.each([
    ['pending', undefined],
    ['running', 0],
  ])('that is joined while %s after %s has no such beginning', async (status, after) => {
    const { readers, begin } = readersOf()
    const begun = begin()
    const body = await readers.stream({ ...RUN, status }, options({ after }))
    begun.log.publish('end', '{}')
    begun.log.end()
    expect(eventsIn(await textOf(body)).map(([, event]) => event)).toEqual(['end'])
    begun.release()
  })
})

describe('the stored events of a run', () => {
  const stored = [
    { id: 0, event: 'metadata', data: '{}' },
    { id: 1, event: 'values', data: '1' },
    { id: 2, event: 'updates', data: '2' },
    { id: 3, event: 'end', data: '{}' },
  ]
  const ended = { ...RUN, status: 'success', is_resumable: true }
  const read = async (
    run: Partial<RunRow>,
    more: Partial<ReadOptions>,
    kept = stored,
    row: Partial<RunRow> | undefined = ended,
  ) => {
    const { readers } = readersOf({ stored: kept, row })
    const ids: unknown[] = []
    for await (const entries of readers.read({ ...RUN, ...run } as RunRow, options(more)))
      ids.push(...entries.map(({ id, event }) => `${id} ${event}`))
    return ids
  }

  test('are read from the last one that the reader has', async () => {
    expect(await read(ended, { after: -1 })).toEqual(['0 metadata', '1 values', '2 updates', '3 end'])
    expect(await read(ended, { after: 1 })).toEqual(['2 updates', '3 end'])
    expect(await read(ended, { after: -1, modes: ['values'] })).toEqual(['0 metadata', '1 values', '3 end'])
  })

  test('are not sent to a reader that did not ask for them, nor of a run that cannot be resumed', async () => {
    expect(await read(ended, {})).toEqual(['0 end'])
    expect(await read({ ...ended, is_resumable: false }, { after: 1 })).toEqual(['2 end'])
    expect(await read({ ...ended, is_resumable: false, is_watched: true }, { after: 1 })).toEqual(['2 end'])
  })

  test('are sent to readers of the thread also if they were kept for another process only', async () => {
    const watched = { ...ended, is_resumable: false, is_watched: true }
    expect(await read(watched, { after: -1, isOfThread: true })).toHaveLength(4)
    expect(await read({ ...watched, is_watched: false }, { after: -1, isOfThread: true })).toEqual(['0 end'])
  })

  test('end with the run’s status if its own end is not stored any more', async () => {
    const { readers } = readersOf({ stored: stored.slice(0, 2), row: { ...ended, status: 'error' } })
    const events: Entry[] = []
    for await (const entries of readers.read(ended, options({ after: -1 }))) events.push(...entries)
    expect(events.at(-1)).toEqual({ id: 2, event: 'end', data: '{"run_id":"one","status":"error"}' })
  })

  test.each([
    { is: 'the stored one', kept: stored, id: 3 },
    { is: 'after all that its last attempt can have sent', kept: stored.slice(0, 2), id: 999_999_999 },
    { is: 'the first, if nothing is stored any more', kept: [], id: 0 },
  ])('have one end for readers of a thread, whichever process they read next: $is', async ({ kept, id }) => {
    for (const lastId of [undefined, 3, 7]) {
      const { hub, readers } = readersOf({ stored: kept, row: ended })
      // Held by another reader, it knows more than the store or less.
      const held = lastId === undefined ? undefined : hub.acquire('one')
      held?.log.continueFrom((lastId as number) + 1)
      const ids: number[] = []
      for await (const entries of readers.read(ended, options({ after: 3, isOfThread: true })))
        ids.push(...entries.map((entry) => entry.id))
      expect(ids).toEqual([id])
      held?.release()
    }
  })

  test('end with a rollback if the run is gone', async () => {
    const { readers, state } = readersOf()
    state.row = undefined as never
    const events: Entry[] = []
    for await (const entries of readers.read({ ...ended, is_resumable: false }, options())) events.push(...entries)
    expect(events).toEqual([{ id: 0, event: 'end', data: '{"run_id":"one","status":"rollback"}' }])
  })

  test('of a deleted run are read while they are kept', async () => {
    const { readers } = readersOf({ stored })
    const body = await readers.stream({ run_id: 'one', status: 'gone', is_resumable: true }, options({ after: 2 }))
    expect(eventsIn(await textOf(body))).toEqual([[3, 'end', '{}']])
  })
})

describe('a waiting response', () => {
  const snapshot = { values: { a: 1 }, tasks: [] }

  test('has blank lines while the run is in progress, and its result at the end', async () => {
    const { hub, readers, begin } = readersOf({ heartbeatMs: 5, snapshot })
    const begun = begin()
    const body = readers.respond({ ...RUN, status: 'pending' }, options(), readers.subscribe('one', {})).getReader()
    const read = async () => Buffer.from((await body.read()).value ?? []).toString()
    expect([await read(), await read()]).toEqual(['\n', '\n'])
    begun.log.publish('values', '1')
    begun.log.outcome = {
      status: 'success',
      snapshot: { values: { b: 2 }, tasks: [] },
      error: undefined,
    } as unknown as Outcome
    begun.log.publish('end', '{}')
    begun.log.end()
    let text = ''
    while (text.trim() === '') text = await read()
    expect([text, (await body.read()).done]).toEqual(['{"b":2}', true])
    begun.release()
    expect([readers.openCount, hub.size]).toEqual([0, 0])
  })

  test.each(['cancels', 'disconnects'])('counts as left if its reader %s', async (way) => {
    const { hub, readers } = readersOf()
    let left = 0
    const stop = new AbortController()
    const body = readers.respond(RUN, { signal: stop.signal, onLeave: () => left++ }).getReader()
    await body.read()
    if (way === 'cancels') await body.cancel()
    else {
      stop.abort()
      while (!(await body.read()).done);
    }
    expect([left, readers.openCount, hub.size]).toEqual([1, 0, 0])
  })

  test('of an ended run has the stored state, its error, or the failure to read it', async () => {
    const ended = { ...RUN, status: 'success' }
    const answer = async (more: Options, lostThread = false) => {
      const { readers, state } = readersOf({ row: ended, ...more })
      state.lostThread = lostThread
      return JSON.parse(await textOf(readers.respond(ended, options())))
    }
    expect(await answer({ snapshot })).toEqual({ a: 1 })
    const error = { error: 'E', message: 'no' }
    expect(await answer({ snapshot, row: { ...ended, error } })).toEqual({ __error__: error })
    expect(await answer({ snapshot }, true)).toBeNull()
    expect(await answer({ snapshot: {} })).toEqual({ __error__: { error: 'TypeError', message: expect.any(String) } })
  })

  test('has one line for each silence, not for events', async () => {
    const { readers, begin } = readersOf({ snapshot })
    const begun = begin()
    const body = readers.respond({ ...RUN, status: 'pending' }, options(), readers.subscribe('one', {}))
    for (const event of ['metadata', 'values', 'end']) begun.log.publish(event, '{}')
    begun.log.end()
    begun.release()
    expect(await textOf(body)).toBe('\n{"a":1}')
  })

  test('and a stream that come late learn of the end from the store', async () => {
    const row = { ...RUN, status: 'success' }
    const waits = readersOf({ snapshot, row })
    expect((await textOf(waits.readers.respond(RUN, options()))).trim()).toBe('{"a":1}')
    const reads = readersOf({ row })
    const events = eventsIn(await textOf(await reads.readers.stream(RUN, options())))
    expect(events.map(([, event]) => event)).toEqual(['metadata', 'end'])
    expect([waits.hub.size, reads.hub.size]).toEqual([0, 0])
  })

  test('tells errors before values, and open interrupts with the values', () => {
    const outcome = (more: object) => ({ status: 'success', snapshot: undefined, error: undefined, ...more }) as Outcome
    expect(resultOf(outcome({ snapshot, error: { error: 'E', message: 'no' } }))).toEqual({
      __error__: { error: 'E', message: 'no' },
    })
    expect(resultOf(outcome({}))).toBeNull()
    expect(resultOf(outcome({ snapshot }))).toEqual({ a: 1 })
    const tasks = [{ interrupts: [{ id: 'i', value: 1 }] }, { interrupts: [] }, { interrupts: [{ id: 'j', value: 2 }] }]
    expect(resultOf(outcome({ snapshot: { ...snapshot, tasks } }))).toEqual({
      ...{
        a: 1,
        __interrupt__: [
          { id: 'i', value: 1 },
          { id: 'j', value: 2 },
        ],
      },
    })
  })
})

test('waiting for the end of a run ends with it, or with the one who waits', async () => {
  const { hub, readers, begin } = readersOf()
  const begun = begin()
  const stop = new AbortController()
  const [toEnd, toLeave] = [readers.ended(RUN, new AbortController().signal), readers.ended(RUN, stop.signal)]
  stop.abort()
  await toLeave
  begun.log.publish('end', '{}')
  begun.log.end()
  await toEnd
  begun.release()
  expect([readers.openCount, hub.size]).toEqual([0, 0])
})
