import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { browserClock } from '@/components/runs/view/browser-clock'
import { RunStore } from '@/components/runs/view/run-store'
import { threadStateQuery } from '@/lib/queries/thread-states'
import { threadsQuery } from '@/lib/queries/threads'
import type { RecordingSummary } from '@/lib/stream/log'
import { createRunView } from '@/lib/stream/run-view'
import { useIsContinued } from './use-is-continued'

afterEach(cleanup)

const PLACE = ['w', 'd'] as const
const QUESTION = { id: 'q', value: 'ok?', schema: undefined, namespace: [], seq: 1, at: 0 }

/** What is said of a run that stopped early while `stopped` was next, where the server now has the thread and state given. */
function isContinued(asked: boolean, thread: object, next?: string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const search = { ids: ['t'], select: ['thread_id' as const, 'status' as const, 'interrupts' as const], limit: 1 }
  client.setQueryDefaults(threadsQuery(...PLACE, search).queryKey, { queryFn: () => [] })
  client.setQueryData(threadsQuery(...PLACE, search).queryKey, [{ thread_id: 't', ...thread }] as never)
  if (next) client.setQueryData(threadStateQuery(...PLACE, 't').queryKey, { next } as never)
  const store = new RunStore(browserClock, createRunView())
  store.view.next = ['stopped']
  store.view.final = { outcome: 'interrupted' } as never
  if (asked) store.view.interrupts.set('q', QUESTION)
  const summary = { workspace: 'w', deployment: 'd', outcome: 'interrupted' } as RecordingSummary
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  return renderHook(() => useIsContinued(summary, 't', store), { wrapper }).result.current
}

test.each([
  ['answered: its thread is idle', true, { status: 'idle' }, undefined, true],
  ['open: its thread is busy', true, { status: 'busy' }, undefined, false],
  ['open: its thread still asks', true, { status: 'interrupted', interrupts: { a: [{ id: 'q' }] } }, undefined, false],
  ['answered: another question', true, { status: 'interrupted', interrupts: { a: [{ id: 'r' }] } }, undefined, true],
])('a question is %s', (_, asked, thread, next, expected) => {
  expect(isContinued(asked, thread, next)).toBe(expected)
})

test.each([
  ['stopped by another program, nothing has happened since', ['stopped'], false],
  ['the thread went on to its end', [], true],
  ['nobody knows', undefined, false],
])('without a question on an idle thread: %s', (_, next, expected) => {
  expect(isContinued(false, { status: 'idle' }, next)).toBe(expected)
})
