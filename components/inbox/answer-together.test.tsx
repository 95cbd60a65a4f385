import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answerThreads } from '@/lib/actions/inbox'
import { AnswerTogether, type JointComponent } from './answer-together'
import type { InboxRow } from './inbox-columns'
import { waitingQuery } from './waiting-query'

vi.mock('@/lib/actions/inbox', () => ({ answerThreads: vi.fn() }))
afterEach(cleanup)

const row = (id: string) => ({ id, deployment: 'd', thread: id, name: `Thread ${id}`, asks: 'Go on?' }) as InboxRow
const Joint: JointComponent = ({ threads, onReview, onCancel }) => (
  <>
    <button
      type="button"
      onClick={() =>
        onReview(threads.map(({ id }) => ({ id, answers: [{ id: 'q', asked: 'Go on?', answer: 'yes' }] })))
      }
    >
      Review {threads.length}
    </button>
    <button type="button" onClick={onCancel}>
      Cancel
    </button>
  </>
)

function show(statuses: Record<string, string>) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  for (const [id, status] of Object.entries(statuses))
    client.setQueryData<unknown>(waitingQuery('local', 'd', id).queryKey, { status, questions: [] })
  const [onAnswered, onClose] = [vi.fn(), vi.fn()]
  render(
    <QueryClientProvider client={client}>
      <AnswerTogether workspace="local" threads={Object.keys(statuses).map(row)} {...{ Joint, onAnswered, onClose }} />
    </QueryClientProvider>,
  )
  return { onAnswered, onClose }
}

test('threads that no longer wait are left out and named', () => {
  show({ a: 'interrupted', b: 'idle' })
  expect(screen.getByRole('list', { name: 'Left out' }).textContent).toContain('Thread b: no longer waiting.')
  expect(screen.getByRole('button', { name: 'Review 1' })).toBeDefined()
})

test('the reviewed answers are sent once, and only answered threads leave the list', async () => {
  vi.mocked(answerThreads).mockResolvedValue({
    ok: true,
    data: [
      { id: 'a', outcome: 'answered' },
      { id: 'b', outcome: 'failed', error: 'The server refused it.' },
    ] as never,
  })
  const { onAnswered } = show({ a: 'interrupted', b: 'interrupted' })
  fireEvent.click(screen.getByRole('button', { name: 'Review 2' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Answer 2 threads' }))
  await vi.waitFor(() => expect(onAnswered).toHaveBeenCalledWith(['a']))
  const [sent] = vi.mocked(answerThreads).mock.calls[0] ?? []
  expect(sent?.threads.map(({ thread }) => thread)).toEqual(['a', 'b'])
  expect(sent?.threads[0]?.answers).toBe('[{"id":"q","asked":"Go on?","answer":"yes"}]')
  expect(answerThreads).toHaveBeenCalledTimes(1)
})

test('cancelling sends nothing', () => {
  vi.mocked(answerThreads).mockClear()
  const { onClose } = show({ a: 'interrupted' })
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalled()
  expect(answerThreads).not.toHaveBeenCalled()
})
