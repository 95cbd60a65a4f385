import { dehydrate, HydrationBoundary, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act } from '@testing-library/react'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { PageMark } from './page-hydrated'
import { useLiveQuery } from './use-live-query'

// A document whose page has a mark, as the browser finds it.
vi.hoisted(() => {
  document.body.innerHTML = '<i data-page></i>'
})
vi.mock('@/lib/live/client', () => ({
  connection: { subscribe: () => () => {}, get: () => 'live' },
  // The first value arrives at once.
  subscribe: (_: unknown, { onValue }: { onValue: (value: unknown, at: number) => void }) => {
    onValue('Healthy', Date.now() + 1_000)
    return () => {}
  },
}))

const KEY = ['health']
const query = { queryKey: KEY, queryFn: () => 'Building', staleTime: Number.POSITIVE_INFINITY }

function Frame({ children }: { children: ReactNode }) {
  useLiveQuery({ kind: 'deployment', workspace: 'w', deployment: 'd' }, KEY)
  return children
}
const Health = () => <p>{String(useQuery(query).data)}</p>

/** The frame around a page whose code may arrive later. */
function tree(Page: ComponentType) {
  const [client, filled] = [new QueryClient(), new QueryClient()]
  filled.setQueryData(KEY, 'Building')
  return (
    <QueryClientProvider client={client}>
      <HydrationBoundary state={dehydrate(filled)}>
        <Frame>
          <Suspense fallback="Loading">
            <Page />
            <PageMark />
          </Suspense>
        </Frame>
      </HydrationBoundary>
    </QueryClientProvider>
  )
}

test('what arrives before the page is hydrated is shown afterwards, and React discards nothing', async () => {
  const place = document.createElement('div')
  place.innerHTML = renderToString(tree(Health))
  document.body.append(place)
  expect(place.textContent).toBe('Building')

  let arrive = (_: { default: typeof Health }) => {}
  const Late = lazy(() => new Promise<{ default: typeof Health }>((resolve) => (arrive = resolve)))
  const discarded: unknown[] = []
  await act(async () => hydrateRoot(place, tree(Late), { onRecoverableError: (error) => discarded.push(error) }))
  await act(async () => arrive({ default: Health }))
  await vi.waitFor(() => expect(place.textContent).toBe('Healthy'))
  expect(discarded).toEqual([])
})
