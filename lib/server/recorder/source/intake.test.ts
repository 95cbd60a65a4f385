import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import type { SseEvent } from '@/lib/stream/sse'
import { decodeChunk } from '../log/chunk'
import { RecordingLog } from '../log/recording-log'
import { Intake, REPLAY_MS } from './intake'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const event = (n: number | string, id?: number): SseEvent => ({
  event: 'custom',
  data: String(n),
  id: id === undefined ? undefined : String(id),
  lastEventId: id === undefined ? '' : String(id),
})

/** An intake over a log in memory, and the log's content: data of events, and the kind of other entries. */
function opened(maxBytes = Number.POSITIVE_INFINITY) {
  const log = new RecordingLog({ id: 'one', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  const entries = () => {
    log.seal()
    const found: LogEntry[] = []
    while (found.length < log.last)
      found.push(...(log.read(found.length, Number.POSITIVE_INFINITY) ?? []).flatMap(decodeChunk))
    return found
  }
  const taken = () => entries().map((one) => (one.kind === 'event' ? one.data : one.kind))
  const ids: (string | null)[][] = []
  return { intake: new Intake(log, (...both) => ids.push(both), maxBytes), log, taken, entries, ids }
}

test('the last events before the end of a stream do not wait for a frame', () => {
  const { intake, log } = opened()
  intake.take([event('a', 1)])
  intake.take([event('b', 2)])
  expect(log.last).toBe(1)
  intake.closed(false)
  expect(log.last).toBe(2)
})

test.each(['9a', '9'.repeat(16), '-9', '9.5', ' 9'])(
  'the id %j is no number, so it cannot show that nothing is missing',
  (id) => {
    const { intake, taken } = opened()
    intake.take([event('a', 8), { ...event('b'), id, lastEventId: id }])
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    vi.advanceTimersByTime(REPLAY_MS)
    intake.take([event('c', 10)])
    expect(taken()).toEqual(['a', 'b', 'gap', 'c'])
  },
)

test('numbered events that continue after a break leave no gap', () => {
  const { intake, taken } = opened()
  intake.take([event('a', 1), event('b', 2)])
  intake.interrupt('It broke.', false)
  intake.rejoin('replay')
  intake.take([event('b', 2), event('c', 3)])
  expect(taken()).toEqual(['a', 'b', 'c'])
  expect([intake.isWhole, intake.isBroken]).toEqual([true, false])
})

test('a number missing after a break is marked as a gap', () => {
  const { intake, taken } = opened()
  intake.take([event('a', 1), event('b', 2)])
  intake.interrupt('It broke.', false)
  intake.rejoin('replay')
  intake.take([event('d', 4), event('e', 5)])
  expect(taken()).toEqual(['a', 'b', 'gap', 'd', 'e'])
  expect(intake.isWhole).toBe(false)
})

test.each([
  [REPLAY_MS - 1, ['a', 'b']],
  [REPLAY_MS, ['a', 'gap', 'b']],
])('events without numbers that continue after a break of %i ms: %j', (ms, expected) => {
  const { intake, taken } = opened()
  intake.take([event('a')])
  intake.interrupt('It broke.', false)
  vi.advanceTimersByTime(ms)
  intake.rejoin('replay')
  intake.take([event('b')])
  expect(taken()).toEqual(expected)
})

test('joining a stream late is marked even if its numbers continue', () => {
  const { intake, taken } = opened()
  intake.take([event('a', 1), event('b', 2)])
  intake.interrupt('It broke.', false)
  intake.rejoin('late')
  intake.take([event('c', 3)])
  expect(taken()).toEqual(['a', 'b', 'gap', 'c'])
})

test('hidden events are omitted, in subgraphs too, and leave no gap', () => {
  const { intake, taken } = opened()
  intake.hidden = ['checkpoints']
  const hidden = (id: number) => ({ ...event('hidden', id), event: id % 2 ? 'checkpoints' : 'checkpoints|sub:1' })
  intake.take([event('a', 1), hidden(2), hidden(3), event('b', 4), hidden(5)])
  intake.interrupt('It broke.', false)
  intake.rejoin('replay')
  intake.take([hidden(5), event('c', 6)])
  expect(taken()).toEqual(['a', 'b', 'c'])
  expect([intake.isWhole, intake.lastEventId]).toEqual([true, '6'])
})

const named = (name: string, data: unknown, id?: number): SseEvent => ({
  ...event('', id),
  event: name,
  data: typeof data === 'string' ? data : JSON.stringify(data),
})

describe('after a break', () => {
  test('a repeat of the metadata and of the last event is dropped, of any id', () => {
    const { intake, taken } = opened()
    const metadata = named('metadata', { run_id: 'r' })
    const last = { ...event('b'), id: 'seven' }
    intake.take([metadata, event('a'), last])
    expect(intake.lastEventId).toBe('seven')
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    intake.take([metadata, last, { ...event('c'), id: 'eight' }])
    expect(taken()).toEqual([metadata.data, 'a', 'b', 'c'])
    expect([intake.taken, intake.isWhole]).toEqual([4, true])
  })

  test('older numbers are dropped only if the server counts its events', () => {
    const counted = opened()
    counted.intake.take([event('a', 1), event('b', 2), event('c', 3)])
    counted.intake.rejoin('late')
    counted.intake.take([event('a', 1), event('b', 2), event('c', 3), event('d', 4)])
    expect(counted.taken()).toEqual(['a', 'b', 'c', 'd'])
    const uncounted = opened()
    uncounted.intake.take([event('a', 10), event('b', 30), event('c', 31)])
    uncounted.intake.rejoin('late')
    uncounted.intake.take([event('d', 20)])
    expect(uncounted.taken()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a first stream repeats what it likes', () => {
    const { intake, taken } = opened()
    intake.take([event('a', 1), event('a', 1), event('b', 2)])
    expect(taken()).toEqual(['a', 'a', 'b'])
  })

  test('the first reason and time count, and the state that was read goes into the gap', () => {
    const { intake, taken, entries } = opened()
    intake.take([event('a', 1)])
    intake.interrupt('First.', false, 5)
    intake.interrupt('Second.', true, 9)
    intake.recordGap('{"values":{}}')
    intake.recordGap('again')
    expect(taken()).toEqual(['a', 'gap'])
    expect(entries()[1]).toMatchObject({ kind: 'gap', since: 5, reason: 'First.', state: '{"values":{}}' })
    expect([intake.isWhole, intake.isBroken]).toEqual([false, false])
  })

  test.each([
    ['a replay of a break that the server chose', 'replay', true, true, false],
    ['a replay of a run that goes on', 'replay', false, false, false],
    ['a replay of an ended run after a broken connection', 'replay', false, true, true],
    ['a late stream', 'late', true, false, true],
  ] as const)(
    '%s that closes without news leaves a break: %s, clean: %s, over: %s -> %s',
    (_, join, isClean, wasOver, isBroken) => {
      const { intake } = opened()
      intake.take([event('a', 1), event('b', 2)])
      intake.interrupt('It broke.', isClean)
      intake.rejoin(join)
      intake.closed(wasOver)
      expect(intake.isBroken).toBe(isBroken)
    },
  )

  test('a server that repeats the last event shows that it keeps all of a finished run', () => {
    const { intake } = opened()
    intake.take([event('a', 1), event('b', 2)])
    expect([intake.replayFrom(false), intake.replayFrom(true)]).toEqual(['2', '1'])
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    intake.take([event('b', 2)])
    intake.closed(true)
    expect(intake.isBroken).toBe(false)
    // The proof is of one stream only.
    intake.interrupt('It broke again.', false)
    intake.rejoin('replay')
    intake.closed(true)
    expect(intake.isBroken).toBe(true)
    const unnumbered = opened().intake
    unnumbered.take([{ ...event('a'), id: 'x' }])
    expect(unnumbered.replayFrom(true)).toBe('x')
  })

  test('a server that begins another attempt with number one again is followed, after a gap', () => {
    const { intake, taken } = opened()
    const attempt = (number: number, id: number) => named('metadata', { attempt: number }, id)
    intake.take([attempt(1, 1), event('a', 2), event('b', 3)])
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    intake.take([attempt(2, 1), event('c', 2), event('c', 2), event('d', 3)])
    expect(taken()).toEqual(['{"attempt":1}', 'a', 'b', 'gap', '{"attempt":2}', 'c', 'd'])
  })

  test('a server whose next attempt begins at a higher number is followed without a gap, and its numbers count', () => {
    const { intake, taken } = opened()
    const attempt = (number: number, id: number) => named('metadata', { attempt: number }, id)
    intake.take([attempt(1, 1), event('a', 2), event('b', 3)])
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    intake.take([attempt(2, 1001), event('c', 1002), event('d', 1003)])
    expect(taken()).toEqual(['{"attempt":1}', 'a', 'b', '{"attempt":2}', 'c', 'd'])
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    intake.take([event('d', 1003), event('f', 1005)])
    expect(taken().slice(6)).toEqual(['gap', 'f'])
  })

  test('without numbers, another attempt is one only after a break', () => {
    const { intake, taken } = opened()
    intake.take([named('metadata', { attempt: 1 }), event('a')])
    intake.rejoin('replay')
    intake.take([named('metadata', { attempt: 2 }), event('b')])
    expect(taken()).not.toContain('gap')
    intake.interrupt('It broke.', false)
    intake.rejoin('replay')
    intake.take([named('metadata', { attempt: 3 }), event('c')])
    expect(taken()).toEqual(['{"attempt":1}', 'a', '{"attempt":2}', 'b', 'gap', '{"attempt":3}', 'c'])
  })
})

describe('a run that was joined', () => {
  test('begins with its state, unless the server replays it from its metadata', () => {
    const late = opened()
    late.intake.expectLate('{"values":1}')
    late.intake.take([event('b')])
    expect(late.entries()[0]).toMatchObject({ kind: 'joined', state: '{"values":1}' })
    expect([late.taken(), late.intake.isWhole, late.intake.wasReplayed]).toEqual([['joined', 'b'], false, false])
    const replayed = opened()
    replayed.intake.expectLate('{"values":1}')
    replayed.intake.take([named('metadata', {}), event('b')])
    replayed.intake.beginLate()
    expect([replayed.taken(), replayed.intake.isWhole, replayed.intake.wasReplayed]).toEqual([['{}', 'b'], true, true])
  })

  test('begins with its state if nothing comes, once', () => {
    const { intake, entries } = opened()
    intake.expectLate(undefined)
    intake.beginLate()
    intake.beginLate()
    expect(entries()).toEqual([{ seq: 1, at: Date.now(), kind: 'joined' }])
  })
})

test('an error, an end and the ids of a run are noted; a cancel is no error, and a new attempt starts without one', () => {
  const { intake, ids } = opened()
  intake.take([named('error', { error: 'ValueError', message: 'no' })])
  expect([intake.sawError, intake.errorText, intake.cancelled]).toEqual([true, 'no', undefined])
  intake.take([named('metadata', { run_id: 'r', thread_id: 't', attempt: 2 })])
  expect([intake.sawError, intake.errorText]).toEqual([false, undefined])
  intake.take([named('metadata', { run_id: 7 })])
  expect(ids).toEqual([
    ['t', 'r'],
    [null, null],
  ])
  intake.take([named('error|sub:1', 'plain words')])
  expect(intake.sawError).toBe(true)
  const rolledBack = opened().intake
  rolledBack.take([named('error', { error: 'UserRollback', message: 'User requested rollback' }), named('errors', {})])
  expect([rolledBack.sawError, rolledBack.cancelled, rolledBack.endStatus]).toEqual([false, 'rollback', undefined])
  rolledBack.take([named('end', { status: 'error' })])
  expect(rolledBack.endStatus).toBe('error')
  rolledBack.take([named('end', 'null')])
  expect(rolledBack.endStatus).toBe('ended')
  const stopped = opened().intake
  stopped.take([named('error', { error: 'Error', message: 'interrupt' })])
  expect([stopped.sawError, stopped.cancelled]).toEqual([false, 'interrupt'])
})

test('a recording at its limit ends with the reason, and takes nothing more', () => {
  const { intake, entries, taken } = opened(3 * 1024 * 1024)
  const megabyte = 'x'.repeat(1024 * 1024)
  for (let n = 0; n < 5; n++) intake.take([{ ...event(megabyte, n + 1) }])
  intake.fill('Another reason.')
  expect(taken().map((one) => one.length)).toEqual([megabyte.length, megabyte.length, megabyte.length, 3])
  expect(entries().at(-1)).toMatchObject({ reason: expect.stringContaining('limit of 3 MB') })
  expect([intake.isFull, intake.taken]).toEqual([true, 3])
})

test('echoed credentials are not recorded', () => {
  const { intake, taken } = opened()
  intake.take([named('debug', { config: { configurable: { 'x-api-key': 'secret-of-many-letters' } } })])
  expect(taken().join()).not.toContain('secret-of-many-letters')
})

test('a log that is continued knows what it has: events, numbers, attempts and gaps', () => {
  const { intake, taken } = opened()
  intake.recall([
    { seq: 1, at: 5, kind: 'event', event: 'metadata', data: '{"attempt":2}', id: '1' },
    { seq: 2, at: 6, kind: 'event', event: 'custom', data: 'a', id: '2' },
  ])
  expect([intake.heardAt, intake.taken, intake.lastEventId, intake.isWhole]).toEqual([6, 2, '2', true])
  intake.interrupt('It was stopped.', false)
  intake.rejoin('replay')
  intake.take([named('metadata', { attempt: 2 }, 1), event('a', 2), event('b', 3)])
  expect(taken()).toEqual(['b'])
  intake.recall([{ seq: 3, at: 9, kind: 'gap', since: 1, reason: 'broke' }])
  expect([intake.heardAt, intake.isWhole]).toEqual([9, false])
})

test('events keep the ids that they came with, and events without one change no position', () => {
  const { intake, entries } = opened()
  intake.take([event('a', 1), event('b')])
  expect(entries().map((one) => 'id' in one && one.id)).toEqual(['1', false])
  expect(intake.lastEventId).toBe('1')
  intake.recall([{ seq: 3, at: 9, kind: 'event', event: 'custom', data: 'c' }])
  expect(intake.lastEventId).toBe('1')
  // Nothing was interrupted, so there is nothing to close.
  intake.rejoin('replay')
  intake.closed(true)
  expect(intake.isBroken).toBe(false)
})
