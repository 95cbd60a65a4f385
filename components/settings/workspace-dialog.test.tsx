import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createWorkspace, updateWorkspace } from '@/lib/actions/workspaces'
import type { WorkspaceShown } from './types'
import { WorkspaceDialog } from './workspace-dialog'

vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh: () => undefined, push: () => undefined }) }))
vi.mock('@/lib/actions/workspaces', () => ({
  createWorkspace: vi.fn(),
  updateWorkspace: vi.fn(),
  testControlPlane: vi.fn(),
}))
afterEach(cleanup)

const staging: WorkspaceShown = {
  ...{ slug: 'staging', name: 'Staging', kind: 'control-plane', baseUrl: 'https://api.example.com', dialect: 'auto' },
  ...{ allowedOrigins: ['https://a.example.com'], secretNames: 'members', source: 'console', hasKey: true },
  ...{ hasAgentKey: false, tracesUrl: null, hasTracesKey: false, tenantId: null, keyProblem: null },
}
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const typedIn = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value

test('a new workspace is sent with what was entered, and the dialog closes', async () => {
  vi.mocked(createWorkspace).mockResolvedValue({ ok: true, data: { slug: 'staging' } })
  const onClose = vi.fn()
  render(<WorkspaceDialog onClose={onClose} />)
  type('Slug', 'staging')
  type('Name', 'Staging')
  type('Control plane URL', 'https://api.example.com')
  type('API key', 'typed-key')
  fireEvent.click(screen.getByRole('button', { name: 'Add workspace' }))
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(createWorkspace).toHaveBeenCalledWith({
    ...{ kind: 'control-plane', slug: 'staging', name: 'Staging', baseUrl: 'https://api.example.com' },
    ...{ keys: { apiKey: 'typed-key' }, traces: null, dialect: 'auto', allowedOrigins: [], secretNames: 'members' },
  })
})

test('a workspace without a control plane has no fields for one', () => {
  render(<WorkspaceDialog onClose={() => undefined} />)
  type('Kind', 'direct')
  expect(screen.queryByLabelText('Control plane URL')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Test connection' })).toBeNull()
})

test('stored keys are never filled in, and empty fields keep them', async () => {
  vi.mocked(updateWorkspace).mockResolvedValue({ ok: true, data: { hasDroppedKeys: false } })
  render(<WorkspaceDialog workspace={staging} onClose={() => undefined} />)
  expect([typedIn('API key'), typedIn('Bearer token'), typedIn('Agent server key')]).toEqual(['', '', ''])
  expect(screen.getByText(/Leave all keys empty to keep the stored ones/)).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }))
  await vi.waitFor(() => expect(updateWorkspace).toHaveBeenCalled())
  const [slug, change] = vi.mocked(updateWorkspace).mock.calls[0] ?? []
  expect([slug, change?.keys]).toEqual(['staging', undefined])
})

test('a refused field is named beside it, and everything typed is kept', async () => {
  const error = {
    ...{ code: 'invalid' as const, message: 'Check the fields.', requestId: 'r' },
    fields: [{ path: ['baseUrl'], message: 'Leave out the password.' }],
  }
  vi.mocked(updateWorkspace).mockResolvedValue({ ok: false, error })
  const onClose = vi.fn()
  render(<WorkspaceDialog workspace={staging} onClose={onClose} />)
  type('Control plane URL', 'https://a:b@api.example.com')
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }))
  expect(await screen.findByText('Leave out the password.')).toBeDefined()
  expect(screen.getByLabelText('Control plane URL').getAttribute('aria-invalid')).toBe('true')
  expect(typedIn('Control plane URL')).toBe('https://a:b@api.example.com')
  expect(onClose).not.toHaveBeenCalled()
})
