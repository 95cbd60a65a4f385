import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { List } from '@/components/shared/list/use-list'
import { QuickFilters } from './quick-filters'

afterEach(cleanup)

test('one click lists the runs of the last 30 days, whose histogram leads to those of any of these days', () => {
  const set = vi.fn()
  render(<QuickFilters list={{ search: new URLSearchParams('until=2026-01-01'), set } as unknown as List} />)
  fireEvent.click(screen.getByRole('button', { name: 'Last 30 days' }))
  expect(set).toHaveBeenCalledWith({ since: '30d', until: '' })
})
