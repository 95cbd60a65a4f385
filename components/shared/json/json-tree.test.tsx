import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { parse } from 'lossless-json'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ValueSource } from '@/lib/json/value-source'
import { JsonRows, JsonTree } from './json-tree'

afterEach(cleanup)
beforeAll(() => {
  // 20 lines high, because jsdom has no layout.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => 480 })
})

const state = parse('{"id":12345678901234567890,"messages":[{"content":"hello"},{"content":"bye"}],"note":null}')
const rows = () => screen.getAllByRole('treeitem').map((row) => row.textContent)

describe('a JSON tree', () => {
  test('shows numbers exactly and opens and closes by keyboard', async () => {
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

  test('renders only the visible lines of a large value', () => {
    const big = { list: Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'lorem ipsum' })) }
    const { container } = render(<JsonTree value={big} label="State" />)
    expect(container.querySelectorAll('*').length).toBeLessThan(300)
  })

  test('search finds text in closed nodes and opens the path to it', async () => {
    const value = { a: { b: Array.from({ length: 60 }, (_, index) => ({ c: { name: `item ${index}` } })) }, z: 1 }
    render(<JsonTree value={value} label="State" />)
    await userEvent.type(screen.getByRole('searchbox'), 'ITEM 3')
    await waitFor(() => expect(screen.getByText('1 of 11')).toBeTruthy())
    expect(screen.getByText('a.b[3].c.name')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Next match' }))
    expect(screen.getByText('a.b[30].c.name')).toBeTruthy()
  })

  test('keeps open nodes open when the value changes', async () => {
    const { rerender } = render(<JsonTree value={{ step: 1, list: { x: { y: 1 } } }} label="State" />)
    rerender(<JsonTree value={{ step: 2, list: { x: { y: 2 } }, more: { z: 1 } }} label="State" />)
    expect(rows()).toContain('y: 2')
    expect(rows()).not.toContain('z: 1')
  })

  test('is busy and empty until its value arrives; then clicks open and close lines', async () => {
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
