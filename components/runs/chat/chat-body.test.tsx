import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { type ComponentProps, createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { ChatBody } from './chat-body'
import { threadRecordingsQuery } from './chat-queries'

vi.mock('next/navigation', () => ({ useRouter: () => ({}), usePathname: () => '/', useSearchParams: () => new Map() }))
vi.mock('@/lib/actions/runs', () => ({}))
vi.mock('@/lib/live/client', () => ({ subscribe: () => () => {} }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const place = { workspace: 'w', deploymentId: 'd' }

function show(recordings: [] | undefined, status = 'error') {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const tasks = [{ id: 'a', name: 'check', error: 'An invoice needs a customer.', interrupts: [] }]
  client.setQueryData(threadStateQuery('w', 'd', 't').queryKey as readonly unknown[], { values: {}, next: [], tasks })
  client.setQueryData(threadRecordingsQuery({ ...place, thread: 't' }).queryKey, recordings)
  const props = {
    ...{ place, thread: 't', onThread: () => {}, chat: {}, field: createRef(), serverNow: 0, started: [] },
    ...{ base: undefined, setBase: () => {}, shown: { current: [] }, start: async () => true, stopping: undefined },
    ...{ status, reason: undefined, onError: () => {}, onFollow: () => {}, empty: 'No messages. See State.' },
  }
  render(
    <QueryClientProvider client={client}>
      <ChatBody {...(props as unknown as ComponentProps<typeof ChatBody>)} />
    </QueryClientProvider>,
  )
}

test('a thread whose last run failed elsewhere says where and why, with a way to its runs', async () => {
  show([])
  const failure = await screen.findByRole('region', { name: 'Failure' })
  expect(failure.textContent).toContain('Failed in check')
  expect(failure.textContent).toContain('An invoice needs a customer.')
  expect(screen.getByRole('link', { name: 'Runs of this thread' }).getAttribute('href')).toContain('thread=t')
})

test('a run that was stopped has not failed', () => {
  show([], 'idle')
  expect(screen.queryByRole('region', { name: 'Failure' })).toBeNull()
})

test('it is not said before it is known whether that run was recorded', () => {
  show(undefined)
  expect(screen.queryByRole('region', { name: 'Failure' })).toBeNull()
})
