// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ratePair } from '@/lib/actions/experiments'
import type { Pair } from '@/lib/stream/experiments'
import { PairCell } from './pair-cell'

vi.mock('@/lib/actions/experiments', () => ({ ratePair: vi.fn() }))
afterEach(cleanup)

function show(output: string, base?: string, note = '') {
  const result = { ...{ run: 'r', outcome: 'success', error: null, output, latencyMs: 1, firstTokenMs: null } }
  const known = { tokensIn: null, tokensOut: null, cost: null, isEstimated: false }
  const pair = { subject: 0, input: 0, state: 'done', recording: null, error: null, checks: [], thumb: null, note }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PairCell
        place={{ workspace: 'w', id: 'e' }}
        pair={{ ...pair, ratedBy: null, result: { ...result, ...known } } as unknown as Pair}
        subject={undefined}
        base={base === undefined ? undefined : { name: 'First', output: base }}
        isRunning={false}
        reason={undefined}
        onRated={() => {}}
      />
    </QueryClientProvider>,
  )
}

test('an answer is shown as Markdown, and its difference from another as text', () => {
  show('It is **42**.\n\n- one\n- two')
  expect(screen.getByText('42').tagName).toBe('STRONG')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['•one', '•two'])
  cleanup()
  show('It is **42**.', 'It is **41**.')
  expect(screen.queryByText('42')).toBeNull()
  expect(document.querySelector('ins')?.textContent).toContain('42')
})

test('an answer that is the same, has little in common or is too long is shown itself, and says so', () => {
  show('It is **42**.', 'It is **42**.')
  expect(screen.getByText('Same as First')).toBeTruthy()
  expect(screen.getByText('42').tagName).toBe('STRONG')
  cleanup()
  show('It is **42**.', 'Nobody can say what that would be.')
  expect(screen.getByText('Little in common with First')).toBeTruthy()
  expect(screen.getByText('42').tagName).toBe('STRONG')
  cleanup()
  show('word '.repeat(3_000), `${'word '.repeat(3_000)}more`)
  expect(screen.getByText('Too long to compare with First')).toBeTruthy()
})

test('a state is shown as its JSON, and a long answer unfolds', () => {
  show('{"total": "*2*"}')
  expect(screen.getByText('{"total": "*2*"}')).toBeTruthy()
  cleanup()
  show(`${'word '.repeat(200)}**end**`)
  expect(screen.queryByText('end')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: /^Show more/ }))
  expect(screen.getByText('end').tagName).toBe('STRONG')
})

test('a long answer is cut between two words, and says how much is left', () => {
  show(`${'word '.repeat(119)}unabbreviated rest`)
  expect(screen.getByText(/word …$/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Show more (19 characters)' })).toBeTruthy()
})

test('a thumb that is clicked while a note is being saved is sent after it', async () => {
  let answer: (value: Awaited<ReturnType<typeof ratePair>>) => void = () => {}
  const rated = vi.mocked(ratePair).mockImplementation(() => new Promise((resolve) => (answer = resolve)))
  show('It is 42.', undefined, 'short')
  const note = screen.getByLabelText('Note')
  fireEvent.change(note, { target: { value: 'too short' } })
  fireEvent.blur(note)
  fireEvent.click(screen.getByRole('button', { name: 'Good answer' }))
  fireEvent.click(screen.getByRole('button', { name: 'Bad answer' }))
  const saved = { ok: true as const, data: { isTraced: true, reason: null } }
  await act(async () => answer(saved))
  await act(async () => answer(saved))
  expect(rated.mock.calls.map(([{ thumb, note }]) => [thumb, note])).toEqual([
    [null, 'too short'],
    [-1, 'too short'],
  ])
  expect(screen.getByRole('status').textContent).toBe('Rating saved here and in the trace')
})
