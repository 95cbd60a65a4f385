import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { JsonEditor } from './json-editor'

afterEach(cleanup)

function Form() {
  const [value, setValue] = useState('{"old": 1}')
  return (
    <>
      <JsonEditor label="JSON" value={value} onChange={setValue} />
      <output>{value}</output>
    </>
  )
}
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'JSON' })
const isPlain = () => field() instanceof HTMLTextAreaElement
const loaded = () => act(async () => void (await import('./json-editor-view')))

test('a field that is being used is replaced by the editor only when it is left, with what was typed', async () => {
  render(<Form />)
  field().focus()
  fireEvent.keyDown(field(), { key: 'a', ctrlKey: true })
  field().select()
  await loaded()
  expect(isPlain()).toBe(true)
  expect([field().selectionStart, field().selectionEnd]).toEqual([0, 10])
  fireEvent.change(field(), { target: { value: '{"new": 2}' } })
  field().blur()
  await waitFor(() => expect(isPlain()).toBe(false))
  expect(field().textContent).toBe('{"new": 2}')
  expect(screen.getByRole('status').textContent).toBe('{"new": 2}')
})

test('a field that only has the focus is replaced at once, and the editor has the focus then', async () => {
  render(<Form />)
  field().focus()
  field().setSelectionRange(3, 3)
  await loaded()
  await waitFor(() => expect(isPlain()).toBe(false))
  expect(document.activeElement).toBe(field())
})
