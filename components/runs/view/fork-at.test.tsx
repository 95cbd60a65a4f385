import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { lightHistoryQuery } from '@/lib/queries/threads'
import { applyEntry } from '@/lib/stream/run-view'
import { ForkAt } from './fork-at'
import { RunPlace } from './run-place'
import { RunStore } from './run-store'

const push = vi.fn()
vi.mock('next/navigation', () => ({ useRouter: () => ({ push }) }))
afterEach(() => {
  cleanup()
  push.mockClear()
})

const EVENTS = [
  ['values', {}],
  ['tasks', { id: 't1', name: 'plan', input: {}, triggers: [] }],
  ['messages', [{}, {}]],
]
const state = JSON.stringify({ values: {}, checkpoint: { checkpoint_id: 'c9' } })

/** Shows what is offered at an entry of a run whose thread has these checkpoints. */
function open(seq: number, rows: object[], canRun = true, isExact = false) {
  const store = new RunStore()
  for (const [index, [event, data]] of EVENTS.entries())
    applyEntry(store.view, { kind: 'event', event, data: JSON.stringify(data), seq: index + 1, at: 1 } as never)
  applyEntry(store.view, { kind: 'final', outcome: 'success', state, seq: 4, at: 1 } as never)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
  client.setQueryData(lightHistoryQuery('w', 'd', 't', { limit: 50 }).queryKey, { rows } as never)
  render(
    <QueryClientProvider client={client}>
      <Rights canRun={canRun} canAdminister={false}>
        <RunPlace value={{ workspace: 'w', deploymentId: 'd', assistant: 'a', thread: 't' }}>
          <ForkAt {...{ store, seq, isExact }} />
        </RunPlace>
      </Rights>
    </QueryClientProvider>,
  )
}
const row = { id: 'c1', tasks: [{ id: 't1' }] }

test('a moment without a checkpoint says which one is nearest, and forks that', async () => {
  open(3, [row])
  expect(
    screen.getByText('No checkpoint at this entry. The nearest before it is at entry 2, before plan ran.', {
      normalizer: (text) => text,
    }),
  ).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Fork from entry 2' }))
  await waitFor(() => expect(push).toHaveBeenCalledWith(expect.stringMatching(/checkpoint=c1/)))
})

test('a moment with a checkpoint forks it, and nothing is said of another', async () => {
  open(1, [row], true, true)
  expect(screen.queryByText(/No checkpoint/)).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Fork from here' }))
  await waitFor(() =>
    expect(push).toHaveBeenCalledWith(expect.stringMatching(/thread=t.*checkpoint=c1|checkpoint=c1.*thread=t/)),
  )
  cleanup()
  open(4, [])
  expect(screen.getByRole('link', { name: 'Fork from here' }).getAttribute('href')).toMatch(/checkpoint=c9/)
})

test('a checkpoint that is gone is an error, and the page stays', async () => {
  open(3, [{ id: 'c2', tasks: [] }])
  fireEvent.click(screen.getByRole('button', { name: 'Fork from entry 2' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(/no longer in the thread’s history/)
  expect(push).not.toHaveBeenCalled()
})

test('where only the moment itself counts, an earlier one is not offered; viewers are told why they may not', () => {
  open(3, [row], true, true)
  expect(screen.queryByRole('button')).toBeNull()
  cleanup()
  open(3, [row], false)
  expect(screen.getByRole('button', { name: /Fork from entry 2/ }).getAttribute('aria-disabled')).toBe('true')
})
