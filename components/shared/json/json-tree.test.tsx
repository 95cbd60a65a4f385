import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { parse } from 'lossless-json'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ValueSource } from '@/lib/json/value-source'
import { JsonRows, JsonTree } from './json-tree'

afterEach(cleanup)
beforeAll(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  // A window of 20 lines: jsdom has no layout.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => 480 })
})

const state = parse('{"id":12345678901234567890,"messages":[{"content":"hello"},{"content":"bye"}],"note":null}')
const rows = () => screen.getAllByRole('treeitem').map((row) => row.textContent)

describe('a JSON tree', () => {
  test('shows numbers as they are and opens and closes by keyboard', async () => {
    render(<JsonTree value={state} label="State" />)
    expect(rows()).toContain('id: 12345678901234567890')
    const tree = screen.getByRole('tree', { name: 'State' })
    act(() => tree.focus())
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    expect(screen.getByRole('treeitem', { selected: true }).textContent).toContain('messages')
    await userEvent.keyboard('{ArrowLeft}')
    expect(screen.getByRole('treeitem', { selected: true }).getAttribute('aria-expanded')).toBe('false')
    expect(rows().join()).not.toContain('content: "hello"')
    await userEvent.keyboard('{ArrowRight}{ArrowRight}{End}')
    expect(screen.getByRole('treeitem', { selected: true }).textContent).toBe('note: null')
    expect(tree.getAttribute('aria-activedescendant')).toBe(screen.getByRole('treeitem', { selected: true }).id)
  })

  test('draws a window of a large value and no more', () => {
    const big = { list: Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'lorem ipsum' })) }
    const { container } = render(<JsonTree value={big} label="State" />)
    expect(container.querySelectorAll('*').length).toBeLessThan(300)
  })

  test('search opens the way to a hit, also in what is closed', async () => {
    const value = { a: { b: Array.from({ length: 60 }, (_, index) => ({ c: { name: `item ${index}` } })) }, z: 1 }
    render(<JsonTree value={value} label="State" />)
    await userEvent.type(screen.getByRole('searchbox'), 'ITEM 3')
    await waitFor(() => expect(screen.getByText('1 of 11')).toBeTruthy())
    expect(screen.getByText('a.b[3].c.name')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Next match' }))
    expect(screen.getByText('a.b[30].c.name')).toBeTruthy()
  })

  test('keeps what is open when a new value comes', async () => {
    const { rerender } = render(<JsonTree value={{ step: 1, list: { x: { y: 1 } } }} label="State" />)
    rerender(<JsonTree value={{ step: 2, list: { x: { y: 2 } }, more: { z: 1 } }} label="State" />)
    expect(rows()).toContain('y: 2')
    expect(rows()).not.toContain('z: 1')
  })

  test('stands before its value has come, busy and without a line; then a press on a line opens and closes it', async () => {
    const { rerender } = render(<JsonRows source={undefined} label="State" />)
    const tree = screen.getByRole('tree', { name: 'State' })
    expect(tree.getAttribute('aria-busy')).toBe('true')
    expect(screen.queryAllByRole('treeitem')).toEqual([])
    rerender(<JsonRows source={new ValueSource(state)} label="State" />)
    expect(screen.getByRole('tree')).toBe(tree)
    expect(tree.getAttribute('aria-busy')).toBeNull()
    const line = () => screen.getByRole('treeitem', { name: /^messages/ })
    await userEvent.click(line().firstElementChild as Element)
    expect(line().getAttribute('aria-expanded')).toBe('false')
    await userEvent.dblClick(line().lastElementChild as Element)
    expect([line().getAttribute('aria-expanded'), line().getAttribute('aria-selected')]).toEqual(['true', 'true'])
  })
})
