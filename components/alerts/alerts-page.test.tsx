import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { saveAlertChannel, saveAlertRule, silenceAlerts } from '@/lib/actions/alerts'
import type { AlertsView } from '@/lib/contracts/alerts/alerts'
import { alertsQuery } from '@/lib/queries/alerts'
import { AlertsPage } from './alerts-page'

let search = ''
vi.mock('next/navigation', () => ({
  useRouter: () => ({ replace: () => undefined }),
  usePathname: () => '/local/alerts',
  useSearchParams: () => new URLSearchParams(search),
}))
vi.mock('@/lib/actions/alerts', () => ({
  saveAlertChannel: vi.fn(),
  saveAlertRule: vi.fn(),
  silenceAlerts: vi.fn(),
  deleteAlertRule: vi.fn(),
  deleteAlertChannel: vi.fn(),
  testAlertChannel: vi.fn(),
  endAlertSilence: vi.fn(),
}))
beforeEach(() => {
  search = ''
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const now = new Date().toISOString()
const rule = {
  ...{ id: 'r', name: 'Failing', kind: 'unhealthy' as const, settings: { minutes: 5 }, deployments: null },
  ...{ channels: ['c'], isEnabled: true, watched: 2 },
}
const state = {
  ...{ rule: 'r', subject: 'd', name: 'billing', deployment: 'd', phase: 'firing' as const, isUnknown: false },
  ...{ detail: 'Roll-out failed.', since: now, checkedAt: now },
}
const empty: AlertsView = {
  ...{ rules: [], channels: [], states: [], silences: [], events: [], deliveries: [] },
  ...{ evaluatedAt: now, mailProblem: 'E-mail is not set up.' },
}
const full: AlertsView = {
  ...empty,
  rules: [rule],
  channels: [{ id: 'c', name: 'on call', kind: 'webhook', target: 'https://hooks.example.com', hasSecret: true }],
  states: [state],
}
function show(data: AlertsView, { canRun = true, canAdminister = true } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  client.setQueryData(alertsQuery('local').queryKey, data)
  return render(
    <QueryClientProvider client={client}>
      <Rights canRun={canRun} canAdminister={canAdminister}>
        <AlertsPage workspace="local" />
      </Rights>
    </QueryClientProvider>,
  )
}
const isOff = (name: string) => {
  const button = screen.getByRole('button', { name })
  return button.getAttribute('aria-disabled') === 'true' || (button as HTMLButtonElement).disabled
}

test('without rules the page says what to do next', () => {
  show(empty)
  expect(screen.getByText('No rules yet')).toBeDefined()
  expect(screen.queryByText('Nothing is firing')).toBeNull()
})

test('what fires is listed with its deployment, and counted in the tab', () => {
  show(full)
  expect(screen.getByRole('tab', { name: 'Firing (1)' })).toBeDefined()
  const row = within(screen.getByRole('table', { name: 'Alerts now' }))
  expect(row.getByText('Firing')).toBeDefined()
  expect(row.getByRole('link', { name: 'billing' }).getAttribute('href')).toBe('/local/deployments/d')
})

test('what could not be read is unknown, never fine', () => {
  show({
    ...full,
    states: [
      { ...state, isUnknown: true },
      { ...state, subject: 'e', name: 'other', phase: 'ok', isUnknown: true },
    ],
  })
  expect(screen.getByText('Firing, now unknown')).toBeDefined()
  expect(screen.getByText('Unknown')).toBeDefined()
})

test('rules that nobody evaluates are not good news', () => {
  show({ ...full, rules: [{ ...rule, watched: 0 }], states: [], evaluatedAt: null })
  expect(screen.getByText('The rules have not been evaluated yet.')).toBeDefined()
  expect(screen.queryByText('Nothing is firing')).toBeNull()
  cleanup()
  show({ ...full, evaluatedAt: new Date(Date.now() - 600_000).toISOString() })
  expect(screen.getByText(/may be out of date/)).toBeDefined()
})

test('a rule without data is not fine', () => {
  const unread = { ...full, states: [], rules: [{ ...rule, watched: 0 }] }
  show(unread)
  expect(screen.getByText('No data for some rules yet')).toBeDefined()
  cleanup()
  search = 'tab=rules'
  show(unread)
  expect(screen.getByText('No data yet')).toBeDefined()
  expect(screen.queryByText('Fine')).toBeNull()
  cleanup()
  search = ''
  show({ ...full, states: [] })
  expect(screen.getByText('Nothing is firing')).toBeDefined()
})

test('a viewer sees and changes nothing; a developer silences', () => {
  search = 'tab=rules'
  show(full, { canRun: false, canAdminister: false })
  for (const name of ['Silence', 'Add rule', 'Edit Failing', 'Delete Failing']) expect(isOff(name), name).toBe(true)
  cleanup()
  show(full, { canAdminister: false })
  expect([isOff('Silence'), isOff('Add rule')]).toEqual([false, true])
})

test('a rule is saved with the settings of its kind', async () => {
  search = 'tab=rules'
  vi.mocked(saveAlertRule).mockResolvedValue({ ok: true, data: 'r' })
  show(full)
  fireEvent.click(screen.getByRole('button', { name: 'Add rule' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add rule' }))
  fireEvent.change(dialog.getByLabelText('Alert when'), { target: { value: 'error_rate' } })
  fireEvent.change(dialog.getByLabelText('Above (percent)'), { target: { value: '25' } })
  fireEvent.click(dialog.getByLabelText('on call'))
  fireEvent.click(dialog.getByRole('button', { name: 'Save rule' }))
  await vi.waitFor(() => expect(saveAlertRule).toHaveBeenCalled())
  expect(vi.mocked(saveAlertRule).mock.calls[0]?.[0]).toEqual({
    workspace: 'local',
    rule: {
      ...{ name: 'Error rate', kind: 'error_rate', settings: { percent: 25, window: 15, runs: 10 } },
      ...{ deployments: null, channels: ['c'], isEnabled: true },
    },
  })
})

test('a channel keeps what is not entered, and a refusal stays beside its field', async () => {
  search = 'tab=channels'
  const message = 'Enter a secret to sign the messages with.'
  vi.mocked(saveAlertChannel).mockResolvedValue({
    ok: false,
    error: { code: 'invalid', message, fields: [{ path: ['secret'], message }], requestId: '' },
  })
  show(full)
  fireEvent.click(screen.getByRole('button', { name: 'Edit on call' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit on call' }))
  expect((dialog.getByLabelText('URL') as HTMLInputElement).value).toBe('')
  fireEvent.click(dialog.getByRole('button', { name: 'Save channel' }))
  await vi.waitFor(() => expect(dialog.getByLabelText('Signing secret').getAttribute('aria-invalid')).toBe('true'))
  expect(vi.mocked(saveAlertChannel).mock.calls[0]?.[0]).toEqual({
    workspace: 'local',
    channel: { id: 'c', name: 'on call', kind: 'webhook', url: undefined, secret: undefined },
  })
})

test('a silence is sent as chosen', async () => {
  vi.mocked(silenceAlerts).mockResolvedValue({ ok: true, data: null })
  show(full)
  fireEvent.click(screen.getByRole('button', { name: 'Silence' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Silence alerts' }))
  fireEvent.change(dialog.getByLabelText('Rule'), { target: { value: 'r' } })
  fireEvent.change(dialog.getByLabelText('For'), { target: { value: '24' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Silence' }))
  await vi.waitFor(() =>
    expect(silenceAlerts).toHaveBeenCalledWith({
      workspace: 'local',
      rule: 'r',
      deployment: null,
      reason: '',
      hours: 24,
    }),
  )
})

test('who may not add a rule is not asked to', () => {
  show(empty, { canAdminister: false })
  expect(screen.getByText('Ask an administrator to add one to be told when a deployment fails.')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Open rules' })).toBeNull()
})
