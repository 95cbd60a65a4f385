import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '@/lib/errors'
import { askAgain, noteAnswer } from '../process/answers'
import { Poller, type Watched } from './poller'
import { LIVE_TIMING } from './timing'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A poller whose reads are answered by the test. */
function watched(lateMs?: number) {
  const answers: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = []
  const read = () => new Promise((resolve, reject) => answers.push({ resolve, reject }))
  const poller = new Poller(
    { upstream: 'control plane', read, isMoving: () => false, ...(lateMs && { lateMs }) },
    LIVE_TIMING.poll,
    () => {},
  )
  const close = poller.subscribe(() => {})
  return { poller, answers, close }
}

test('a read without an answer is reported after four seconds, with the time of the last answer', async () => {
  const { poller, answers, close } = watched()
  answers[0]?.resolve('healthy')
  await vi.advanceTimersByTimeAsync(0)
  expect(poller.seen).toMatchObject({ kind: 'value', at: 1_000_000 })

  await vi.advanceTimersByTimeAsync(LIVE_TIMING.poll.idleMs)
  expect(answers).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(3_999)
  expect(poller.seen.kind).toBe('value')
  await vi.advanceTimersByTimeAsync(1)
  expect(poller.seen).toMatchObject({
    kind: 'error',
    code: 'upstream_unreachable',
    message: 'The control plane did not respond within 4 seconds.',
    since: 1_000_000,
  })

  // The same value again: viewers that saw the report need to hear that it is still current.
  answers[1]?.resolve('healthy')
  await vi.advanceTimersByTimeAsync(0)
  expect(poller.seen).toMatchObject({ kind: 'value', text: '"healthy"', at: 1_008_000 })
  close()
})

test('an answer that confirms the value counts as the last one', async () => {
  const { poller, answers, close } = watched()
  answers[0]?.resolve(1)
  await vi.advanceTimersByTimeAsync(LIVE_TIMING.poll.idleMs)
  answers[1]?.resolve(1)
  await vi.advanceTimersByTimeAsync(LIVE_TIMING.poll.idleMs)
  answers[2]?.reject(new AppError('upstream_failed', 'The control plane answered with 500.'))
  await vi.advanceTimersByTimeAsync(0)
  expect(poller.seen).toMatchObject({ kind: 'error', code: 'upstream_failed', since: 1_004_000 })
  close()
})

test('nothing is known before the first answer, a longer bound is kept, and nothing is reported after the last viewer', async () => {
  const { poller, close } = watched(15_000)
  await vi.advanceTimersByTimeAsync(14_999)
  expect(poller.seen.kind).toBe('nothing')
  await vi.advanceTimersByTimeAsync(1)
  expect(poller.seen).toMatchObject({ kind: 'error', since: undefined })
  const { version } = poller.seen
  close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(poller.seen.version).toBe(version)

  const other = watched()
  other.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(other.poller.seen.kind).toBe('nothing')
})

/** A poller that answers at once, and when it read. */
function reading(answer: () => unknown, more: Partial<Watched<unknown>> = {}) {
  const reads: number[] = []
  let idle = 0
  let hint = () => {}
  let unhinted = 0
  const poller = new Poller<unknown>(
    {
      upstream: 'control plane',
      read: async () => {
        reads.push(Date.now() - 1_000_000)
        return answer()
      },
      isMoving: (value) => value === 'moving',
      onHint: (listener) => {
        hint = listener
        return () => unhinted++
      },
      ...more,
    },
    { ...LIVE_TIMING.poll, movingMs: 2_000, idleMs: 4_000, errorMaxMs: 5_000, hintMs: 300 },
    () => idle++,
  )
  return { poller, reads, hint: () => hint(), counts: () => ({ idle, unhinted }) }
}

test('a record is read often while it moves, and seldom otherwise', async () => {
  let value = 'moving'
  const { poller, reads } = reading(() => value)
  const close = poller.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(4_000)
  value = 'still'
  await vi.advanceTimersByTimeAsync(10_000)
  close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads).toEqual([0, 2_000, 4_000, 6_000, 10_000, 14_000])
})

test('after failures it is read again once its server has answered, and not before the usual wait', async () => {
  const server = { workspace: 'w' }
  const { poller, reads } = reading(() => Promise.reject(new AppError('upstream_failed', 'Away.')), { server })
  const close = poller.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(8_000)
  expect(reads).toEqual([0, 2_000, 6_000])
  noteAnswer({ workspace: 'w', deploymentId: 'd' })
  await vi.advanceTimersByTimeAsync(500)
  noteAnswer(server)
  await vi.advanceTimersByTimeAsync(500)
  expect(reads.slice(3)).toEqual([8_500])
  askAgain('w')
  await vi.advanceTimersByTimeAsync(1_500)
  expect(reads.slice(4)).toEqual([10_500])
  close()
})

