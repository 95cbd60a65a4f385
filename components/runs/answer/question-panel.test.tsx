import { cleanup, render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { afterEach, expect, test } from 'vitest'
import { QuestionPanel } from './question-panel'

afterEach(cleanup)

function Chat({ isAsking = false, text = '' }) {
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <>
      {isAsking ? (
        <QuestionPanel field={field}>
          <button type="button">Approve</button>
        </QuestionPanel>
      ) : null}
      <textarea ref={field} defaultValue={text} />
    </>
  )
}
const message = () => screen.getByRole('textbox')

test('a question takes the focus from an empty message, which has it again once it is answered', () => {
  const { rerender } = render(<Chat />)
  message().focus()
  rerender(<Chat isAsking />)
  expect(document.activeElement).toBe(screen.getByRole('button').parentElement)
  screen.getByRole('button').focus()
  rerender(<Chat />)
  expect(document.activeElement).toBe(message())
})

test('a message that is being written keeps the focus', () => {
  const { rerender } = render(<Chat text="And" />)
  message().focus()
  rerender(<Chat text="And" isAsking />)
  expect(document.activeElement).toBe(message())
  screen.getByRole('button').focus()
  message().focus()
  rerender(<Chat text="And" />)
  expect(document.activeElement).toBe(message())
})
