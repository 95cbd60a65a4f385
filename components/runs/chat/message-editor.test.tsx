import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { MessageEditor } from './message-editor'

afterEach(cleanup)

function Row({ version }: { version: number }) {
  const [text, setText] = useState('What is 6 * 8?')
  const rest = { isBusy: false, reason: undefined, onSend: () => {}, onCancel: () => {} }
  return <MessageEditor key={version} initial="What is 6 * 8?" text={text} onText={setText} {...rest} />
}
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Edited message' })

test('what is typed stays when the row is made again, and the next key goes behind it', () => {
  const { rerender } = render(<Row version={1} />)
  expect(field().selectionEnd).toBe('What is 6 * 8?'.length) // all of it is selected
  expect(field().selectionStart).toBe(0)
  fireEvent.change(field(), { target: { value: 'What ' } })
  rerender(<Row version={2} />)
  expect(document.activeElement).toBe(field())
  expect([field().value, field().selectionStart, field().selectionEnd]).toEqual(['What ', 5, 5])
})
