import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render as renderBare, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { AuditRow } from '@/lib/contracts/audit/audit-row'
import { auditQuery } from '@/lib/queries/audit'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { AuditPage } from './audit-page'

const at = vi.hoisted(() => ({ search: '' }))
vi.mock('next/navigation', () => ({
  useRouter: () => ({ refresh: () => undefined, replace: () => undefined }),
  usePathname: () => '/local/audit',
  useSearchParams: () => new URLSearchParams(at.search),
}))
afterEach(() => {
  cleanup()
  at.search = ''
})

const row = (given: Partial<AuditRow>): AuditRow => ({
  ...{ seq: 7, at: '2026-11-23T00:00:00Z', endedAt: null, actor: 'ada@example.com', role: 'viewer' },
  ...{ operation: 'control-plane.deleteDeployment', params: { deployment_id: 'd1' }, fields: [], requestId: 'r1' },
  ...{ outcome: 'denied', said: 'needs admin', upstreamStatus: null, workspace: 'local' },
  ...given,
})

type Given = { next?: number | null; report?: Parameters<typeof AuditPage>[0]['report']; hasConsole?: boolean }

function render(rows: AuditRow[], { next = null, report, hasConsole = false }: Given = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const names = { deployments: { d1: 'support-agent' }, accounts: {} }
  client.setQueryData(auditQuery('local', Object.fromEntries(new URLSearchParams(at.search))).queryKey, {
    ...{ rows, next, names, hasConsole },
  })
  client.setQueryData(deploymentsQuery('local', { limit: 100 }).queryKey, { resources: [], offset: 0 })
  renderBare(
    <QueryClientProvider client={client}>
      <AuditPage workspace="local" report={report} />
    </QueryClientProvider>,
  )
}

test('a denied attempt names who, what and the role that was missing', () => {
  render([row({})])
  const shown = screen.getByRole('row', { name: /support-agent/ })
  expect(shown.textContent).toContain('ada@example.com tried to delete support-agent')
  expect(shown.textContent).toContain('Denied: needs admin')
})

test('a removed secret is one sentence, and its record has the ids', () => {
  const fields = ['secrets', 'secrets.remove.DATABASE_URL']
  render([
    row({ operation: 'control-plane.updateDeployment', fields, outcome: 'done', said: '200 done', role: 'admin' }),
  ])
  const shown = screen.getByRole('row', { name: /DATABASE_URL/ })
  expect(shown.textContent).toContain('ada@example.com removed secret DATABASE_URL of support-agent')
  expect(within(shown).getByRole('link', { name: 'support-agent' }).getAttribute('href')).toBe('/local/deployments/d1')
  fireEvent.click(within(shown).getByRole('button', { name: 'Record of entry 7' }))
  const dialog = screen.getByRole('dialog', { name: 'Entry 7' })
  for (const said of ['control-plane.updateDeployment', 'd1', '200 done', 'r1', 'not recorded'])
    expect(dialog.textContent).toContain(said)
})

test('an empty trail and a filter without matches are told apart', () => {
  render([])
  expect(screen.getByText('Nothing recorded yet')).toBeDefined()
  cleanup()
  at.search = 'outcome=failed'
  render([])
  expect(screen.getByText('No matching actions')).toBeDefined()
})

test('the page says what the list covers', () => {
  render([row({})])
  expect(
    screen.getByText(/in this workspace,.*What concerns accounts and the console itself is shown to admin/),
  ).toBeDefined()
  cleanup()
  at.search = 'about=console'
  const of = { workspace: '*', operation: 'console.disableMember', params: { account: 'a' }, outcome: 'done' } as const
  render([row({ ...of, role: 'admin' })], { hasConsole: true })
  expect(screen.getByText(/in this workspace or to accounts and the console itself, with its outcome/)).toBeDefined()
  expect(screen.getByText('Accounts and the console')).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Record of entry 7' }))
  expect(screen.getByRole('dialog').textContent).toContain('Workspacenone')
})

test('older entries are a button away', () => {
  render([row({})], { next: 5 })
  expect(screen.getByRole('button', { name: 'Older' }).hasAttribute('disabled')).toBe(false)
  expect(screen.getByRole('button', { name: 'Newest' }).hasAttribute('disabled')).toBe(true)
})

test.each([
  [true, /The log is intact: all 12 entries/],
  [false, /The log was changed/],
])('a verification that is whole: %s', (isWhole, said) => {
  render([row({})], {
    report: { isWhole, rows: 12, removed: 0, problems: isWhole ? [] : ['Row 3 was changed.'], at: 0 },
  })
  const result = screen.getByRole('region', { name: 'Verification result' })
  expect(result.textContent).toMatch(said)
  expect(result.textContent?.includes('Row 3 was changed.')).toBe(!isWhole)
})

test('a log that was never verified says so', () => {
  render([row({})])
  expect(screen.getByText('The log has not been verified since this console started.')).toBeDefined()
})
