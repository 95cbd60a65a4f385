import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RunStore } from '@/components/runs/view/run-store'
import { Rights } from '@/components/shared/layout/rights'
import type { RecordingSummary } from '@/lib/stream/log'
import { RunHeader } from './run-header'

vi.mock('next/navigation', () => ({
  useRouter: () => ({}),
  usePathname: () => '/',
  useSearchParams: () => new URLSearchParams(),
}))
vi.mock('@/lib/live/client', () => ({ connection: { subscribe: () => () => {}, get: () => 'live' } }))
afterEach(cleanup)

const assistant = 'a33baf4e-f820-5b24-bcdf-1f8000000000'

/** The header while the recording is read, before the names of assistants have come. */
function open(phase: RecordingSummary['phase']) {
  const store = new RunStore()
  store.phase = phase
  store.total = 9
  const summary = {
    ...{ id: 'rec', workspace: 'w', deployment: 'd', thread: 't', run: null, assistant, phase, outcome: null },
    ...{ startedAt: '2026-11-28T10:00:00Z', endedAt: null, startedBy: 'API', request: '{}' },
  } as unknown as RecordingSummary
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Rights canRun canAdminister={false}>
        <RunHeader
          {...{ summary, store, serverNow: 0, isGone: false, isCancelling: false, isContinued: false }}
          onCancelling={() => {}}
          onCancelFailed={() => {}}
        />
      </Rights>
    </QueryClientProvider>,
  )
}

test('a run that has ended cannot be paused while its recording is read', () => {
  open('ended')
  const toChat = screen.getByRole('link', { name: 'Continue in chat' })
  expect(toChat.getAttribute('href')).toBe(`/w/deployments/d/chat/t?assistant=${assistant}`)
  expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
  cleanup()
  open('live')
  expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy()
})

test('an assistant whose name is not known is named by the beginning of its id, as in lists', () => {
  open('ended')
  expect(screen.getByText('a33baf4e').title).toBe(assistant)
})
