import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Route } from 'next'
import { afterEach, expect, test, vi } from 'vitest'
import { CopyButton } from '@/components/ui/copy-button'
import { type Column, DataTable } from './data-table'

type Row = { id: string; name: string }
const rows: Row[] = ['harbour', 'jetty', 'lantern'].map((name) => ({ id: name, name }))
const columns: Column<Row>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name },
  { id: 'size', header: 'Size', cell: () => 'large' },
  { id: 'copy', header: 'Copy', cell: ({ id }) => <CopyButton value={id} what={`${id} id`} /> },
]
const table = (given: readonly Row[] | 'not yet' = rows) => (
  <>
    <input aria-label="Search" />
    <DataTable
      label="Boats"
      columns={columns}
      rows={given === 'not yet' ? undefined : given}
      rowKey={({ id }) => id}
      rowHref={({ id }) => `/boats/${id}` as Route}
      empty="No boats."
      pendingRows={2}
    />
  </>
)
const focused = () => document.activeElement?.textContent

/** The URLs of followed links, instead of leaving the page. */
function watchLinks() {
  const told: string[] = []
  const hear = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
    if (!link) return
    told.push(`${event.ctrlKey ? 'ctrl ' : ''}${link.getAttribute('href')}`)
    event.preventDefault()
  }
  window.addEventListener('click', hear, { capture: true })
  return { told, end: () => window.removeEventListener('click', hear, { capture: true }) }
}

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('J and K move between rows wherever the focus is, and stop at the ends', async () => {
  render(table())
  await userEvent.keyboard('j')
  expect(focused()).toBe('harbour')
  await userEvent.keyboard('jjj')
  expect(focused()).toBe('lantern')
  await userEvent.keyboard('k')
  expect(focused()).toBe('jetty')
  await userEvent.keyboard('kkk')
  expect(focused()).toBe('harbour')
})

test('K starts at the last row', async () => {
  render(table())
  await userEvent.keyboard('k')
  expect(focused()).toBe('lantern')
})

test('arrow keys move between rows once a row has the focus, and otherwise scroll the page', async () => {
  render(table())
  await userEvent.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(document.body)
  await userEvent.keyboard('j{ArrowDown}')
  expect(focused()).toBe('jetty')
})

test('typing in a field does not move between rows', async () => {
  render(table())
  await userEvent.type(screen.getByLabelText('Search'), 'jk')
  expect(screen.getByLabelText('Search')).toHaveProperty('value', 'jk')
  expect(document.activeElement).toBe(screen.getByLabelText('Search'))
})

test('keys with Ctrl or ⌘ are ignored', () => {
  render(table())
  expect(fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })).toBe(true)
  expect(fireEvent.keyDown(document.body, { key: 'j', metaKey: true })).toBe(true)
  expect(document.activeElement).toBe(document.body)
})

test('a key that another handler has taken is ignored', async () => {
  render(table())
  const take = (event: Event) => event.preventDefault()
  window.addEventListener('keydown', take, { capture: true })
  await userEvent.keyboard('j')
  window.removeEventListener('keydown', take, { capture: true })
  expect(document.activeElement).toBe(document.body)
})

test('Enter, or a click anywhere on a row, opens it once', async () => {
  render(table())
  const links = watchLinks()
  await userEvent.keyboard('jj{Enter}')
  await userEvent.click(screen.getAllByText('large')[2] as HTMLElement)
  links.end()
  expect(links.told).toEqual(['/boats/jetty', '/boats/lantern'])
})

test('Ctrl-click and middle-click open a new tab', () => {
  render(table())
  const links = watchLinks()
  const cell = screen.getAllByText('large')[0] as HTMLElement
  fireEvent.click(cell, { ctrlKey: true })
  fireEvent(cell, new MouseEvent('auxclick', { bubbles: true, button: 1 }))
  fireEvent(cell, new MouseEvent('auxclick', { bubbles: true, button: 2 }))
  links.end()
  expect(links.told).toEqual(['ctrl /boats/harbour', 'ctrl /boats/harbour'])
})

test('a button inside a row does not open the row', async () => {
  const user = userEvent.setup() // also stubs the clipboard
  render(table())
  const links = watchLinks()
  await user.click(screen.getByRole('button', { name: 'Copy harbour id' }))
  links.end()
  expect(links.told).toEqual([])
  expect(await navigator.clipboard.readText()).toBe('harbour')
})

test('selecting text does not open the row', async () => {
  render(table())
  const links = watchLinks()
  vi.spyOn(window, 'getSelection').mockReturnValue({ toString: () => 'larg' } as Selection)
  await userEvent.click(screen.getAllByText('large')[0] as HTMLElement)
  links.end()
  expect(links.told).toEqual([])
})

test('is busy while rows load, and shows the empty state if there are none', () => {
  const { rerender } = render(table('not yet'))
  expect(screen.getByRole('table', { name: 'Boats' }).getAttribute('aria-busy')).toBe('true')
  rerender(table([]))
  expect(screen.queryByRole('table')).toBeNull()
  expect(screen.getByText('No boats.')).toBeDefined()
})
