import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '@/lib/errors'
import { Poller } from './poller'
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
