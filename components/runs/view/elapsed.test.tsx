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

test('the duration is never behind what the run has already sent, however long the page took to load', () => {
  vi.useFakeTimers({ now: 3_000 }) // three seconds after the server's time
  const { rerender } = render(<Elapsed from={0} to={undefined} serverNow={0} />)
  act(() => void vi.advanceTimersByTime(1_000))
  expect(screen.getByText('1.0 s')).toBeDefined()
  rerender(<Elapsed from={0} to={undefined} serverNow={0} latest={4_000} />)
  act(() => void vi.advanceTimersByTime(1_000))
  expect(screen.getByText('5.0 s')).toBeDefined()
  // What was sent long ago tells nothing.
  rerender(<Elapsed from={0} to={undefined} serverNow={0} latest={100} />)
  act(() => void vi.advanceTimersByTime(1_000))
  expect(screen.getByText('6.0 s')).toBeDefined()
})
