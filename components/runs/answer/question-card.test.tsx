import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { draftFor } from './answer-draft'
import { QuestionCard } from './question-card'

afterEach(cleanup)

test('a long question is folded, and shown as a whole on demand', () => {
  const value = { question: 'Send this?', text: 'word '.repeat(200), to: 'Ada' }
  const question = { id: 'q', value, schema: undefined, namespace: [], seq: 1, at: 1 }
  render(<QuestionCard {...{ question, title: 'Question', draft: draftFor(question), onChange: () => {} }} />)
  const folded = () => [...document.querySelectorAll('.overflow-hidden')].map(({ textContent }) => textContent)
  expect(folded()).toEqual([value.text])
  fireEvent.click(screen.getByRole('button', { name: 'Show all of it' }))
  expect(folded()).toEqual([])
  expect(screen.queryByRole('button', { name: 'Show all of it' })).toBeNull()
})
