import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Sidebar } from './sidebar'

let path = '/'
vi.mock('next/navigation', () => ({ usePathname: () => path }))
vi.mock('./inbox-count', () => ({ InboxCount: () => null }))
afterEach(cleanup)

const current = { slug: 'w', name: 'W', role: 'admin' } as const

test.each([
  ['/w/experiments/one', 'Runs'],
  ['/w/runs/compare', 'Runs'],
  ['/w', 'Home'],
])('the page %s belongs to %s', (at, section) => {
  path = at
  render(<Sidebar current={current} workspaces={[current]} />)
  const marked = screen.getAllByRole('link').filter((link) => link.hasAttribute('aria-current'))
  expect(marked.map((link) => link.textContent)).toEqual([section])
})
