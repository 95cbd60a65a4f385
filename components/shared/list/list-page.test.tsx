import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { ListPage } from './list-page'
import type { Selected } from './use-selection'

afterEach(cleanup)

const row = { id: 'a', name: 'Run A' }

function open(selectable: readonly Selected[], selected: readonly Selected[] = []) {
  const of = { selected, has: () => false, toggle() {}, togglePage() {}, drop() {}, clear() {} }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ListPage
        label="Runs"
        rows={[row]}
        columns={[{ id: 'name', header: 'Name', cell: ({ name }) => name }]}
        rowKey={({ id }) => id}
        selection={{ label: 'Selected runs', of, selectable, actions: [] }}
        empty={null}
      />
    </QueryClientProvider>,
  )
  return screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
}

test('rows have checkboxes only if one of them can be selected, or another page has selected ones', () => {
  expect(open([])).toEqual(['Name'])
  cleanup()
  expect(open([row])).toEqual(['', 'Name'])
  expect(screen.getByRole('checkbox', { name: 'Select Run A' })).toBeTruthy()
  cleanup()
  expect(open([], [{ id: 'b', name: 'Run B' }])).toEqual(['Select', 'Name'])
})
