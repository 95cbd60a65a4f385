import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { AssistantsList } from './assistants-list'

vi.mock('next/navigation', () => ({
  usePathname: () => '/w/deployments/d/assistants',
  useRouter: () => ({ push: vi.fn(), replace: vi.fn() }),
  useSearchParams: () => new URLSearchParams(),
}))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const isListed = (name: string) => screen.queryAllByRole('link', { name }).length > 0
const assistant = (name: string) => ({ assistant_id: name, graph_id: 'chat', name, metadata: {} })

test('an open list shows an assistant that was created elsewhere, and that its server is away', async () => {
  vi.useFakeTimers()
  let answer = () => Response.json([assistant('Harbour')])
  vi.stubGlobal('fetch', async (address: string) => (address.endsWith('/count') ? Response.json(1) : answer()))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AssistantsList workspace="w" deploymentId="d" views={[]} />
    </QueryClientProvider>,
  )
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  await wait(10)
  expect(isListed('Harbour')).toBe(true)
  answer = () => Response.json([assistant('Harbour'), assistant('Lighthouse')])
  await wait(31_000)
  expect(isListed('Lighthouse')).toBe(true)
  const error = { code: 'upstream_unreachable', message: 'It cannot be reached.', fields: [], requestId: '' }
  answer = () => Response.json(error, { status: 503 })
  await wait(31_000)
  expect(screen.getByText(/^It cannot be reached\./)).toBeTruthy()
  expect(isListed('Lighthouse')).toBe(true)
})
