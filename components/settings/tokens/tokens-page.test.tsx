import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createToken } from '@/lib/actions/api-tokens'
import { TokensPage } from './tokens-page'

vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh: () => undefined }), usePathname: () => '/' }))
vi.mock('@/lib/actions/api-tokens', () => ({ createToken: vi.fn(), revokeToken: vi.fn() }))
afterEach(cleanup)

test('a new token is shown once, at its copy button, and the focus goes back to the button that creates tokens', async () => {
  vi.mocked(createToken).mockResolvedValue({ ok: true, data: { id: 't', token: 'token-once' } })
  const page = { workspace: 'w', role: 'admin', isLimitedMember: false, serverNow: 0 } as const
  render(<TokensPage {...page} tokens={[]} origin="http://localhost:3000" />)
  const create = screen.getByRole('button', { name: 'Create token' })
  create.focus()
  fireEvent.click(create)
  const form = within(screen.getByRole('dialog', { name: 'Create token' }))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'nightly' } })
  fireEvent.click(form.getByRole('button', { name: 'Create token' }))
  const made = within(await screen.findByRole('dialog', { name: 'Token nightly' }))
  expect(made.getByText('token-once')).toBeDefined()
  expect(document.activeElement).toBe(made.getByRole('button', { name: 'Copy token' }))
  fireEvent.click(made.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(document.activeElement).toBe(create))
  expect(document.body.textContent).not.toContain('token-once')
})

test('a token that expires soon or is unused is marked, and a narrow screen tells when too', () => {
  const now = Date.parse('2026-06-01T00:00:00Z')
  const day = (days: number) => new Date(now + days * 86_400_000).toISOString()
  const token = {
    ...{ owner: null, isOwn: false, role: 'admin' as const, deployments: null, createdBy: 'ada', revokedAt: null },
    ...{ createdAt: day(-60), expiresAt: day(60), lastUsedAt: null as string | null },
  }
  const tokens = [
    { ...token, id: '1', name: 'fine', lastUsedAt: day(-1) },
    { ...token, id: '2', name: 'forgotten' },
    { ...token, id: '3', name: 'old', lastUsedAt: day(-31) },
    { ...token, id: '4', name: 'ending', lastUsedAt: day(-1), expiresAt: day(13) },
    { ...token, id: '5', name: 'new', createdAt: day(-2) },
    { ...token, id: '6', name: 'over', expiresAt: day(-1) },
  ]
  render(
    <TokensPage
      {...{ workspace: 'w', role: 'admin', isLimitedMember: false, serverNow: now, tokens, origin: 'http://a' }}
    />,
  )
  const rows = screen.getAllByRole('row').slice(1)
  expect(rows.map((row) => within(row).getAllByRole('cell')[1]?.textContent)).toEqual([
    ...['Active', 'Unused', 'Unused', 'Expires soon', 'Active', 'Expired'],
  ])
  expect(rows[1]?.textContent).toMatch(/^forgotten service accountadmin · last used never · expires/)
})
