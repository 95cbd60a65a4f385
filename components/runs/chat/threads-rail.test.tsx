import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Thread } from '@/lib/contracts/agents/threads'
import { routes } from '@/lib/routes'
import { pressingCountQuery, pressingQuery, RAIL_THREADS, railQuery } from './chat-queries'
import { ThreadsRail } from './threads-rail'

beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const place = { workspace: 'w', deploymentId: 'd' }
const thread = (title: string, status: string): Thread =>
  ({ thread_id: title, status, metadata: { title }, updated_at: '2026-01-01T00:00:00Z' }) as Thread

function show({ newest, pressing, total }: { newest: Thread[]; pressing?: Thread[]; total?: number }) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, retryOnMount: false } },
  })
  client.setQueryData<unknown>(railQuery(place, false).queryKey, newest)
  if (pressing) client.setQueryData<unknown>(pressingQuery(place, false).queryKey, pressing)
  if (total !== undefined) client.setQueryData<unknown>(pressingCountQuery(place).queryKey, total)
  render(
    <QueryClientProvider client={client}>
      <ThreadsRail place={place} thread={undefined} hrefOf={(one) => routes.chat('w', 'd', one)} {...NOTHING} />
    </QueryClientProvider>,
  )
  const group = (name: string) =>
    within(screen.getByRole('region', { name }))
      .getAllByRole('listitem')
      .map((item) => item.querySelector('.font-medium')?.textContent)
  return { client, waiting: () => group('Threads, needs input'), others: () => group('Threads, earlier') }
}
const idle = (count: number) => Array.from({ length: count }, (_, at) => thread(`idle ${at}`, 'idle'))
const NOTHING = { onChoose: () => {}, onNew: () => {} }

test('threads that need input come first, also those older than the newest threads', () => {
  const newest = [thread('new', 'idle'), thread('asks', 'interrupted'), thread('answered', 'idle'), ...idle(27)]
  // A server that ignores the status lists all.
  const pressing = [thread('asks', 'interrupted'), thread('answered', 'interrupted'), thread('old', 'interrupted')]
  const rail = show({ newest, pressing: [...pressing, thread('older', 'idle')] })
  expect(rail.waiting()).toEqual(['asks', 'old'])
  expect(rail.others().slice(0, 3)).toEqual(['new', 'answered', 'idle 0'])
  expect(rail.others()).not.toContain('older')
  expect(screen.queryByRole('link', { name: /more need input/ })).toBeNull()
})

test('more than are listed are counted and linked', () => {
  const pressing = Array.from({ length: RAIL_THREADS }, (_, at) => thread(`t${at}`, 'interrupted'))
  show({ newest: idle(RAIL_THREADS), pressing, total: 45 })
  const link = screen.getByRole('link', { name: '15 more need input' })
  expect(link.getAttribute('href')).toBe('/w/deployments/d/threads?status=interrupted')
})

test('a list that could not be read again says how old it is', async () => {
  const { client } = show({ newest: idle(2) })
  expect(screen.queryByText(/Last updated/)).toBeNull()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await act(() => client.refetchQueries({ queryKey: railQuery(place, false).queryKey }))
  expect(await screen.findByText(/Last updated/)).toBeTruthy()
  expect(screen.getByText('idle 1')).toBeTruthy()
})

test('an error that the conversation tells is not told once more beside it', async () => {
  const message = 'The agent server responded with status 500.'
  vi.stubGlobal('fetch', async () =>
    Response.json({ code: 'upstream_failed', message, fields: [], requestId: '' }, { status: 502 }),
  )
  const shown = (told?: string) => {
    cleanup()
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ThreadsRail
          place={place}
          thread={undefined}
          hrefOf={(one) => routes.chat('w', 'd', one)}
          {...NOTHING}
          told={told}
        />
      </QueryClientProvider>,
    )
  }
  shown()
  expect((await screen.findByRole('alert')).textContent).toContain(message)
  shown(message)
  expect(await screen.findByText('Threads could not be read.')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})
