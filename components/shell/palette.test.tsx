import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, renderHook, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useOpened } from '@/components/shared/layout/recent'
import { assistantsQuery } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { Palette } from './palette'
import { PaletteLoading } from './palette-loading'
import { newestThreadsQuery } from './palette-threads'

const push = vi.fn()
vi.mock('next/navigation', () => ({ useRouter: () => ({ push }), useParams: () => ({}), usePathname: () => '/local' }))

const workspace = { slug: 'local', name: 'Local', role: 'developer' } as const
const rows = () => screen.getAllByRole('option').filter((row) => row.getAttribute('aria-disabled') !== 'true')
const selected = () => rows().findIndex((row) => row.getAttribute('aria-selected') === 'true')

let client: QueryClient
async function load() {
  const resources = ['alpha', 'beta'].map((name) => ({ id: name, name, source: 'github', source_config: {} }))
  client.setQueryData<unknown>(deploymentsQuery('local', { limit: 8 }).queryKey, { resources, offset: 2 })
  await screen.findAllByText('alpha')
}

const show = () =>
  render(
    <QueryClientProvider client={client}>
      <Palette current={workspace} workspaces={[workspace]} onClose={() => undefined} />
    </QueryClientProvider>,
  )

beforeEach(() => {
  Element.prototype.scrollIntoView = () => {}
  vi.stubGlobal('fetch', () => new Promise(() => {})) // deployments stay loading until the test provides them
  client = new QueryClient()
  show()
})
afterEach(() => {
  cleanup()
  client.clear()
  localStorage.clear()
  vi.unstubAllGlobals()
})

test('what is typed while the palette loads is its search, once', async () => {
  cleanup()
  render(<PaletteLoading onClose={() => undefined} />)
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Go to' }))
  fireEvent.change(screen.getByRole('textbox', { name: 'Go to' }), { target: { value: 'logs of' } })
  const open = () => {
    cleanup()
    show()
    return screen.getByRole('combobox')
  }
  expect(open()).toMatchObject({ value: 'logs of', selectionStart: 7 })
  expect(open()).toHaveProperty('value', '')
})

test('Escape closes the palette while it loads, and nothing of it stays', () => {
  cleanup()
  const onClose = vi.fn()
  render(<button type="button">Before</button>)
  screen.getByRole('button').focus()
  render(<PaletteLoading onClose={onClose} />)
  const field = screen.getByRole('textbox', { name: 'Go to' })
  fireEvent.change(field, { target: { value: 'logs' } })
  fireEvent.keyDown(field, { key: 'a' })
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.keyDown(field, { key: 'Escape' })
  expect(onClose).toHaveBeenCalledOnce()
  expect(document.activeElement).toBe(screen.getByRole('button'))
  cleanup()
  render(<PaletteLoading onClose={onClose} />)
  cleanup()
  show()
  expect(screen.getByRole('combobox')).toHaveProperty('value', '')
})

test('the first row is selected, also once deployments have loaded above the other rows', async () => {
  expect(selected()).toBe(0)
  await load()
  expect(within(rows()[0] as HTMLElement).getByText('alpha')).toBeDefined()
  expect(selected()).toBe(0)
})

test('the name of a page comes before the search of messages for it', async () => {
  await load()
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'inbox' } })
  await screen.findByText('Search threads for “inbox”')
  expect(rows()[selected()]?.textContent).toBe('Inbox')
})

test('a selection made while deployments were loading stays', async () => {
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'ArrowDown' })
  const chosen = rows()[selected()]?.textContent
  await load()
  expect(rows()[selected()]?.textContent).toBe(chosen)
  expect(selected()).toBeGreaterThan(0)
})

test('a search says that the deployments are still read, or why they could not be', async () => {
  cleanup()
  let refuse = (_error: Error) => {}
  const refused = new Promise((_resolve, reject) => {
    refuse = reject
  })
  vi.stubGlobal('fetch', () => refused)
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  show()
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'concierge' } })
  const group = () => within(screen.getByRole('group', { name: 'Deployments' }))
  expect((await group().findByText('Loading…')).closest('[hidden]')).toBeNull()
  refuse(new TypeError('down'))
  expect(await group().findByText(/The console cannot be reached/)).toBeDefined()
})

test('assistants of servers that answer are found, and the others are named', async () => {
  vi.stubGlobal('fetch', (url: string) =>
    url.includes('beta') ? Promise.reject(new Error('down')) : new Promise(() => {}),
  )
  const resources = ['alpha', 'beta', 'never ran'].map((name) => ({
    ...{ id: name, name, source: 'github', source_config: { custom_url: 'https://a.example' } },
    active_revision_id: name === 'never ran' ? null : 'revision',
  }))
  client.setQueryData<unknown>(deploymentsQuery('local', { limit: 8 }).queryKey, { resources, offset: 3 })
  const found = [{ assistant_id: 'id', name: 'almanac', graph_id: 'graph' }]
  client.setQueryData<unknown>(assistantsQuery('local', 'alpha', { name: 'al', limit: 4 }).queryKey, found)
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'al' } })
  expect(await screen.findByText('almanac')).toBeDefined()
  expect(await screen.findByText('No answer from beta')).toBeDefined()
})

test('threads are found by the words of their titles, and the search of all messages is offered', async () => {
  const thread = { preview: '', status: 'idle', at: null, deployment: 'alpha', deploymentName: 'alpha', graph: null }
  const titles = ['What is 6 * 7?', 'Refund for order 12', 'Harbour tour']
  const threads = { rows: titles.map((title, index) => ({ ...thread, id: `thread ${index}`, title })) }
  client.setQueryData<unknown>(newestThreadsQuery('local').queryKey, threads)
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'refund' } })
  fireEvent.click(await screen.findByText('Refund for order 12'))
  expect(push).toHaveBeenLastCalledWith('/local/deployments/alpha/threads/thread%201')
  expect(screen.queryByText('Harbour tour')).toBeNull()
  fireEvent.click(screen.getByText('Search threads for “refund”'))
  expect(push).toHaveBeenLastCalledWith('/local/threads?q=refund')
})

test('a verb is offered for the named deployment only, also while the search for it is read', async () => {
  await load()
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'start run on bet' } })
  expect(await screen.findByText('Start a run on beta')).toBeDefined()
  expect(rows().map((row) => row.textContent)).not.toContain('Start a run on alpha')
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
  expect(push).toHaveBeenLastCalledWith('/local/deployments/beta/runs/new')
})

test('what was opened last comes first until something is typed, without what is listed anyway', async () => {
  cleanup()
  const thread = '/local/deployments/alpha/threads/1'
  const open = (href: string, kind: string, name: string) => renderHook(() => useOpened(href, kind, name))
  open('/elsewhere/experiments/1', 'Experiment', 'Of another workspace')
  open(thread, 'Thread', 'Refund for order 12')
  open('/local/deployments/alpha', 'Deployment', 'alpha')
  open('/local/deployments/omega', 'Deployment', 'omega')
  show()
  await load()
  const recent = within(screen.getByRole('group', { name: 'Recent' })).getAllByRole('option')
  expect(recent.map(({ textContent }) => textContent)).toEqual(['omega Deployment', 'Refund for order 12 Thread'])
  expect(selected()).toBe(0)
  fireEvent.click(screen.getByText('Refund for order 12'))
  expect(push).toHaveBeenLastCalledWith(thread)
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'alp' } })
  expect(screen.queryByRole('group', { name: 'Recent' })).toBeNull()
  expect(rows()[selected()]?.textContent).toBe('alpha')
})
