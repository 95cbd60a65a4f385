import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { BelowNotice, STALE_STYLE } from '@/components/shared/feedback/stale-notice'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { activityQuery } from '@/lib/queries/deployments'
import { OverviewStatus } from './overview-status'

afterEach(cleanup)

const UNKNOWN = { runs: null, change: null, problem: 'It has no traces.' }

function show(stale: { message: string; at: number } | undefined, activity: unknown = UNKNOWN) {
  const deployment = { id: 'd', source: 'github', status: 'READY', latest_revision_id: 'r', active_revision_id: 'r' }
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData<unknown>(activityQuery('w', ['d']).queryKey, { d: activity })
  render(
    <QueryClientProvider client={client}>
      <BelowNotice stale={stale}>
        <OverviewStatus workspace="w" deployment={deployment as unknown as Deployment} revisions={[]} />
      </BelowNotice>
    </QueryClientProvider>,
  )
  return STALE_STYLE.split(' ').every((one) =>
    screen
      .getByText(/serves/)
      .closest('p')
      ?.classList.contains(one),
  )
}

test('healthy is grey below the notice that the control plane does not answer', () => {
  expect(show(undefined)).toBe(false)
  cleanup()
  expect(show({ message: 'The control plane cannot be reached.', at: 0 })).toBe(true)
})

test('why its runs are unknown is a sentence of its own', () => {
  show(undefined)
  expect(screen.getByText(/^Runs in 24 h/).textContent).toBe('Runs in 24 h: unknown. It has no traces.')
})

test('one that serves while its runs fail is not called healthy', () => {
  const runs = { source: 'traces', runs: 30, failed: 10, p95: 9.2 }
  show(undefined, { runs: { ...runs, hours: [{ runs: 30, failed: 10 }] }, change: null, problem: null })
  expect(screen.queryByText('Healthy')).toBeNull()
  expect(screen.getByText('Runs fail')).toBeDefined()
  expect(screen.getByText(/serves/).textContent).toMatch(
    /^33% of 30 runs failed since \d\d:\d\d\. Revision r serves\. 30 runs/,
  )
  cleanup()
  show(undefined, { runs: { ...runs, hours: [{ runs: 30, failed: 0 }] }, change: null, problem: null })
  expect(screen.getByText('Healthy')).toBeDefined()
})
