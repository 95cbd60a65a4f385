import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { RunActivity } from '@/lib/contracts/activity'
import { activityQuery } from '@/lib/queries/deployments'
import { HealthBadge } from './health-badge'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const deployment = {
  ...{ id: 'd', source: 'github', status: 'READY', latest_revision_id: 'r', active_revision_id: 'r' },
} as const

function shown(hours?: RunActivity['hours']) {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const runs = { source: 'traces', runs: 30, failed: 10, hours, p95: 1 }
  if (hours !== undefined) client.setQueryData<unknown>(activityQuery('w', ['d']).queryKey, { d: { runs } })
  const { container } = render(
    <QueryClientProvider client={client}>
      <HealthBadge workspace="w" deployment={deployment} />
    </QueryClientProvider>,
  )
  return container.textContent
}

test('a deployment is called healthy once it is known that its runs do not fail', () => {
  expect(shown()).toBe('')
  cleanup()
  expect(shown([{ runs: 30, failed: 10 }])).toBe('Runs fail')
  cleanup()
  expect(shown([{ runs: 30, failed: 1 }])).toBe('Healthy')
  cleanup()
  expect(shown(null)).toBe('Healthy')
})
