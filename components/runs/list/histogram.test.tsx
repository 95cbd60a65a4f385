import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { RunHistogram } from '@/lib/contracts/agents/run-row'
import { Histogram } from './histogram'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const first = Date.parse('2026-11-24T10:00:00Z')
const counted = (counts: RunHistogram['counts'][number]): RunHistogram => ({
  since: first,
  until: null,
  first,
  step: 60,
  counts: [counts],
  elsewhere: 0,
  looked: null,
})

test('the chart is read again a second after the list shows another status', async () => {
  vi.useFakeTimers()
  let now = counted({ active: 1 })
  const fetched = vi.fn(async () => Response.json(now))
  vi.stubGlobal('fetch', fetched)
  const client = new QueryClient()
  const chart = (statuses: string) => (
    <QueryClientProvider client={client}>
      <Histogram workspace="w" query={{}} statuses={statuses} onRange={() => {}} />
    </QueryClientProvider>
  )
  const { rerender } = render(chart('r1 running'))
  await act(() => vi.advanceTimersByTimeAsync(2_000))
  expect(fetched).toHaveBeenCalledTimes(1)
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }))
  expect(screen.getByRole('columnheader', { name: /Running/ })).toBeTruthy()

  now = counted({ failed: 1 })
  rerender(chart('r1 error'))
  await act(() => vi.advanceTimersByTimeAsync(1_100))
  expect(fetched).toHaveBeenCalledTimes(2)
  expect(screen.queryByRole('columnheader', { name: /Running/ })).toBeNull()
  expect(screen.getByRole('columnheader', { name: /Failed/ })).toBeTruthy()

  rerender(chart('r1 error'))
  await act(() => vi.advanceTimersByTimeAsync(2_000))
  expect(fetched).toHaveBeenCalledTimes(2)
})
