import { act, cleanup } from '@testing-library/react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { Select } from './input'

afterEach(cleanup)

test.each([
  ['b', [['b']]],
  ['a', []],
])(
  'of a select as the server wrote it, with %s chosen before the code comes, the page learns %j',
  async (chosen, calls) => {
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
    expect(onChange.mock.calls).toEqual(calls)
    page.remove()
  },
)
