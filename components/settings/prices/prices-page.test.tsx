import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { pricesQuery } from '@/lib/queries/traces'
import type { StoredPrice } from '@/lib/traces/cost'
import { PricesPage } from './prices-page'

vi.mock('@/lib/actions/prices', () => ({}))
vi.mock('next/navigation', () => ({ usePathname: () => '/w/settings/prices' }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const price = (model: string, more: Partial<StoredPrice> = {}): StoredPrice => ({
  ...{ id: model, model, provider: null, input: 1, output: 2, cachedInput: null, reasoning: null },
  ...{ cacheWrite: null, cacheWrite1h: null, validFrom: null, ...more },
})
const PRICES = [
  price('ours'),
  price('theirs', { source: { url: 'https://provider.example', checked: '2026-11-01' } as StoredPrice['source'] }),
]
const away = { code: 'upstream_failed', message: 'It is away.', fields: [], requestId: '' }
const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })
const show = (queries: QueryClient) =>
  render(
    <QueryClientProvider client={queries}>
      <PricesPage workspace="w" />
    </QueryClientProvider>,
  )

test('while prices are read nothing is said of them, after five seconds that there is no answer', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  show(client())
  expect(screen.getByRole('table', { name: 'Model prices' }).getAttribute('aria-busy')).toBe('true')
  expect(screen.queryByText('Shipped prices')).toBeNull()
  act(() => vi.advanceTimersByTime(6_000))
  expect(screen.getAllByText(/^No answer for 5 seconds/)).toHaveLength(1)
})

test('where prices cannot be read, the error is said once, also while it is tried again', async () => {
  vi.stubGlobal('fetch', async () => Response.json(away, { status: 502 }))
  show(new QueryClient({ defaultOptions: { queries: { retry: 1, retryDelay: 60_000 } } }))
  expect((await screen.findByRole('alert')).textContent).toContain('It is away.')
  expect(screen.queryByText(/Shipped prices|No prices of this workspace/)).toBeNull()
})

test('prices that could not be read again stay, and say how old they are', async () => {
  const queries = client()
  queries.setQueryData(pricesQuery('w').queryKey, PRICES, { updatedAt: Date.now() - 120_000 })
  vi.stubGlobal('fetch', async () => Response.json(away, { status: 502 }))
  show(queries)
  expect(await screen.findByText(/It is away\. Last updated/)).toBeTruthy()
  expect(screen.getByText('ours').closest('.grayscale')).not.toBeNull()
  expect(screen.getByText('theirs').closest('.grayscale')).not.toBeNull()
})
