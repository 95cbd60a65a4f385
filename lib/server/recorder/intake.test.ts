import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SseEvent } from '@/lib/stream/sse'
import { decodeChunk } from './chunk'
import { Intake, REPLAY_MS } from './intake'
import { RecordingLog } from './recording-log'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const event = (n: number | string, id?: number): SseEvent => ({
  event: 'custom',
  data: String(n),
  id: id === undefined ? undefined : String(id),
  lastEventId: id === undefined ? '' : String(id),
})

/** An intake over a log in memory, and the log's content: data of events, and `gap`. */
function opened() {
  const log = new RecordingLog({ id: 'one', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  const taken = () => {
    log.seal()
    const entries = (log.read(0, Number.POSITIVE_INFINITY) ?? []).flatMap(decodeChunk)
    return entries.map((one) => (one.kind === 'event' ? one.data : one.kind))
  }
  return { intake: new Intake(log, () => {}, Number.POSITIVE_INFINITY), taken }
}

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
