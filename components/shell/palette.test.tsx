import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { assistantsQuery } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { Palette } from './palette'

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }), useParams: () => ({}) }))

const workspace = { slug: 'local', name: 'Local', role: 'developer' } as const
const rows = () => screen.getAllByRole('option').filter((row) => row.getAttribute('aria-disabled') !== 'true')
const selected = () => rows().findIndex((row) => row.getAttribute('aria-selected') === 'true')

let client: QueryClient
async function load() {
  const resources = ['alpha', 'beta'].map((name) => ({ id: name, name }))
  client.setQueryData<unknown>(deploymentsQuery('local', { limit: 8 }).queryKey, { resources, offset: 2 })
  await screen.findAllByText('alpha')
}

beforeEach(() => {
  Element.prototype.scrollIntoView = () => {}
  vi.stubGlobal('fetch', () => new Promise(() => {})) // deployments stay loading until the test provides them
  client = new QueryClient()
  render(
    <QueryClientProvider client={client}>
      <Palette current={workspace} workspaces={[workspace]} onClose={() => undefined} />
    </QueryClientProvider>,
  )
})
afterEach(() => {
  cleanup()
  client.clear()
  vi.unstubAllGlobals()
})

test('the first row is selected, also once deployments have loaded above the other rows', async () => {
  expect(selected()).toBe(0)
  await load()
  expect(within(rows()[0] as HTMLElement).getByText('alpha')).toBeDefined()
  expect(selected()).toBe(0)
})

test('a selection made while deployments were loading stays', async () => {
  fireEvent.keyDown(screen.getByRole('combobox'), { key: 'ArrowDown' })
  const chosen = rows()[selected()]?.textContent
  await load()
  expect(rows()[selected()]?.textContent).toBe(chosen)
  expect(selected()).toBeGreaterThan(0)
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
