import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { createListener, deleteListener, renewListenerToken, saveNamespaces } from '@/lib/actions/platform/listeners'
import type { ListenerRow, ListenerRowsPage } from '@/lib/contracts/deployments/listener-row'
import { ListenersPage } from './listeners-page'

vi.mock('@/lib/actions/platform/listeners', () => ({
  createListener: vi.fn(),
  deleteListener: vi.fn(),
  renewListenerToken: vi.fn(),
  revokeListenerToken: vi.fn(),
  saveNamespaces: vi.fn(),
}))
vi.mock('@/lib/actions/saved-views', () => ({}))
let query = ''
vi.mock('next/navigation', () => ({
  usePathname: () => '/w/settings/listeners',
  useSearchParams: () => new URLSearchParams(query),
  useRouter: () => ({ replace: () => undefined, push: () => undefined }),
}))

afterEach(() => {
  cleanup()
  query = ''
  vi.unstubAllGlobals()
  vi.useRealTimers()
  vi.clearAllMocks()
})

const SINCE = '2026-11-29T10:00:00Z'
const row = (name: string, more: Partial<ListenerRow> = {}): ListenerRow => ({
  ...{ id: `id-${name}`, name, type: 'k8s', namespaces: ['agents'], version: '1.2.3', createdAt: SINCE },
  ...{ connection: { away: null, token: 'valid' }, deployments: [], deploymentCount: 0, waitingCount: 0 },
  ...more,
})
const away = row('east', {
  connection: { away: { who: 'listener', since: SINCE }, token: 'valid' },
  deployments: [{ id: 'd1', name: 'billing', isWaiting: true }],
  ...{ deploymentCount: 5, waitingCount: 1 },
})
const own = row('this-cluster', { connection: { away: null, token: null } })
const pageOf = (rows: ListenerRow[], more: Partial<ListenerRowsPage> = {}): ListenerRowsPage => ({
  ...{ rows, total: rows.length, counts: { away: 0, revoked: 0, never: 0, unknown: 0, connected: rows.length } },
  ...{ waiting: { deployments: [], count: 0 }, isCut: false, ...more },
})
const withAway = pageOf([away, own], {
  counts: { away: 1, revoked: 0, never: 0, unknown: 0, connected: 1 },
  waiting: { deployments: away.deployments ?? [], count: 1 },
})

