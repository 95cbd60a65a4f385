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

test('what was typed is sent once, after a rest', () => {
  const { onChange, field } = show()
  for (const value of ['c', 'co', 'con']) fireEvent.change(field, { target: { value } })
  expect(onChange).not.toHaveBeenCalled()
  rest()
  expect(onChange.mock.calls).toEqual([['con']])
})

test('leaving the field sends at once, and only once', () => {
  const { onChange, field } = show()
  fireEvent.change(field, { target: { value: 'concierge' } })
  fireEvent.blur(field)
  expect(onChange.mock.calls).toEqual([['concierge']])
  rest()
  expect(onChange).toHaveBeenCalledTimes(1)
})

test('it follows what changes outside, and a search that is taken back is sent again', () => {
  const { onChange, field, to } = show('one')
  to('two')
  expect(field.value).toBe('two')
  rest()
  expect(onChange).not.toHaveBeenCalled()
  fireEvent.change(field, { target: { value: 'one' } })
  rest()
  expect(onChange.mock.calls).toEqual([['one']])
})
