import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Elapsed } from './elapsed'
import { useServerClock } from './server-clock'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function Page({ serverNow, from }: { serverNow: number; from: number | undefined }) {
  useServerClock(serverNow)
  return from === undefined ? null : <Elapsed from={from} to={undefined} serverNow={serverNow} />
}

test('the duration of a run that starts long after its page was opened begins at once, whatever the clock says', () => {
  vi.useFakeTimers({ now: 5_000_000 })
  const serverNow = 1_000_000
  const { rerender } = render(<Page serverNow={serverNow} from={undefined} />)
  act(() => void vi.advanceTimersByTime(60_000))
  rerender(<Page serverNow={serverNow} from={serverNow + 60_000} />)
  act(() => void vi.advanceTimersByTime(2_000))
  expect(screen.getByText('2.0 s')).toBeDefined()
})
