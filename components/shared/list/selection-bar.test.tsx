import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { SelectionBar } from './selection-bar'
import { useSelection } from './use-selection'

afterEach(cleanup)

const named = (id: string) => ({ id, name: id })

/** A list whose rows go when they are deleted. */
function List() {
  const [rows, setRows] = useState(['a', 'b', 'c', 'd'].map(named))
  const selection = useSelection(rows, '')
  return (
    <>
      <table>
        <tbody>
          {rows.map(({ id }) => (
            <tr key={id} data-key={id}>
              <td>
                <a data-row href="/row">
                  {id}
                </a>
                <button type="button" onClick={() => selection.toggle(id, false)}>
                  Select {id}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <SelectionBar
        label="Selected"
        selection={selection}
        isOnPage={() => true}
        actions={[
          {
            ...{ label: 'Delete…', icon: null, max: 10 },
            dialog: ({ selected, drop, onClose }) => (
              <button
                type="button"
                onClick={() => {
                  const ids = selected.map(({ id }) => id)
                  drop(ids)
                  setRows((now) => now.filter(({ id }) => !ids.includes(id)))
                  onClose()
                }}
              >
                Confirm
              </button>
            ),
          },
        ]}
      />
    </>
  )
}

const press = (name: string) => {
  const button = screen.getByRole('button', { name })
  button.focus()
  fireEvent.click(button)
}

test('the focus goes to the next row when selected rows are deleted, and to the first of them when they are deselected', () => {
  render(<List />)
  for (const id of ['b', 'c']) press(`Select ${id}`)
  press('Clear selection')
  expect(document.activeElement?.textContent).toBe('b')
  for (const id of ['b', 'c']) press(`Select ${id}`)
  press('Delete…')
  press('Confirm')
  expect(document.activeElement?.textContent).toBe('d')
  press('Select d')
  press('Delete…')
  press('Confirm')
  expect(document.activeElement?.textContent).toBe('a')
})
