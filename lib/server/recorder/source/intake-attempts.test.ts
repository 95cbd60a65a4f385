import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SseEvent } from '@/lib/stream/sse'
import { metrics } from '../../process/metrics'
import { decodeChunk } from '../log/chunk'
import { RecordingLog } from '../log/recording-log'
import { Intake, REPLAY_MS } from './intake'

// Numbers, attempts and repeats. What becomes of a broken stream is in intake.test.ts.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const event = (data: string, id?: string | number, event = 'custom'): SseEvent => ({
  ...{ event, data, id: id === undefined ? undefined : String(id), lastEventId: String(id ?? '') },
})
const attempt = (number: number | undefined, id?: string | number) =>
  event(JSON.stringify({ attempt: number }), id, 'metadata')

function opened(maxBytes = Number.POSITIVE_INFINITY) {
  const log = new RecordingLog({ id: 'one', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  const intake = new Intake(log, () => {}, maxBytes)
  const taken = () => {
    log.seal()
    const chunks = log.read(0, Number.POSITIVE_INFINITY) ?? []
    return chunks.flatMap(decodeChunk).map((one) => (one.kind === 'event' ? one.data : one.kind))
  }
  const again = (join: 'replay' | 'late' = 'replay') => {
    intake.interrupt('It broke.', false)
    intake.rejoin(join)
  }
  return { intake, log, taken, again }
}

test.each<[string, (string | number)[], boolean]>([
  ['with nines', [8, 9, 10], true],
  ['of fifteen digits', ['100000000000008', '100000000000009', '100000000000010'], true],
  [
    'of sixteen digits, which numbers cannot tell apart',
    ['1000000000000008', '1000000000000009', '1000000000000010'],
    false,
  ],
  ['with a character before the digits', [8, '1/', 10], false],
  ['with a character after the digits', [9, '0:', 11], false],
])('ids %s show what is missing only if they are numbers', (_, [first, second, third], isNumber) => {
  const { intake, taken, again } = opened()
  intake.take([event('a', first), event('b', second)])
  again()
  vi.advanceTimersByTime(REPLAY_MS)
  intake.take([event('c', third)])
  expect(taken()).toEqual(['a', 'b', ...(isNumber ? [] : ['gap']), 'c'])
})

test('the newest values of the whole graph are known, not those of its parts', () => {
  const { intake } = opened()
  intake.take([event('{"n":1}', 1, 'values'), event('{"n":2}', 2, 'values'), event('{"n":3}', 3, 'values|sub')])
  intake.take([event('{"n":4}', 4, 'updates')])
  expect(intake.valuesText).toBe('{"n":2}')
})

test('a run that was followed from its start is not one that a server replayed', () => {
  const { intake } = opened()
  intake.take([attempt(1, 1), event('a', 2)])
  expect([intake.wasReplayed, intake.isWhole]).toEqual([false, true])
})

test('within one stream another attempt may begin with any number', () => {
  const { intake, taken, again } = opened()
  intake.take([attempt(1, 1), event('a', 2), attempt(2, 1), event('b', 2)])
  expect(taken()).toEqual(['{"attempt":1}', 'a', '{"attempt":2}', 'b'])
  // But a server that starts its numbers again shows no loss with them.
  again()
  vi.advanceTimersByTime(REPLAY_MS)
  intake.take([event('c', 3)])
  expect(taken().slice(4)).toEqual(['gap', 'c'])
})

test.each([
  ['with the number of the last event', 1],
  ['without saying that the one before was the first', undefined],
])('after a break another attempt %s is one, after a gap', (_, first) => {
  const { intake, taken, again } = opened()
  intake.take([attempt(first, 1)])
  if (first === undefined) intake.take([event('a', 2)])
  again()
  intake.take([attempt(2, 1), event('b', 2)])
  expect(taken().slice(-3)).toEqual(['gap', '{"attempt":2}', 'b'])
})

test('a lower number shows another attempt only of a server that counts', () => {
  const { intake, taken } = opened()
  intake.take([attempt(1, 10), event('a', 30)])
  intake.rejoin('replay')
  intake.take([attempt(2, 5), event('b', 7)])
  expect(taken()).toEqual(['{"attempt":1}', 'a', '{"attempt":2}', 'b'])
})

test('what looks like metadata in another event is neither an attempt nor a repeat', () => {
  const { intake, taken, again } = opened()
  intake.take([attempt(1)])
  again()
  intake.take([event('{"attempt":5}'), event('{"attempt":1}')])
  expect(taken()).toEqual(['{"attempt":1}', '{"attempt":5}', '{"attempt":1}'])
})

test('only a repeated event shows that a server keeps what has ended', () => {
  const { intake, again } = opened()
  intake.take([event('a', 1), event('b', 2)])
  again()
  intake.take([event('c', 3)])
  expect(intake.isBroken).toBe(false)
  intake.interrupt('It broke again.', false)
  intake.closed(true)
  expect(intake.isBroken).toBe(true)
})

test('a recording exactly at its limit is not full yet', () => {
  const first = opened()
  first.intake.take([event('a', 1), event('b', 2)])
  first.log.seal()
  const { intake, log } = opened(first.log.totalBytes)
  intake.take([event('a', 1), event('b', 2)])
  log.seal()
  intake.take([event('c', 3)])
  expect(intake.isFull).toBe(false)
  log.seal()
  intake.take([event('d', 4)])
  expect(intake.isFull).toBe(true)
})

test('received events are counted once, repeats not at all', async () => {
  const count = async () => (await metrics().eventsReceived.get()).values[0]?.value ?? 0
  const before = await count()
  const { intake, again } = opened()
  intake.take([event('a', 1), event('b', 2)])
  again()
  intake.take([event('b', 2), event('c', 3)])
  expect((await count()) - before).toBe(3)
})
