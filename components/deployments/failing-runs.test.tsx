import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { RunActivity } from '@/lib/contracts/activity'
import { activityQuery, deploymentsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { FailingRunsItem, useFailingRuns } from './failing-runs'

afterEach(cleanup)

function Items() {
  return useFailingRuns('local').map((one) => (
    <FailingRunsItem key={one.id} workspace="local" deployment={one} renderChange={() => 'Ada changed a secret'} />
  ))
}

function show(hours: RunActivity['hours'], change: unknown) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const failed = { status: 'failed', since: '24h', limit: 50 }
  client.setQueryData<unknown>(runRowsQuery('local', failed).queryKey, { rows: [{ id: 'r', deployment: 'd' }] })
  client.setQueryData<unknown>(deploymentsQuery('local', { limit: 100 }).queryKey, {
    resources: [{ id: 'd', name: 'harbour' }],
  })
  const runs = { source: 'traces', runs: 10, failed: 3, hours, p95: 1 }
  client.setQueryData<unknown>(activityQuery('local', ['d']).queryKey, { d: { runs, change } })
  render(
    <QueryClientProvider client={client}>
      <Items />
    </QueryClientProvider>,
  )
}

test('a deployment whose runs fail says how many, since when, and what changed last', () => {
  show([{ runs: 10, failed: 3 }], { at: new Date().toISOString() })
  expect(screen.getByRole('listitem').textContent).toMatch(
    /^Runs failharbour 30% of 10 runs failed since \d\d:\d\dLast change: Ada changed a secret/,
  )
  expect(screen.getByRole('link', { name: 'Failed runs' }).getAttribute('href')).toBe(
    '/local/deployments/d/runs?status=failed&since=24h',
  )
})

test('one whose runs recovered, or are unknown, says nothing', () => {
  show([{ runs: 10, failed: 0 }], null)
  expect(screen.queryByRole('listitem')).toBeNull()
  cleanup()
  show(null, null)
  expect(screen.queryByRole('listitem')).toBeNull()
})
