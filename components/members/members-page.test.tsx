import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { createInvitation } from '@/lib/actions/invitations'
import { inviteMember, resetMemberPassword, setRole } from '@/lib/actions/members'
import type { ErrorView } from '@/lib/errors'
import type { MemberShown } from './member-actions'
import { MembersPage } from './members-page'

vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh: () => undefined }), usePathname: () => '/' }))
vi.mock('@/lib/actions/invitations', () => ({ createInvitation: vi.fn(), revokeInvitation: vi.fn() }))
vi.mock('@/lib/actions/members', () => ({ inviteMember: vi.fn(), resetMemberPassword: vi.fn(), setRole: vi.fn() }))
afterEach(cleanup)

const ada: MemberShown = {
  ...{ account: 'a', email: 'ada@example.com', name: 'Ada', role: 'viewer', deployments: {} },
  ...{ isEverywhere: false, signsInWith: ['password'], isDisabled: false },
}
const refusal: ErrorView = { code: 'conflict', message: 'Ada is a member already.', fields: [], requestId: 'r' }
const show = (members: MemberShown[], canAdminister = true) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Rights canRun canAdminister={canAdminister}>
        <MembersPage
          {...{
            workspace: 'local',
            members,
            names: { d1: 'concierge', d2: 'researcher' },
            invitations: [],
            self: 'me',
            origin: 'http://localhost:3000',
          }}
          administersAccounts={canAdminister}
        />
      </Rights>
    </QueryClientProvider>,
  )
const add = () => screen.getByRole('button', { name: 'Add member' })
const field = () => screen.getByLabelText('Email') as HTMLInputElement

test('an empty list says what to do', () => {
  show([])
  expect(screen.getByText('No members yet')).toBeDefined()
})

test('the roles are told as they are enforced', () => {
  show([])
  expect(screen.getByText(/^Viewers see everything except the audit trail, members and secret values\./)).toBeDefined()
})

test('a new member is sent with the chosen role, and the password is shown once', async () => {
  vi.mocked(inviteMember).mockResolvedValue({ ok: true, data: { account: 'b', password: 'made-once' } })
  show([])
  fireEvent.change(field(), { target: { value: 'new@example.com' } })
  fireEvent.change(screen.getByLabelText('Role'), { target: { value: 'developer' } })
  fireEvent.click(add())
  const dialog = await screen.findByRole('dialog', { name: 'New password' })
  expect(inviteMember).toHaveBeenCalledWith({ workspace: 'local', email: 'new@example.com', role: 'developer' })
  expect(within(dialog).getByText('made-once')).toBeDefined()
  fireEvent.click(within(dialog).getByRole('button', { name: 'Done' }))
  expect(screen.queryByText('made-once')).toBeNull()
  expect(field().value).toBe('')
})

test('the focus goes back to what opened the first dialog, after an invitation and after a new password', async () => {
  vi.mocked(createInvitation).mockResolvedValue({ ok: true, data: { id: 'i', token: 'link-once' } })
  vi.mocked(resetMemberPassword).mockResolvedValue({ ok: true, data: { password: 'made-once' } })
  show([ada])
  const invite = screen.getByRole('button', { name: 'Invite by link…' })
  invite.focus()
  fireEvent.click(invite)
  const form = within(await screen.findByRole('dialog', { name: 'Invite by link' }))
  fireEvent.change(form.getByLabelText('Email of the person'), { target: { value: 'new@example.com' } })
  fireEvent.click(form.getByRole('button', { name: 'Create link' }))
  const link = within(await screen.findByRole('dialog', { name: 'Invitation link' }))
  expect(link.getByText('http://localhost:3000/invite#link-once')).toBeDefined()
  fireEvent.click(link.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(document.activeElement).toBe(invite))

  const actions = () => screen.getByRole('button', { name: 'Actions for ada@example.com' })
  actions().focus()
  fireEvent.keyDown(actions(), { key: 'Enter' })
  const reset = await screen.findByRole('menuitem', { name: 'Reset password' })
  reset.focus()
  fireEvent.keyDown(reset, { key: 'Enter' })
  const confirm = await screen.findByRole('button', { name: 'Reset password' })
  confirm.focus()
  fireEvent.click(confirm)
  const password = within(await screen.findByRole('dialog', { name: 'New password' }))
  expect(password.getByText('made-once')).toBeDefined()
  fireEvent.click(password.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(document.activeElement).toBe(actions()))
})

test('a refused member keeps what was typed and says why', async () => {
  vi.mocked(inviteMember).mockResolvedValue({ ok: false, error: refusal })
  show([])
  fireEvent.change(field(), { target: { value: 'ada@example.com' } })
  fireEvent.click(add())
  expect((await screen.findByRole('alert')).textContent).toContain('Ada is a member already.')
  expect(field().value).toBe('ada@example.com')
})

