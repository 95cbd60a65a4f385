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
