import { act, cleanup, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import type { Result } from '@/lib/errors'
import { useQueued } from './use-queued'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const waiting = (place: number): Result<string> => ({
  ok: false,
  error: {
    ...{ code: 'rate_limited', message: 'No stream is free.', fields: [], requestId: '' },
    ...{ retryAfterMs: 700, queue: { place, of: 7 } },
  },
})

test('a start is asked for until it is made, and its place is shown meanwhile', async () => {
  const answers = [waiting(3), waiting(1), { ok: true as const, data: 'run' }]
  const start = vi.fn(async () => answers[start.mock.calls.length - 1] as Result<string>)
  const { result } = renderHook(useQueued)
  let made: Promise<Result<string>> | undefined
  await act(async () => {
    made = result.current.attempt(start)
  })
  render(<QueuedNotice queued={result.current.queued} />)
  expect(screen.getByRole('status').textContent).toContain('Waiting for a free stream, place 3 of 7.')
  await act(() => vi.advanceTimersByTimeAsync(699))
  expect(start).toHaveBeenCalledTimes(1)
  await act(() => vi.advanceTimersByTimeAsync(1))
  expect(result.current.queued?.place).toEqual({ place: 1, of: 7 })
  await act(() => vi.advanceTimersByTimeAsync(700))
  expect(await made).toEqual({ ok: true, data: 'run' })
  expect(result.current.queued).toBeUndefined()
})

test.each(['Cancel', 'leaving the page'])('%s ends the asking, and says that nothing was started', async (how) => {
  const start = vi.fn(async () => waiting(1))
  const { result, unmount } = renderHook(useQueued)
  let made: Promise<Result<string>> | undefined
  await act(async () => {
    made = result.current.attempt(start)
  })
  act(() => (how === 'Cancel' ? result.current.queued?.cancel() : unmount()))
  expect(await made).toMatchObject({ ok: false, error: { message: expect.stringContaining('Nothing was started.') } })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(start).toHaveBeenCalledTimes(1)
})
