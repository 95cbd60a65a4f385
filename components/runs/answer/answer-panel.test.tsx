import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { RecordingSummary } from '@/lib/stream/log'
import { AnswerPanel } from './answer-panel'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({}) }))
afterEach(cleanup)

test.each([
  ['labelled', { draft: 'Dear team', copies: 3 }, 'draftDear teamcopies3'],
  ['JSON if it is nested', { draft: { text: 'Dear team' } }, '{  "draft": {    "text": "Dear team"  }}'],
])('what a question asks about is %s', (_, about, shown) => {
  const summary = { workspace: 'w', deployment: 'd', assistant: 'a', request: '{}' }
  const question = { id: 'q', value: { question: 'Send it?', options: ['yes', 'no'], ...about }, namespace: [] }
  render(
    <AnswerPanel
      summary={summary as RecordingSummary}
      thread="t"
      questions={[question as never]}
      next={[]}
      isContinued={false}
    />,
  )
  const asked = screen.getByRole('region', { name: 'Question' }).textContent ?? ''
  expect(asked.replace(/\n/g, '')).toContain(`Send it?${shown}`)
})

test('a question of a stateless run is not said to need input, for nobody can give it', () => {
  const summary = { workspace: 'w', deployment: 'd', assistant: 'a', request: '{}', isStateless: true }
  const question = { id: 'q', value: 'Send it?', node: 'review', namespace: [], seq: 1, at: 0 }
  render(
    <AnswerPanel
      summary={summary as RecordingSummary}
      thread={null}
      questions={[question as never]}
      next={[]}
      isContinued={false}
    />,
  )
  expect(screen.getByRole('region').textContent).toBe(
    'Cannot be answeredThe graph asked a question, but a stateless run keeps no thread to continue. Run again on a thread to answer.',
  )
})
