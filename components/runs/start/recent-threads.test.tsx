import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { LIGHT_COLUMNS, threadsQuery } from '@/lib/queries/threads'
import { THREAD_EXTRACT } from '@/lib/stream/thread-rows'
import { RecentThreads } from './recent-threads'

afterEach(cleanup)

test('threads are called what they were asked', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const query = { limit: 6, sort_by: 'updated_at', sort_order: 'desc', select: LIGHT_COLUMNS } as const
  const thread = { status: 'idle', metadata: { graph_id: 'agent' }, updated_at: new Date().toISOString() }
  client.setQueryData<unknown>(threadsQuery('w', 'd', { ...query, extract: THREAD_EXTRACT }).queryKey, [
    { ...thread, thread_id: '0190b7a5-1', extracted: { first: { type: 'human', content: 'Where is my order?' } } },
    { ...thread, thread_id: '0190b7a6-2' },
  ])
  render(
    <QueryClientProvider client={client}>
      <RecentThreads workspace="w" deploymentId="d" chosen="" onChoose={vi.fn()} />
    </QueryClientProvider>,
  )
  const [asked, untitled] = screen.getAllByRole('button')
  expect(asked?.textContent).toContain('Where is my order?')
  expect(asked?.textContent).not.toContain('0190b7a5')
  expect(untitled?.textContent).toContain('Untitled thread 0190b7a6')
})
