import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { settingsOf } from '@/lib/contracts/deployments/deployment-settings'
import { deploymentQuery } from '@/lib/queries/deployments'
import { SettingsPage } from './settings-form'

vi.mock('@/lib/actions/deployments', () => ({ readSettings: vi.fn(), saveSettings: vi.fn() }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each([
  ['who may list branches', true, 1],
  ['of one deployment', false, 0],
])('an admin %s asks for them %s: %i request', async (_who, canListRefs, requests) => {
  const fetch = vi.fn(async (_url: string) => Response.json({ branches: ['main'], tags: [], is_complete: true }))
  vi.stubGlobal('fetch', fetch)
  const source_config = { integration_id: 'i', repo_url: 'https://git.example/a' }
  const record = { id: 'd', name: 'agent', source: 'github', status: 'READY', source_config, secrets: [] }
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData<unknown>(deploymentQuery('local', 'd').queryKey, record)
  const settings = settingsOf({ source_revision_config: { repo_ref: 'main' } })
  const view = { source: 'github', settings, snapshot: { digest: 'x' } as never }
  render(
    <QueryClientProvider client={client}>
      <SettingsPage workspace="local" deploymentId="d" view={view} canListRefs={canListRefs} />
    </QueryClientProvider>,
  )
  expect(screen.getByLabelText('Branch or tag')).toHaveProperty('value', 'main')
  if (requests > 0) await vi.waitFor(() => expect(document.querySelectorAll('datalist option')).toHaveLength(1))
  else await new Promise((resolve) => setTimeout(resolve, 0))
  expect(fetch.mock.calls.filter(([url]) => url.includes('/refs'))).toHaveLength(requests)
})
