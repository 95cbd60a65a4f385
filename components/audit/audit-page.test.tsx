import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render as renderBare, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { AuditPage } from './audit-page'
import type { AuditShown } from './columns'

vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh: () => undefined }) }))
afterEach(cleanup)

const client = new QueryClient()
const render = (page: ReactNode) =>
  renderBare(page, { wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider> })
const entry: AuditShown = {
  ...{ seq: 7, at: '2026-11-23T00:00:00Z', kind: 'denial', intent: null, actor: 'ada@example.com', role: 'viewer' },
  ...{ operation: 'deleteDeployment', params: { deployment_id: 'd1' }, fields: ['name'], upstreamStatus: null },
  ...{ outcome: 'admin', requestId: 'r1' },
}

test('a denied attempt names who, what and the role that was missing', () => {
  render(<AuditPage workspace="local" entries={[entry]} next={null} isFirst />)
  const row = screen.getByRole('row', { name: /deleteDeployment/ })
  expect(row.textContent).toContain('ada@example.com')
  expect(row.textContent).toContain('Denied: admin')
})

test('an empty first page and the end of the log are told apart', () => {
  const { rerender } = render(<AuditPage workspace="local" entries={[]} next={null} isFirst />)
  expect(screen.getByText('Nothing recorded yet')).toBeDefined()
  expect(screen.queryByRole('link', { name: 'Newest' })).toBeNull()
  rerender(<AuditPage workspace="local" entries={[]} next={null} isFirst={false} />)
  expect(screen.getByText('No older entries')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Newest' }).getAttribute('href')).toBe('/local/audit')
})

test('older entries are a link away', () => {
  render(<AuditPage workspace="local" entries={[entry]} next={5} isFirst />)
  expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toBe('/local/audit?before=5')
})

test.each([
  [true, /The log is intact: all 12 entries/],
  [false, /The log was changed/],
])('a verification that is whole: %s', (isWhole, said) => {
  const report = { isWhole, rows: 12, problems: isWhole ? [] : ['Row 3 was changed.'], at: 0 }
  render(<AuditPage workspace="local" entries={[entry]} next={null} isFirst report={report} />)
  const result = screen.getByRole('region', { name: 'Verification result' })
  expect(result.textContent).toMatch(said)
  expect(result.textContent?.includes('Row 3 was changed.')).toBe(!isWhole)
})
