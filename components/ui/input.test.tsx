import { act, cleanup } from '@testing-library/react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Select } from './input'

afterEach(cleanup)
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })) // the field waits for events of now
afterEach(() => void vi.useRealTimers())

test.each([
  ['b chosen before the code comes', 'b', false, [['b']]],
  ['b being chosen as the code comes', 'b', true, [['b']]],
  ['nothing chosen', 'a', false, []],
])('a server-rendered select reports changes correctly with %s', async (_, chosen, isNow, calls) => {
  const onChange = vi.fn()
  const field = (
    <Select aria-label="Letter" value="a" onChange={({ target }) => onChange(target.value)}>
      <option>a</option>
      <option>b</option>
    </Select>
  )
  const page = document.body.appendChild(document.createElement('div'))
  page.innerHTML = renderToString(field)
  const select = page.querySelector('select') as HTMLSelectElement
  select.value = chosen
  await act(async () => void hydrateRoot(page, field))
  // The browser reports a choice by `input`, when React reads the current value, and then by `change`.
  if (isNow) act(() => void select.dispatchEvent(new Event('change', { bubbles: true })))
  act(() => void vi.runAllTimers())
  expect(onChange.mock.calls).toEqual(calls)
  page.remove()
})
