import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { browserClock } from '@/components/runs/view/browser-clock'
import { RunStore } from '@/components/runs/view/run-store'
import { runsQuery } from '@/lib/queries/runs'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { threadsQuery } from '@/lib/queries/threads'
import type { RecordingSummary } from '@/lib/stream/log'
import { createRunView } from '@/lib/stream/run-view'
import { askedBy, THREADS_NOW } from '@/lib/stream/testing'
import { useIsContinued } from './use-is-continued'

let tell = () => {}
vi.mock('@/lib/live/client', () => ({
  subscribe: (_: unknown, { onValue }: { onValue: (value: unknown, at: number) => void }) => {
    tell = () => onValue({}, 0)
    return () => {}
  },
}))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const PLACE = ['w', 'd'] as const
const QUESTION = { id: 'q', value: 'ok?', schema: undefined, namespace: [], seq: 1, at: 0 }

const SEARCH = { ids: ['t'], select: ['thread_id' as const, 'status' as const, 'interrupts' as const], limit: 1 }
const RUNNING = runsQuery(...PLACE, 't', { status: 'running', limit: 2 }).queryKey
const THREAD = threadsQuery(...PLACE, SEARCH).queryKey

/** The page of a run that stopped early while `stopped` was next. */
function open(client: QueryClient, asked: boolean, outcome: 'waiting' | 'interrupted' = 'interrupted') {
  const store = new RunStore(browserClock, createRunView())
  store.view.next = ['stopped']
  store.view.final = { outcome } as never
  if (asked) store.view.interrupts.set('q', QUESTION)
  const summary = { workspace: 'w', deployment: 'd', run: 'r', outcome } as RecordingSummary
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  return renderHook(() => useIsContinued(summary, 't', store), { wrapper }).result
}

/** What is said of the run where the server now has the thread and state given. */
function isContinued(asked: boolean, thread: object, next?: string[], active?: string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryDefaults(THREAD, { queryFn: () => [] })
  client.setQueryData(THREAD, [{ thread_id: 't', ...thread }] as never)
  if (next) client.setQueryData(threadStateQuery(...PLACE, 't').queryKey, { next } as never)
  if (active) client.setQueryData(RUNNING, active.map((run_id) => ({ run_id, status: 'running' })) as never)
  client.setQueryDefaults(RUNNING.slice(0, -1), { queryFn: () => [] })
  return open(client, asked).current
}

test.each(THREADS_NOW)('a thread is $what, as in the list', ({ status, interrupts, active, isContinued: expected }) => {
  expect(isContinued(true, { status, interrupts: askedBy(interrupts) }, undefined, active)).toBe(expected)
})

test('a question that somebody else answers while the page is open is settled', async () => {
  let status = 'interrupted'
  vi.stubGlobal('fetch', async () =>
    Response.json([{ thread_id: 't', status, metadata: {}, interrupts: status === 'idle' ? {} : askedBy(['q']) }]),
  )
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const result = open(client, true)
  await waitFor(() => expect(client.getQueryData(THREAD)).toMatchObject([{ status: 'interrupted' }]))
  expect(result.current).toBe(false)
  status = 'idle'
  act(() => tell())
  await waitFor(() => expect(result.current).toBe(true))
  // Later runs of the thread don't bring the question back.
  act(() => client.setQueryData(THREAD, [{ thread_id: 't', status: 'busy' }] as never))
  expect(result.current).toBe(true)
})

test.each([
  ['stopped by another program, nothing has happened since', ['stopped'], false],
  ['the thread went on to its end', [], true],
  ['nobody knows', undefined, false],
])('without a question on an idle thread: %s', (_, next, expected) => {
  expect(isContinued(false, { status: 'idle' }, next)).toBe(expected)
})

test('a run that stopped at a breakpoint is continued as soon as its thread is at rest, as in the list', () => {
  const after = (status: string) => {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
    client.setQueryData(THREAD, [{ thread_id: 't', status }] as never)
    return open(client, false, 'waiting').current
  }
  expect(after('interrupted')).toBe(false)
  expect(after('idle')).toBe(true)
})
