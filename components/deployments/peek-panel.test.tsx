import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import type { DeploymentRow } from '@/lib/contracts/deployments/deployment-row'
import { PeekPanel } from './peek-panel'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const revision = { id: 'r', status: 'DEPLOYED', at: null }
const row = {
  ...{
    id: 'd',
    name: 'billing',
    status: 'READY',
    source: 'github',
    secrets: [],
    url: 'http://127.0.0.1:4321/agents/d',
  },
  ...{ latest: revision, active: revision, createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
} as unknown as DeploymentRow

function peek(more: Partial<DeploymentRow>) {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Rights canRun canAdminister isInContainer>
        <PeekPanel workspace="w" row={{ ...row, ...more }} onClose={() => {}} />
      </Rights>
    </QueryClientProvider>,
  )
}

test('runs that fail are told and lead to them, not to the log of a revision that serves', () => {
  peek({ failing: { since: Date.now(), runs: 30, failed: 10 } })
  expect(screen.queryByText('Healthy')).toBeNull()
  expect(screen.getByText('Runs fail')).toBeDefined()
  expect(screen.getByRole('region', { name: 'Facts' }).textContent).toMatch(/^33% of 30 runs failed since \d\d:\d\d\./)
  expect(screen.getByRole('link', { name: 'Failed runs' }).getAttribute('href')).toMatch(/runs\?status=failed/)
  expect(screen.queryByRole('link', { name: 'Open the log' })).toBeNull()
})

test('an address that works in its container only is said to', () => {
  peek({})
  expect(screen.getByRole('link', { name: 'Call the agents from elsewhere' })).toBeDefined()
})
