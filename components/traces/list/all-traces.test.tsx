import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { AllTraces } from './all-traces'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a list of traces that waits for its server says so after five seconds', () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AllTraces workspace="w" views={[]} />
    </QueryClientProvider>,
  )
  expect(screen.queryByText(/No answer/)).toBeNull()
  act(() => void vi.advanceTimersByTime(5_000))
  expect(screen.getByRole('status').textContent).toBe('No answer for 5 seconds. Still waiting.')
})
