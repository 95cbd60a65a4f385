import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeQueryClient } from '@/lib/queries/query-client'
import { WorkspaceCharts } from './workspace-charts'

vi.mock('next/navigation', () => ({ useSearchParams: () => new URLSearchParams() }))
vi.mock('@/components/shared/layout/use-set-search', () => ({ useSetSearch: () => vi.fn() }))
vi.mock('@/components/traces/common/cost', () => ({ usePriceBook: () => ({}) }))
vi.mock('./project-charts', () => ({ ProjectCharts: () => <p>Charts</p> }))

const asked = vi.fn(async () => new Response(asked.mock.calls.length === 1 ? '[]' : '[{"id":"p","name":"concierge"}]'))
const client = makeQueryClient()
const open = () =>
  render(
    <QueryClientProvider client={client}>
      <WorkspaceCharts workspace="w" />
    </QueryClientProvider>,
  )
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

beforeEach(async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', asked)
  asked.mockClear()
  client.clear()
  open()
  await pass(100)
  screen.getByText('No charts: no deployment has logged a run yet.')
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('Home that is open notices the first run, and then asks no more', async () => {
  await pass(10_000)
  screen.getByText('Charts')
  await pass(60_000)
  expect(asked).toHaveBeenCalledTimes(2)
})

test('Home that is opened again after the first run does not show what was read before', async () => {
  cleanup()
  open()
  await pass(100)
  screen.getByText('Charts')
})
