import { act, cleanup, render } from '@testing-library/react'
import { useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Input } from '@/components/ui/input'
import { useKeptDraft } from './use-kept-draft'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  cleanup()
  sessionStorage.clear()
  vi.useRealTimers()
})

function Form() {
  const [draft, setDraft] = useState({ name: '', branch: 'main' })
  useKeptDraft('form', draft, setDraft)
  return (['name', 'branch'] as const).map((field) => (
    <Input
      key={field}
      aria-label={field}
      value={draft[field]}
      onChange={({ target }) => setDraft((now) => ({ ...now, [field]: target.value }))}
    />
  ))
}
const fieldsOf = (page: Element) => [...page.querySelectorAll('input')].map(({ value }) => value)

test('a kept draft is restored, beside what was typed before the program came', async () => {
  sessionStorage.setItem('form', JSON.stringify({ name: 'kept', branch: 'kept' }))
  const page = document.body.appendChild(document.createElement('div'))
  page.innerHTML = renderToString(<Form />)
  const [name] = page.querySelectorAll('input')
  if (name) name.value = 'typed'
  await act(async () => void hydrateRoot(page, <Form />))
  act(() => void vi.runAllTimers())
  expect(fieldsOf(page)).toEqual(['typed', 'kept'])
  page.remove()
})

test('a page that is left before its draft was restored keeps it', () => {
  const kept = JSON.stringify({ name: 'kept', branch: 'kept' })
  sessionStorage.setItem('form', kept)
  render(<Form />).unmount()
  act(() => void vi.runAllTimers())
  expect(sessionStorage.getItem('form')).toBe(kept)
})

test('what is typed is there again after the page was left', () => {
  const first = render(<Form />)
  act(() => void vi.runAllTimers())
  const field = first.getByLabelText('name') as HTMLInputElement
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'typed')
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  first.unmount()
  const second = render(<Form />)
  act(() => void vi.runAllTimers())
  expect(fieldsOf(second.container)).toEqual(['typed', 'main'])
})
