import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Deployment } from '@/lib/contracts/deployments/deployments'
import { listenersQuery } from '@/lib/queries/deployments'
import { OverviewFacts } from './overview-facts'

afterEach(cleanup)

function show(more: object) {
  const deployment = {
    ...{ id: 'd', name: 'harbour', source: 'external', secrets: [] },
    ...{ created_at: '2026-11-25T10:00:00Z', updated_at: '2026-11-25T10:00:00Z', ...more },
  } as unknown as Deployment
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData<unknown>(listenersQuery('local').queryKey, [{ id: 'listener-1', compute_id: 'quay' }])
  render(
    <QueryClientProvider client={client}>
      <OverviewFacts workspace="local" deployment={deployment} />
    </QueryClientProvider>,
  )
}
const fact = (name: string) => screen.queryByText(name)?.nextElementSibling?.textContent

test('of a server that was added by its address, creation and secrets are unknown', () => {
  show({})
  expect(fact('Created')).toBe('unknown')
  expect(fact('Added here')).toBeTruthy()
  expect(screen.getByText('Unknown. They are set where the server runs.')).toBeTruthy()
  expect(screen.queryByText(/No secrets/)).toBeNull()
})

test('a listener is shown by its name', () => {
  show({ source: 'external_docker', source_config: { listener_id: 'listener-1' } })
  expect(fact('Listener')).toBe('quay')
  expect(screen.getByRole('link', { name: 'quay' }).getAttribute('href')).toBe(
    '/local/settings/listeners?listener=listener-1',
  )
  cleanup()
  // Who cannot list the listeners has the name from the deployment.
  show({ source_config: { listener_id: 'listener-2' }, listener: { name: 'pier' } })
  expect(fact('Listener')).toBe('pier')
})
