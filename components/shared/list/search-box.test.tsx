import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SearchBox } from './search-box'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const show = (value = '') => {
  const onChange = vi.fn()
  const { rerender } = render(<SearchBox label="Search" value={value} onChange={onChange} />)
  return {
    onChange,
    field: screen.getByRole('searchbox') as HTMLInputElement,
    to: (next: string) => rerender(<SearchBox label="Search" value={next} onChange={onChange} />),
  }
}
const rest = () => act(() => vi.advanceTimersByTime(1_000))

test('text is sent once, after a pause in typing', () => {
  const { onChange, field } = show()
  for (const value of ['c', 'co', 'con']) fireEvent.change(field, { target: { value } })
  expect(onChange).not.toHaveBeenCalled()
  rest()
  expect(onChange.mock.calls).toEqual([['con']])
})

test('leaving the field sends the text at once, and only once', () => {
  const { onChange, field } = show()
  fireEvent.change(field, { target: { value: 'concierge' } })
  fireEvent.blur(field)
  expect(onChange.mock.calls).toEqual([['concierge']])
  rest()
  expect(onChange).toHaveBeenCalledTimes(1)
})

test('follows changes made elsewhere, and sends the same search again after it was cleared', () => {
  const { onChange, field, to } = show('one')
  to('two')
  expect(field.value).toBe('two')
  rest()
  expect(onChange).not.toHaveBeenCalled()
  fireEvent.change(field, { target: { value: 'one' } })
  rest()
  expect(onChange.mock.calls).toEqual([['one']])
})

test('what is typed while an earlier search is on its way stays, and is sent', () => {
  const { onChange, field, to } = show()
  for (const value of ['con', 'conci', 'concierge']) {
    fireEvent.change(field, { target: { value } })
    if (value !== 'concierge') rest()
  }
  to('con')
  expect(field.value).toBe('concierge')
  to('conci')
  expect(field.value).toBe('concierge')
  rest()
  expect(onChange.mock.calls).toEqual([['con'], ['conci'], ['concierge']])
  to('concierge')
  to('con') // back
  expect(field.value).toBe('con')
  rest()
  expect(onChange).toHaveBeenCalledTimes(3)
})
