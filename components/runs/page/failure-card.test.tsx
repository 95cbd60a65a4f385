import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RunStore } from '@/components/runs/view/run-store'
import { failedRunsQuery } from '@/lib/queries/traces'
import type { RecordingSummary } from '@/lib/stream/log'
import { applyEntry } from '@/lib/stream/run-view'
import { FailureCard } from './failure-card'

vi.mock('next/navigation', () => ({ useRouter: () => ({}), usePathname: () => '/', useSearchParams: () => new Map() }))
afterEach(cleanup)

test('what the stream lacks comes from the trace: the stack and type of the error, the input of its node', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const stack = 'Declined.\n\nPaymentError: Declined.\n    at pay (graph.ts:7)'
  client.setQueryData(failedRunsQuery('w', 'r1').queryKey, {
    runs: [
      { id: 'r1', name: 'shop', error: stack, inputs: { all: 1 } },
      { id: 'n1', name: 'pay', error: 'first attempt', inputs: { order: 1 } },
      { id: 'n2', name: 'pay', error: 'last attempt', inputs: { order: 2 } },
    ],
  } as never)
  const store = new RunStore()
  const task = { id: 't', name: 'pay', error: 'Declined.', interrupts: [] }
  const state = JSON.stringify({ values: {}, next: ['pay'], tasks: [task], checkpoint: { checkpoint_id: 'c' } })
  applyEntry(store.view, { kind: 'final', outcome: 'error', state, seq: 1, at: 1 } as never)
  const summary = { workspace: 'w', deployment: 'd', run: 'r1', assistant: 'a', startedAt: '', request: {} }
  const card = (isBelowHeader: boolean) => (
    <QueryClientProvider client={client}>
      <FailureCard
        {...{ store, isBelowHeader, summary: summary as unknown as RecordingSummary }}
        {...{ thread: 't', isGone: false }}
      />
    </QueryClientProvider>
  )
  const { rerender } = render(card(false))
  expect(screen.getByText('Input of pay').closest('details')?.textContent).toContain('"order": 2')
  expect(screen.getByText('Stack').closest('details')?.textContent).toContain('graph.ts:7')
  expect(screen.getByRole('heading').textContent).toMatch(/^PaymentError/)
  expect(screen.queryByText(/Not in the server/)).toBeNull()
  expect(screen.getByRole('link', { name: 'Open trace' })).toBeTruthy()
  rerender(card(true))
  expect(screen.queryByRole('link', { name: 'Open trace' })).toBeNull()
})
