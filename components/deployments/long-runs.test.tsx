import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { runRowsQuery } from '@/lib/queries/runs'
import { LongRuns } from './long-runs'

afterEach(cleanup)

function show(minutes: number[], next: string | null = null) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const rows = minutes.map((ago) => ({ startedAt: new Date(Date.now() - ago * 60_000).toISOString() }))
  client.setQueryData<unknown>(runRowsQuery('w', { status: 'active', until: '15m', limit: 100 }).queryKey, {
    rows,
    next,
  })
  render(
    <QueryClientProvider client={client}>
      <LongRuns workspace="w" />
    </QueryClientProvider>,
  )
  return screen.queryByRole('listitem')?.textContent
}

test('a run that hangs is told with when it started, and leads to the list of such runs', () => {
  expect(show([40])).toMatch(/^Running1 run has been running for over 15 min, the oldest started 40 min/)
  expect(screen.getByRole('link', { name: 'Running runs' }).getAttribute('href')).toBe(
    '/w/runs?status=active&until=15m',
  )
  cleanup()
  expect(show([16, 90])).toMatch(/^Running2 runs have .* started 1 hr/)
  cleanup()
  expect(show([16, 17], 'more')).toMatch(/^Running2 or more runs have been running for over 15 minRunning runs$/)
  cleanup()
  expect(show([])).toBeUndefined()
})
