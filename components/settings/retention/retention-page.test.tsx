import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RetentionPage } from './retention-page'

const refresh = vi.fn()
vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh }), usePathname: () => '/' }))
vi.mock('@/lib/actions/retention', () => ({}))
afterEach(cleanup)

const UNLIMITED = { days: null, maxBytes: null }
const part = { ...UNLIMITED, rows: 0, bytes: 0, recentBytes: 0, recentDays: 7, oldest: null, dueAt: null }

test('a control plane that did not answer is asked again on demand, beside the parts that are known', () => {
  render(
    <RetentionPage
      workspace="w"
      usage={{
        ...{ days: 30, maxBytes: null, recordings: 12, bytes: 0, recentBytes: 0, recentDays: 7, tableBytes: 0 },
        ...{ moved: 0, movedBytes: 0, movesAfterDays: null },
      }}
      audit={{
        ...{ own: UNLIMITED, workspace: part, rest: part, trail: { rows: 0, bytes: 0 } },
        ...{ exportedThrough: 0, exportedAt: null, mayChange: false },
      }}
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
