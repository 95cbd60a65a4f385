import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRun } from '@/lib/actions/runs'
import { assistantSchemasQuery, pickableAssistants } from '@/lib/queries/assistants'
import type { Recorded } from './prefill'
import { StartForm } from './start-form'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn() }))
vi.mock('@/lib/actions/templates', () => ({ updateTemplate: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))

beforeEach(() => vi.stubGlobal('fetch', () => new Promise(() => {}))) // the other lists never arrive
afterEach(() => {
  cleanup()
  vi.mocked(startRun).mockReset()
  vi.unstubAllGlobals()
  sessionStorage.clear()
})

const recorded = (request: object): Recorded => ({
  id: 'r',
  request: JSON.stringify(request),
  assistant: 'a',
  thread: null,
  isStateless: false,
})

/** The form for a graph of this input schema, which has not come yet if it is undefined. Returns what it is read with. */
function open(
  input_schema: Record<string, unknown> | null | undefined,
  recorded?: Recorded,
  fork?: { thread: string; checkpoint: string },
) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  listAssistant(client)
  const arrive = (input_schema: Record<string, unknown> | null) =>
    client.setQueryData(assistantSchemasQuery('w', 'd', 'a').queryKey, { input_schema } as never)
  if (input_schema !== undefined) arrive(input_schema)
  show(client, recorded, fork)
  return arrive
}
const listAssistant = (client: QueryClient) =>
  client.setQueryData(pickableAssistants('w', 'd').queryKey, [
    { assistant_id: 'a', graph_id: 'agent', metadata: { created_by: 'system' } },
  ] as never)
const show = (client: QueryClient, recorded?: Recorded, fork?: { thread: string; checkpoint: string }) =>
  render(
    <QueryClientProvider client={client}>
      <StartForm workspace="w" deploymentId="d" recorded={recorded} templates={[]} {...fork} />
    </QueryClientProvider>,
  )
/** Starts the run and returns its request. */
async function start(): Promise<Record<string, unknown>> {
  vi.mocked(startRun).mockResolvedValue({ ok: true, data: { id: 'r' } as never })
  fireEvent.click(screen.getByRole('button', { name: 'Start run' }))
  await vi.waitFor(() => expect(startRun).toHaveBeenCalled())
  return JSON.parse(String(vi.mocked(startRun).mock.lastCall?.[0].body))
}
const kinds = () => screen.queryAllByRole('button', { name: /^(Message|JSON)$/ }).map(({ textContent }) => textContent)
const messages = [{ role: 'user', content: 'hi' }]

test.each([
  ['no schema', null],
  ['an empty schema', {}],
  ['a schema without fields', { type: 'object', properties: {} }],
])('with %s, a message or JSON can be sent, and a recorded message is there again', async (_name, schema) => {
  open(schema, recorded({ input: { messages } }))
  expect(kinds()).toEqual(['Message', 'JSON'])
  expect(screen.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('hi')
  expect(await start()).toMatchObject({ input: { messages } })
})

test('Message has the focus on arrival, and takes it from no other field later', () => {
  open(null)
  expect(document.activeElement).toBe(screen.getByLabelText('Message'))
  for (const kind of ['JSON', 'Message']) {
    const button = screen.getByRole('button', { name: kind })
    button.focus()
    fireEvent.click(button)
    expect(document.activeElement).toBe(button)
  }
})

test('a fork without input matches every schema, as no other run does', async () => {
  const schema = { type: 'object', properties: { query: { type: 'string' } } }
  open(schema, recorded({ input: null }))
  await screen.findByText(/must be of type object/, {}, { timeout: 20_000 })
  cleanup()
  open(schema, undefined, { thread: 't', checkpoint: 'c' })
  await act(() => new Promise((done) => setTimeout(done, 1_000))) // the check waits for a pause in typing
  expect(screen.queryByText(/must be of type object/)).toBeNull()
  expect(await start()).toMatchObject({ input: null, checkpoint: { checkpoint_id: 'c' } })
})

test('a recorded message is kept as JSON for a graph that takes none', async () => {
  open({ type: 'object', properties: { query: { type: 'string' } } }, recorded({ input: { messages } }))
  expect(kinds()).toEqual([])
  expect(await start()).toMatchObject({ input: { messages } })
})

test('a run that is started before it is known what the graph takes starts then, and says nothing untrue', async () => {
  const arrive = open(undefined)
  const sent = start()
  await vi.waitFor(() =>
    expect(screen.getByRole('button', { name: 'Start run' }).getAttribute('aria-busy')).toBe('true'),
  )
  expect(screen.queryByText('Enter a message.')).toBeNull()
  expect(startRun).not.toHaveBeenCalled()
  act(() => void arrive({ type: 'object', properties: { query: { type: 'string' } } }))
  expect(await sent).toMatchObject({ input: { query: '' } })
})

test('where it cannot be read what the graph takes, the person chooses', async () => {
  let fail = () => {}
  const read = (path: string) =>
    new Promise((_resolve, reject) => {
      if (path.endsWith('/schemas')) fail = () => reject(new TypeError('down'))
    })
  vi.stubGlobal('fetch', read)
  open(undefined)
  expect(screen.getByRole('textbox', { name: 'Input' })).toBeDefined()
  expect(kinds()).toEqual([])
  await act(async () => fail())
  expect(kinds()).toEqual(['Message', 'JSON'])
  fireEvent.change(screen.getByRole('textbox', { name: 'Input' }), { target: { value: 'hi' } })
  fireEvent.click(screen.getByRole('button', { name: 'Start run' }))
  expect(await screen.findAllByText(/Choose Message or JSON/)).not.toHaveLength(0)
  expect(startRun).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Message' }))
  expect(await start()).toMatchObject({ input: { messages } })
})

test('a run that is started before the assistants are listed starts then', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const schema = { input_schema: { type: 'object', properties: { query: { type: 'string' } } } }
  client.setQueryData(assistantSchemasQuery('w', 'd', 'a').queryKey, schema as never)
  show(client)
  const sent = start()
  await vi.waitFor(() =>
    expect(screen.getByRole('button', { name: 'Start run' }).getAttribute('aria-busy')).toBe('true'),
  )
  expect(screen.queryByText('Choose an assistant.')).toBeNull()
  act(() => void listAssistant(client))
  expect(await sent).toMatchObject({ assistant_id: 'a' })
})

test('once the list of assistants comes after all, no assistant is said to be missing', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('down')))
  show(client)
  await vi.waitFor(() => expect(client.getQueryState(pickableAssistants('w', 'd').queryKey)?.status).toBe('error'))
  fireEvent.click(screen.getByRole('button', { name: 'Start run' }))
  await screen.findByText('Choose an assistant.')
  act(() => void listAssistant(client))
  await vi.waitFor(() => expect(screen.queryByText('Choose an assistant.')).toBeNull())
})
