import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRun } from '@/lib/actions/runs'
import { assistantSchemasQuery, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { HomeChat } from './home-chat'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
beforeEach(() => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  vi.mocked(startRun).mockReset()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Sends a message from Home to the only deployment, whose graph has this input schema; null if it cannot be read. */
function say(input_schema: Record<string, unknown> | null) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const rows = deploymentRowsQuery('w', { health: 'ok', limit: 20, offset: 0 })
  client.setQueryData(rows.queryKey, { rows: [{ id: 'd', name: 'billing' }] } as never)
  const assistant = { assistant_id: 'a', graph_id: 'form', metadata: { created_by: 'system' } }
  client.setQueryData(pickableAssistants('w', 'd').queryKey, [assistant] as never)
  if (input_schema) client.setQueryData(assistantSchemasQuery('w', 'd', 'a').queryKey, { input_schema } as never)
  else vi.stubGlobal('fetch', () => Promise.reject(new TypeError('down')))
  vi.mocked(startRun).mockResolvedValue({ ok: true, data: { id: 'r', thread: 't' } as never })
  render(
    <QueryClientProvider client={client}>
      <HomeChat workspace="w" isFresh add={<a href="/new">New deployment</a>} />
    </QueryClientProvider>,
  )
  const field = screen.getByLabelText<HTMLTextAreaElement>('Message')
  fireEvent.change(field, { target: { value: 'hi' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  return field
}

test('no deployment is named before it is known which one takes the message', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const rows = [
    { id: 'd', name: 'billing' },
    { id: 'e', name: 'support' },
  ]
  client.setQueryData(deploymentRowsQuery('w', { health: 'ok', limit: 20, offset: 0 }).queryKey, { rows } as never)
  const assistant = (graph: string) => [{ assistant_id: graph, graph_id: graph, metadata: { created_by: 'system' } }]
  client.setQueryData(pickableAssistants('w', 'd').queryKey, assistant('form') as never)
  render(
    <QueryClientProvider client={client}>
      <HomeChat workspace="w" isFresh add={<a href="/new">New deployment</a>} />
    </QueryClientProvider>,
  )
  expect(screen.getByLabelText('Message').getAttribute('placeholder')).toBe('Message…')
  expect(screen.getByLabelText<HTMLSelectElement>('Agent').selectedOptions[0]?.text).toBe('Loading…')
  act(() => void client.setQueryData(pickableAssistants('w', 'e').queryKey, assistant('chat') as never))
  expect(await screen.findByPlaceholderText('Message support…')).toBeDefined()
  expect(screen.getByLabelText<HTMLSelectElement>('Agent').value).toBe('e')
})

test('while the deployments cannot be read, it says so and keeps what is typed', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('down')))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <HomeChat workspace="w" isFresh add={<a href="/new">New deployment</a>} />
    </QueryClientProvider>,
  )
  const field = screen.getByLabelText<HTMLTextAreaElement>('Message')
  fireEvent.change(field, { target: { value: 'hi' } })
  expect(await screen.findByText(/The deployments cannot be read\. This is ready as soon as they are/)).toBeDefined()
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(startRun).not.toHaveBeenCalled()
  expect(field.value).toBe('hi')
})

test.each([
  ['there is none', {}, 'No deployments yet. This is ready as soon as one is healthy.', true],
  ['the first one comes up', { progress: 1 }, 'No deployment is healthy yet. This is ready as soon as one is.', false],
  [
    'all of them are not read',
    { isCut: true },
    'No deployment is healthy yet. This is ready as soon as one is.',
    false,
  ],
])('without a healthy deployment, the way to the first is shown if %s', async (_, more, told, isOffered) => {
  const { isCut = false, ...counted } = more as { isCut?: boolean }
  const health = { counts: { ok: 0, failing: 0, progress: 0, unknown: 0, ...counted }, isCut }
  vi.stubGlobal('fetch', async () => Response.json({ rows: [], health }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <HomeChat workspace="w" isFresh add={<a href="/new">New deployment</a>} />
    </QueryClientProvider>,
  )
  expect((await screen.findByRole('status')).textContent).toBe(told)
  expect(screen.queryAllByRole('link', { name: 'New deployment' })).toHaveLength(isOffered ? 1 : 0)
})

test('a graph that takes no messages is sent none', async () => {
  const field = say({ type: 'object', properties: { query: { type: 'string' } } })
  expect(await screen.findByText(/billing takes no messages/)).toBeDefined()
  expect(startRun).not.toHaveBeenCalled()
  expect(field.value).toBe('hi')
})

test('a graph that does not say what it takes is sent the message', async () => {
  say({})
  // What checks an input is loaded when it is needed.
  await vi.waitFor(() => expect(startRun).toHaveBeenCalled(), { timeout: 10_000 })
  const { body } = vi.mocked(startRun).mock.lastCall?.[0] ?? {}
  expect(JSON.parse(String(body))).toMatchObject({ assistant_id: 'a', input: { messages: [{ content: 'hi' }] } })
})

test('a graph of which it cannot be read what it takes is sent nothing', async () => {
  const field = say(null)
  expect(await screen.findByText(/What billing takes could not be read/)).toBeDefined()
  expect(startRun).not.toHaveBeenCalled()
  expect(field.value).toBe('hi')
})
