import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answerThreads } from '@/lib/actions/inbox'
import type { AnsweredThread } from '@/lib/contracts/wire/bulk'
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

const pressAnswer = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Review 2' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Answer 2 threads' }))
}
const answer = (...data: AnsweredThread[]) =>
  vi.mocked(answerThreads).mockImplementationOnce(async () => ({ ok: true, data }))
const A = { id: 'a', outcome: 'answered' } as const
const B = { id: 'b', outcome: 'queued', queue: { place: 3, of: 4 }, retryAfterMs: 400 } as const

test('what waits for a free stream is sent again until it is answered', async () => {
  vi.mocked(answerThreads).mockReset()
  answer(A, B)
  answer({ ...B, queue: { place: 1, of: 2 }, retryAfterMs: 20 })
  answer({ id: 'b', outcome: 'answered' })
  const { onAnswered } = show({ a: 'interrupted', b: 'interrupted' })
  await pressAnswer()
  expect((await screen.findByText(/place 3 of 4/)).textContent).toContain('1 of 2 threads are done')
  await vi.waitFor(() => expect(onAnswered).toHaveBeenCalledWith(['a', 'b']))
  const sent = vi.mocked(answerThreads).mock.calls.map(([one]) => one)
  expect(sent.map(({ round, threads }) => [round, threads.map(({ thread }) => thread)])).toEqual([
    [0, ['a', 'b']],
    [1, ['b']],
    [2, ['b']],
  ])
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
})

test('one can stop waiting, and is told what was answered', async () => {
  vi.mocked(answerThreads).mockReset()
  answer(A, { ...B, retryAfterMs: 60_000 })
  const { onAnswered } = show({ a: 'interrupted', b: 'interrupted' })
  await pressAnswer()
  fireEvent.click(await screen.findByRole('button', { name: 'Stop waiting' }))
  await vi.waitFor(() => expect(onAnswered).toHaveBeenCalledWith(['a']))
  expect(screen.getByRole('dialog', { name: '1 of 2 answered' }).textContent).toContain('Nothing was sent')
  expect(answerThreads).toHaveBeenCalledTimes(1)
})