function show(answer: ListenerRowsPage | { code: string; message: string }, { isAdmin = true } = {}) {
  const status = 'rows' in answer ? 200 : 502
  vi.stubGlobal('fetch', async (url: string) => {
    const id = new URL(url, 'http://console').searchParams.get('id')
    const body = 'rows' in answer && id ? { ...answer, rows: answer.rows.filter((one) => one.id === id) } : answer
    return Response.json('rows' in body ? body : { ...body, fields: [], requestId: '' }, { status })
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Rights canRun canAdminister={isAdmin}>
        <ListenersPage workspace="w" platformUrl="http://127.0.0.1:4000" />
      </Rights>
    </QueryClientProvider>,
  )
}
const rowNamed = async (name: string) =>
  within((await screen.findByText(name, { selector: 'a[data-row] *' })).closest('tr') as HTMLElement)
const isOff = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-disabled') === 'true'

test('it says first which clusters are away, and which deployments wait', async () => {
  show(withAway)
  const told = await screen.findByText(/A roll-out waits/)
  expect(told.textContent).toBe('A roll-out waits for a cluster that is away: billing.')
  const states = within(screen.getByRole('group', { name: 'State' })).getAllByRole('button')
  expect(states.map(({ textContent }) => textContent)).toEqual(['1 away', '1 connected'])
  const east = await rowNamed('east')
  expect(east.getByText('Away')).toBeTruthy()
  expect(east.getByText('1 waiting')).toBeTruthy()
  expect(east.getByText('and 4 more')).toBeTruthy()
})

test('what a control plane does not report is unknown, and it has no tokens to renew', async () => {
  query = 'listener=id-hosted'
  const hosted = row('hosted', { connection: null, version: null, deployments: null })
  const counts = { away: 0, revoked: 0, never: 0, unknown: 1, connected: 0 }
  show(pageOf([hosted], { counts, waiting: null }))
  const dialog = within(await screen.findByRole('dialog', { name: 'hosted' }))
  expect(dialog.getByText('Unknown')).toBeTruthy()
  expect(dialog.getByText(/does not report whether/)).toBeTruthy()
  expect(dialog.getByText(/gives listeners no tokens/)).toBeTruthy()
  expect(dialog.queryByRole('button', { name: /token/i })).toBeNull()
  expect(dialog.getByText('Unknown. The deployments could not be read.')).toBeTruthy()
  expect(dialog.queryByText(/Connected|None\./)).toBeNull()
  expect(screen.getByRole('group', { name: 'State', hidden: true }).textContent).toBe('1 unknown1 in total')
})

test('the platform itself has no verbs', async () => {
  query = 'listener=id-this-cluster'
  show(withAway)
  const dialog = within(await screen.findByRole('dialog', { name: 'this-cluster' }))
  expect(dialog.getByText('It is part of the platform, so it cannot be changed or deleted.')).toBeTruthy()
  expect(dialog.getAllByRole('button').map((one) => one.getAttribute('aria-label'))).toEqual([
    'Close',
    'Copy listener ID',
  ])
})

test('viewers read why they cannot change it', async () => {
  query = 'listener=id-east'
  show(withAway, { isAdmin: false })
  await screen.findByRole('dialog', { name: 'east' })
  for (const name of ['Edit namespaces', 'New token', 'Revoke token', 'Delete listener']) expect(isOff(name)).toBe(true)
})

test('a listener with deployments is not deleted; one without them is, and the refusal is shown', async () => {
  query = 'listener=id-east'
  show(withAway)
  await screen.findByRole('dialog', { name: 'east' })
  expect(isOff('Delete listener')).toBe(true)
  expect(screen.getByText('To delete it, delete its deployments first.')).toBeTruthy()
  cleanup()
  query = 'listener=id-west'
  show(pageOf([row('west')]))
  fireEvent.click(await screen.findByRole('button', { name: 'Delete listener' }))
  const message = 'Listener west cannot be deleted: late uses it. Delete these deployments first.'
  vi.mocked(deleteListener).mockResolvedValue({
    ok: false,
    error: { code: 'conflict', message, fields: [], requestId: '' },
  })
  const dialog = within(screen.getByRole('dialog', { name: 'Delete west?' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Delete listener' }))
  expect(await dialog.findByText(message)).toBeTruthy()
})

test('a name that is taken is refused at its field; a created one has its token once, with commands', async () => {
  show(pageOf([own]))
  const create = await screen.findByRole('button', { name: 'Create listener' })
  create.focus()
  fireEvent.click(create)
  const form = within(screen.getByRole('dialog', { name: 'Create listener' }))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'east' } })
  fireEvent.change(form.getByLabelText('Namespaces'), { target: { value: 'agents,  more' } })
  const fields = [{ path: ['compute_id'], message: 'Another listener has this name.' }]
  vi.mocked(createListener).mockResolvedValueOnce({
    ok: false,
    error: { code: 'conflict', message: 'It exists.', fields, requestId: '' },
  })
  const submit = () => fireEvent.click(form.getByRole('button', { name: 'Create listener' }))
  submit()
  expect((await form.findByRole('alert')).textContent).toBe('Another listener has this name.')
  expect(form.queryByText('It exists.')).toBeNull()
  vi.mocked(createListener).mockResolvedValueOnce({
    ok: true,
    data: {
      id: 'id-east',
      namespaces: ['chosen'],
      given: { token: 'phl_canary', url: 'https://platform.example.com' },
    },
  })
  submit()
  const told = within(await screen.findByRole('dialog', { name: 'Token of east' }))
  expect(createListener).toHaveBeenLastCalledWith({
    workspace: 'w',
    compute_id: 'east',
    namespaces: ['agents', 'more'],
  })
  expect(told.getByText('phl_canary')).toBeTruthy()
  const helm = told.getByRole('region', { name: 'In the cluster, with Helm' })
  expect(helm.textContent).toContain("--set url='https://platform.example.com'")
  expect(helm.textContent).toContain("'namespaces={chosen}'") // as the platform has them
  const address = told.getByLabelText('Address of the platform, as the cluster reaches it')
  fireEvent.change(address, { target: { value: 'http://127.0.0.1:4000' } })
  expect(told.getByText(/Only this machine reaches the platform/)).toBeTruthy()
  fireEvent.change(address, { target: { value: 'platform' } })
  expect(told.getByRole('alert').textContent).toContain('begins with https://')
  fireEvent.click(told.getByRole('button', { name: 'Done' }))
  expect(document.body.textContent).not.toContain('phl_canary')
  await waitFor(() => expect(document.activeElement).toBe(create))
})

test('a control plane that gives no token says what a listener needs', async () => {
  show(pageOf([]))
  expect(await screen.findByText('No listeners yet')).toBeTruthy()
  expect(screen.queryByRole('group', { name: 'State' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Create listener' }))
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'east' } })
  vi.mocked(createListener).mockResolvedValueOnce({ ok: true, data: { id: 'the-id', namespaces: [], given: null } })
  fireEvent.submit(screen.getByLabelText('Name'))
  const dialog = within(await screen.findByRole('dialog', { name: 'east created' }))
  expect(dialog.getByText('the-id')).toBeTruthy()
  expect(dialog.getByText(/gives no tokens/)).toBeTruthy()
})

test('a new token needs a confirmation, and namespaces are saved over what was seen', async () => {
  query = 'listener=id-east'
  show(withAway)
  fireEvent.click(await screen.findByRole('button', { name: 'New token' }))
  expect(renewListenerToken).not.toHaveBeenCalled()
  vi.mocked(renewListenerToken).mockResolvedValueOnce({ ok: true, data: { token: 'phl_next', url: null } })
  fireEvent.click(await screen.findByRole('button', { name: 'Create token' }))
  const told = within(await screen.findByRole('dialog', { name: 'Token of east' }))
  expect(told.getByText('phl_next')).toBeTruthy()
  expect(told.getByDisplayValue('http://127.0.0.1:4000')).toBeTruthy()
  fireEvent.click(told.getByRole('button', { name: 'Done' }))
  fireEvent.click(screen.getByRole('button', { name: 'Edit namespaces', hidden: true }))
  const form = within(await screen.findByRole('dialog', { name: 'Namespaces of east' }))
  fireEvent.change(form.getByLabelText('Namespaces'), { target: { value: 'agents, more' } })
  vi.mocked(saveNamespaces).mockResolvedValueOnce({ ok: true, data: undefined })
  await act(async () => void fireEvent.submit(form.getByLabelText('Namespaces')))
  expect(saveNamespaces).toHaveBeenCalledWith({
    ...{ workspace: 'w', id: 'id-east', namespaces: ['agents', 'more'], seen: ['agents'] },
  })
  expect(screen.queryByRole('dialog', { name: 'Namespaces of east' })).toBeNull()
})

test('while listeners are read nothing is said of them; a failure is, and what is not offered has its reason', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ListenersPage workspace="w" platformUrl="" />
    </QueryClientProvider>,
  )
  expect(screen.getByRole('table', { name: 'Listeners' }).getAttribute('aria-busy')).toBe('true')
  expect(screen.queryByRole('group', { name: 'State' })).toBeNull()
  cleanup()
  vi.useRealTimers()
  show({ code: 'upstream_failed', message: 'It is away.' })
  expect((await screen.findByRole('alert')).textContent).toContain('It is away.')
  expect(screen.queryByText(/No listeners|Connected/)).toBeNull()
  cleanup()
  show({ code: 'unsupported', message: 'This control plane does not offer listeners.' })
  expect(await screen.findByText('No listeners on this server')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Create listener' })).toBeNull()
})
