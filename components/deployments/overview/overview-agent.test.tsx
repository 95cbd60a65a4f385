import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { OverviewCapabilities } from './overview-agent'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a server that was not asked, as its control plane is slow, is not said to be away', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  await act(async () => {
    render(
      <QueryClientProvider client={new QueryClient()}>
        <OverviewCapabilities workspace="w" deploymentId="d" offered={Promise.resolve(null)} />
      </QueryClientProvider>,
    )
  })
  expect(await screen.findByText('Unknown: the agent server could not be asked.')).toBeDefined()
})