test('a refused change of a role says why, and the role stays', async () => {
  vi.mocked(setRole).mockResolvedValue({ ok: false, error: { ...refusal, message: 'One admin has to stay.' } })
  show([ada])
  const role = screen.getByLabelText('Role of ada@example.com') as HTMLSelectElement
  fireEvent.change(role, { target: { value: 'admin' } })
  expect((await screen.findByRole('alert')).textContent).toContain('One admin has to stay.')
  expect(setRole).toHaveBeenCalledWith({ workspace: 'local', account: 'a', role: 'admin', deployments: {} })
  expect(role.value).toBe('viewer')
})

const fleet = {
  resources: [
    { id: 'd1', name: 'concierge' },
    { id: 'd2', name: 'researcher' },
  ],
  offset: 2,
}
test('roles for some deployments are chosen in a dialog, saved together, and told in words', async () => {
  vi.stubGlobal('fetch', async () => Response.json(fleet))
  vi.mocked(setRole).mockResolvedValue({ ok: true, data: null })
  const limited = { ...ada, role: null, deployments: { d1: 'admin' as const } }
  show([limited])
  expect((screen.getByLabelText('Role of ada@example.com') as HTMLSelectElement).value).toBe('some')
  fireEvent.click(screen.getByRole('button', { name: 'Admin of concierge' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Roles of ada@example.com' }))
  fireEvent.click(await dialog.findByLabelText('researcher'))
  expect((dialog.getByLabelText('Role for researcher') as HTMLSelectElement).value).toBe('developer')
  fireEvent.change(dialog.getByLabelText('Role for concierge'), { target: { value: 'viewer' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const deployments = { d1: 'viewer', d2: 'developer' }
  expect(setRole).toHaveBeenLastCalledWith({ workspace: 'local', account: 'a', role: null, deployments })
  vi.unstubAllGlobals()
})

test('the role in the workspace stays when the roles for deployments are changed, and can be given up', async () => {
  vi.stubGlobal('fetch', async () => Response.json(fleet))
  vi.mocked(setRole).mockResolvedValue({ ok: true, data: null })
  show([{ ...ada, deployments: { d1: 'developer' as const } }])
  fireEvent.click(screen.getByRole('button', { name: 'Viewer; developer of concierge' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Roles of ada@example.com' }))
  expect((dialog.getByLabelText('Role in the workspace') as HTMLSelectElement).value).toBe('viewer')
  fireEvent.click(await dialog.findByLabelText('researcher'))
  fireEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const deployments = { d1: 'developer', d2: 'developer' }
  expect(setRole).toHaveBeenLastCalledWith({ workspace: 'local', account: 'a', role: 'viewer', deployments })
  fireEvent.change(screen.getByLabelText('Role of ada@example.com'), { target: { value: 'some' } })
  expect(((await screen.findByLabelText('Role in the workspace')) as HTMLSelectElement).value).toBe('some')
  vi.unstubAllGlobals()
})

test('a member is added with roles for some deployments, and a refusal is shown at them', async () => {
  vi.stubGlobal('fetch', async () => Response.json(fleet))
  const message = 'Choose at least one deployment.'
  const fields = [{ path: ['deployments'], message }]
  vi.mocked(inviteMember).mockResolvedValue({ ok: false, error: { ...refusal, code: 'invalid', message, fields } })
  show([])
  fireEvent.change(field(), { target: { value: 'new@example.com' } })
  fireEvent.change(screen.getByLabelText('Role'), { target: { value: 'some' } })
  fireEvent.click(add())
  expect((await screen.findByRole('alert')).textContent).toBe(message)
  fireEvent.click(await screen.findByLabelText('concierge'))
  vi.mocked(inviteMember).mockResolvedValue({ ok: true, data: { account: 'b', password: null } })
  fireEvent.click(add())
  await vi.waitFor(() => expect(screen.queryByText(message)).toBeNull())
  const rights = { role: null, deployments: { d1: 'developer' } }
  expect(inviteMember).toHaveBeenLastCalledWith({ workspace: 'local', email: 'new@example.com', ...rights })
  vi.unstubAllGlobals()
})

test('without the admin role nothing can be changed', () => {
  show([ada, { ...ada, account: 'b', email: 'everywhere@example.com', isEverywhere: true }], false)
  expect(add().getAttribute('aria-disabled') ?? (add() as HTMLButtonElement).disabled.toString()).toBe('true')
  expect((screen.getByLabelText('Role of ada@example.com') as HTMLSelectElement).disabled).toBe(true)
  expect(screen.queryByLabelText('Role of everywhere@example.com')).toBeNull()
})
