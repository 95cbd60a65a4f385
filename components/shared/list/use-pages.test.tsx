import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { usePages } from './use-pages'

afterEach(cleanup)

function List({ count }: { count: number }) {
  const all = Array.from({ length: count }, (_, index) => `item ${index + 1}`)
  const { rows, search, pager, noMatch } = usePages(all, 'Search items', (one) => one)
  return (
    <>
      {search}
      <output>{rows.length === 0 ? noMatch : `${rows[0]} to ${rows.at(-1)}`}</output>
      {pager}
    </>
  )
}
const shown = () => screen.getByRole('status').textContent
const next = () => fireEvent.click(screen.getByRole('button', { name: 'Next' }))

test('a long list is paged and searched, and turns back if its last page is gone', async () => {
  const { rerender } = render(<List count={3_000} />)
  expect(shown()).toBe('item 1 to item 50')
  next()
  expect([shown(), screen.getByText('51–100 of 3,000').tagName]).toEqual(['item 51 to item 100', 'SPAN'])
  fireEvent.change(screen.getByLabelText('Search items'), { target: { value: 'ITEM 299' } })
  fireEvent.blur(screen.getByLabelText('Search items'))
  expect(shown()).toBe('item 299 to item 2999')
  fireEvent.change(screen.getByLabelText('Search items'), { target: { value: 'nowhere' } })
  fireEvent.blur(screen.getByLabelText('Search items'))
  expect(shown()).toMatch(/^No matches/)
  fireEvent.click(screen.getByRole('button', { name: 'Clear the search' }))
  next()
  rerender(<List count={60} />)
  next()
  rerender(<List count={51} />)
  expect(shown()).toBe('item 51 to item 51')
})

test('a short list has neither search nor pages', () => {
  render(<List count={50} />)
  expect(shown()).toBe('item 1 to item 50')
  expect([screen.queryByRole('searchbox'), screen.queryByRole('button')]).toEqual([null, null])
})
