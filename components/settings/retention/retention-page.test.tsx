import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RetentionPage } from './retention-page'

const refresh = vi.fn()
vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh }), usePathname: () => '/' }))
vi.mock('@/lib/actions/retention', () => ({}))
afterEach(cleanup)

const UNLIMITED = { days: null, maxBytes: null }
const part = { ...UNLIMITED, rows: 0, bytes: 0, recentBytes: 0, recentDays: 7, oldest: null, dueAt: null }

const common = {
  workspace: 'w',
  usage: {
    ...{ days: 30, maxBytes: null, recordings: 12, bytes: 0, recentBytes: 0, recentDays: 7, tableBytes: 0 },
    ...{ moved: 0, movedBytes: 0, movesAfterDays: null },
  },
  audit: {
    ...{ own: UNLIMITED, workspace: part, rest: part, trail: { rows: 0, bytes: 0 } },
    ...{ exportedThrough: 0, exportedAt: null, mayChange: false },
  },
  sharedWith: [],
}

test('a control plane that did not answer is asked again on demand, beside the parts that are known', () => {
  render(
    <RetentionPage
      {...common}
      platform={{
        ok: false,
        error: { code: 'upstream_unreachable', message: 'It did not respond.', fields: [], requestId: '' },
      }}
    />,
  )
  expect(screen.getByText('12')).toBeDefined()
  expect(screen.getByRole('alert').textContent).toContain('It did not respond.')
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(refresh).toHaveBeenCalledOnce()
})

test('limits of traces and runs name the other workspaces that they apply to', () => {
  const kept = {
    max_age_days: 14,
    max_bytes: null,
    count: 0,
    bytes: 0,
    disk_bytes: null,
    largest: null,
    is_fixed: false,
  }
  const platform = { ok: true as const, data: { traces: kept, runs: kept } }
  const { rerender } = render(<RetentionPage {...common} platform={platform} />)
  expect(screen.getByText(/every workspace that uses it\.$/)).toBeDefined()
  rerender(<RetentionPage {...common} platform={platform} sharedWith={['Research', 'Staging']} />)
  expect(screen.getByText(': also to Research and Staging')).toBeDefined()
  expect(screen.queryByText('On disk')).toBeNull()
})
