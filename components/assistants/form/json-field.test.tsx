import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { ArgumentsForm } from './arguments-form'

afterEach(cleanup)

/** What the form holds, as JSON. */
let held = ''

function Form({ schema, first = {} }: { schema: object; first?: Record<string, unknown> }) {
  const [value, setValue] = useState(first)
  held = JSON.stringify(value)
  return (
    <ArgumentsForm
      schema={{ type: 'object', properties: { one: schema } }}
      value={value}
      onChange={setValue}
      onUnfinished={() => {}}
    />
  )
}
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^one as/ })

test.each([
  ['hello', '{"one":"hello"}', 'Read as text'],
  ['12 apples', '{"one":"12 apples"}', 'Read as text'],
  ['12', '{"one":12}', 'Read as JSON (number)'],
  ['true', '{"one":true}', 'Read as JSON (boolean)'],
  ['"12"', '{"one":"12"}', 'Read as JSON (string)'],
  ['{"a": [1]}', '{"one":{"a":[1]}}', 'Read as JSON (object)'],
])('%s in a field without a type', (typed, expected, reading) => {
  render(<Form schema={{}} />)
  fireEvent.change(field(), { target: { value: typed } })
  expect(held).toBe(expected)
  expect(screen.queryByText(/^Line/)).toBeNull()
  expect(screen.getByText(reading).id).toBe(field().getAttribute('aria-describedby')?.split(' ').at(-1))
})

test('what begins like JSON and a field that takes no text stay unfinished', () => {
  const { unmount } = render(<Form schema={{}} />)
  fireEvent.change(field(), { target: { value: '{"a": ' } })
  expect([held, screen.queryByText(/^Line 1/) === null, screen.queryByText(/^Read as/)]).toEqual(['{}', false, null])
  unmount()
  render(<Form schema={{ anyOf: [{ type: 'number' }, { type: 'object' }] }} />)
  fireEvent.change(field(), { target: { value: 'hello' } })
  expect([held, screen.queryByText(/^Line 1/) === null, screen.queryByText(/^Read as/)]).toEqual(['{}', false, null])
})

test('a text is shown as it would be typed', () => {
  const { unmount } = render(<Form schema={{}} first={{ one: 'hello' }} />)
  expect(field().value).toBe('hello')
  unmount()
  render(<Form schema={{}} first={{ one: '12' }} />)
  expect(field().value).toBe('"12"')
})

test('a form whose fields all lack a type says so, and one with a type does not', () => {
  const { unmount } = render(<Form schema={{ default: 1 }} />)
  expect(screen.getByText(/^The server gives no types for these arguments/)).toBeTruthy()
  unmount()
  render(<Form schema={{ anyOf: [{ type: 'string' }, { type: 'object' }] }} />)
  expect(screen.queryByText(/^The server gives no types/)).toBeNull()
})