test('all viewers share one read, hear of changes only, and the last one ends it', async () => {
  let value: unknown = { a: 1 }
  const { poller, reads, counts } = reading(() => value)
  const heard = [0, 0]
  const closes = [0, 1].map((index) => poller.subscribe(() => (heard[index] = (heard[index] ?? 0) + 1)))
  await vi.advanceTimersByTimeAsync(4_000)
  expect([reads, heard, poller.seen.version]).toEqual([[0, 4_000], [1, 1], 1])
  value = { a: 2 }
  await vi.advanceTimersByTimeAsync(4_000)
  expect([heard, poller.seen]).toEqual([
    [2, 2],
    { kind: 'value', text: '{"a":2}', brief: undefined, at: 1_008_000, version: 2 },
  ])
  closes[0]?.()
  closes[0]?.()
  expect(counts()).toEqual({ idle: 0, unhinted: 0 })
  value = { a: 3 }
  await vi.advanceTimersByTimeAsync(4_000)
  expect(heard).toEqual([2, 3])
  closes[1]?.()
  closes[1]?.()
  expect(counts()).toEqual({ idle: 1, unhinted: 1 })
})

test('a hint reads at once, but not twice within a moment, and not while a read goes on', async () => {
  const { poller, reads, hint } = reading(() => 'still')
  const close = poller.subscribe(() => {})
  hint()
  await vi.advanceTimersByTimeAsync(0)
  await vi.advanceTimersByTimeAsync(100)
  hint()
  hint()
  await vi.advanceTimersByTimeAsync(199)
  expect(reads).toEqual([0])
  await vi.advanceTimersByTimeAsync(1)
  expect(reads).toEqual([0, 300])
  await vi.advanceTimersByTimeAsync(1_000)
  hint()
  await vi.advanceTimersByTimeAsync(0)
  expect(reads).toEqual([0, 300, 1_300])
  await vi.advanceTimersByTimeAsync(4_000)
  expect(reads).toEqual([0, 300, 1_300, 5_300])
  close()
  hint()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads).toHaveLength(4)
})

test('after failures the pauses double up to a bound, or are as long as the server asks', async () => {
  let failure = new AppError('upstream_failed', 'The control plane answered with 500.')
  let isUp = false
  const { poller, reads } = reading(() => {
    if (!isUp) throw failure
    return 'still'
  })
  const versions: number[] = []
  const close = poller.subscribe(() => versions.push(poller.seen.version))
  await vi.advanceTimersByTimeAsync(16_000)
  expect(reads).toEqual([0, 2_000, 6_000, 11_000, 16_000])
  // Each failure is sent.
  expect(versions).toEqual([1, 2, 3, 4, 5])
  failure = new AppError('rate_limited', 'Too many requests.', { retryAfterMs: 9_000 })
  await vi.advanceTimersByTimeAsync(14_000)
  expect(reads.slice(5)).toEqual([21_000, 30_000])
  isUp = true
  await vi.advanceTimersByTimeAsync(9_000)
  isUp = false
  failure = new AppError('upstream_failed', 'The control plane answered with 500.')
  await vi.advanceTimersByTimeAsync(6_000)
  // An answer ends the series of failures.
  expect(reads.slice(7)).toEqual([39_000, 43_000, 45_000])
  close()
})

test('a short form is made beside the whole one', async () => {
  const { poller } = reading(() => [1, 2, 3], { brief: (value) => (value as number[]).length })
  const close = poller.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(0)
  expect(poller.seen).toMatchObject({ text: '[1,2,3]', brief: '3' })
  close()
})

test('a read that fails after the last viewer has left tells nobody', async () => {
  const { poller, answers, close } = watched()
  close()
  answers[0]?.reject(new Error('aborted'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect([poller.seen, answers.length]).toEqual([{ version: 0, kind: 'nothing' }, 1])
})

test('what another instance has read is taken if it is newer than the last answer and the last hint', async () => {
  const fresh: number[] = []
  let hint = () => {}
  const onHint = (listener: () => void) => {
    hint = listener
    return () => {}
  }
  const poller = new Poller<unknown>(
    { upstream: 'control plane', read: async () => 'own', isMoving: () => false, onHint },
    { ...LIVE_TIMING.poll, movingMs: 2_000, idleMs: 4_000, hintMs: 300 },
    () => {},
    async (_, freshMs) => {
      fresh.push(freshMs)
      return { value: fresh.length, at: Date.now() - 500 }
    },
  )
  const close = poller.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(0)
  expect(poller.seen).toMatchObject({ text: '1', at: 999_500 })
  hint()
  await vi.advanceTimersByTimeAsync(300)
  await vi.advanceTimersByTimeAsync(4_000)
  hint()
  await vi.advanceTimersByTimeAsync(300)
  expect(fresh).toEqual([1_800, 0, 1_800, 0])
  close()
})
