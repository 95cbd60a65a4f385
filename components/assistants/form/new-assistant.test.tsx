import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { assistantSchemasQuery, defaultAssistantsQuery } from '@/lib/queries/assistants'
import { NewAssistant } from './new-assistant'

// The query of the URL changes late, as on a slow server: here never.
vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: () => undefined, refresh: () => undefined }),
  usePathname: () => '/w/deployments/d/assistants/new',
  useSearchParams: () => new URLSearchParams(),
}))
vi.mock('@/lib/actions/assistants', () => ({ createAssistant: vi.fn(), saveAssistant: vi.fn() }))
afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

const assistant = (graph: string) => ({
  ...{ assistant_id: `id of ${graph}`, graph_id: graph, name: graph, version: 1 },
  ...{ config: {}, context: {}, metadata: { created_by: 'system' } },
})

test('another graph is chosen at once, and keeps what was typed before', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(defaultAssistantsQuery('w', 'd').queryKey, ['approval', 'chat'].map(assistant))
  for (const graph of ['approval', 'chat'])
    client.setQueryData(assistantSchemasQuery('w', 'd', graph).queryKey, { graph_id: graph })
  render(
    <QueryClientProvider client={client}>
      <NewAssistant workspace="w" deploymentId="d" />
    </QueryClientProvider>,
  )
  await userEvent.type(screen.getByLabelText('Name'), 'Night desk')
  await userEvent.selectOptions(screen.getByLabelText('Graph'), 'chat')
  expect(screen.getByText('New assistant of chat')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Night desk')
})
