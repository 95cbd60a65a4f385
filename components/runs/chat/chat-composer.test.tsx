import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { ErrorView } from '@/lib/errors'
import { assistantSchemasQuery, pickableAssistants } from '@/lib/queries/assistants'
import { RelayError } from '@/lib/queries/relay-fetch'
import { ChatComposer } from './chat-composer'
import type { ThreadViews } from './chat-views'
import { useMessageDraft } from './composer/use-message-draft'
import { useChatOptions } from './use-chat-options'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn() }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  sessionStorage.clear()
  localStorage.clear()
})

const place = { workspace: 'w', deploymentId: 'd' }

type Start = (request: Record<string, unknown>) => Promise<boolean>

/** `is`: whether a run of this page is active, or one that was started elsewhere, or the thread waits for an answer. */
type Is = 'active' | 'busy' | 'waiting' | undefined

function Page({ start, thread, is }: { start: Start; thread?: string; is?: Is }) {
  const chat = useChatOptions(place, undefined, undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  const { text, setText } = useMessageDraft(place, thread)
  const [error, setError] = useState<ErrorView>()
  return (
    <>
      <button type="button" onClick={() => chat.change({ context: '[]' })}>
        Give a wrong context
      </button>
      <ChatComposer
        {...{ chat, field, text, start, thread, onText: setText }}
        isActive={is === 'active'}
        isWaiting={is === 'waiting'}
        isBusy={async () => is === 'busy'}
        Context={(() => null) as ThreadViews['Context']}
        stop={async () => {}}
        onSideBySide={undefined}
        reason={undefined}
        isSending={false}
        queued={undefined}
        isStopping={false}
        error={error}
        setError={setError}
      />
    </>
  )
}

type Schema = Record<string, unknown> | null

/** The field of a conversation with a graph of this input schema, which `arrive` gives if it is `later`. */
function open(start: Start, input_schema: Schema | 'later' = null, is?: Is) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const assistant = { assistant_id: 'a', graph_id: 'agent', metadata: { created_by: 'system' } }
  client.setQueryData(pickableAssistants('w', 'd').queryKey, [assistant] as never)
  const { queryKey } = assistantSchemasQuery('w', 'd', 'a')
  let refuse = (_reason: unknown) => {}
  if (input_schema !== 'later') client.setQueryData(queryKey, { input_schema } as never)
  else vi.stubGlobal('fetch', () => new Promise((_resolve, reject) => (refuse = reject)))
  const page = (thread?: string) => (
    <QueryClientProvider client={client}>
      <Page {...{ start, thread, is }} />
    </QueryClientProvider>
  )
  const { rerender, unmount } = render(page())
  return {
    onThread: (thread: string) => rerender(page(thread)),
    arrive: (schema: Schema) => act(() => void client.setQueryData(queryKey, { input_schema: schema } as never)),
    /** The read of the schema fails. */
    fail: () => act(async () => refuse(AWAY)),
    unmount,
  }
}
const AWAY = new RelayError({
  code: 'upstream_failed',
  message: 'It broke.',
  fields: [],
  requestId: '',
  upstreamStatus: 500,
})
const form = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Message')
const type = (text: string) => fireEvent.change(field(), { target: { value: text } })
/** What the browser does before it leaves the page. */
const keep = () => fireEvent(window, new Event('pagehide'))
const send = () => fireEvent.keyDown(field(), { key: 'Enter' })
const drop = (name: string) =>
  fireEvent.paste(field(), { clipboardData: { files: [new File(['x'], name, { type: 'text/plain' })] } })

test('a message that could not be sent comes back before what was typed by then, with all files', async () => {
  let end = (_isTaken: boolean) => {}
  const started = vi.fn<Start>(
    () =>
      new Promise((resolve) => {
        end = resolve
      }),
  )
  open(started)
  type('A')
  drop('a.txt')
  await screen.findByText('a.txt')
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  expect(field().value).toBe('')
  type('B')
  drop('b.txt')
  await screen.findByText('b.txt')
  await act(async () => end(false))
  expect(field().value).toBe('A\nB')
  expect(screen.getByText('a.txt').compareDocumentPosition(screen.getByText('b.txt'))).toBe(
    Node.DOCUMENT_POSITION_FOLLOWING,
  )
})

test('a message that could not be sent comes back to an empty field as it was', async () => {
  open(async () => false)
  type('A')
  send()
  await vi.waitFor(() => expect(field().value).toBe('A'))
})

test('what is typed while and after the first message is sent is kept, on the thread that was made', async () => {
  let end = (_isTaken: boolean) => {}
  const started = vi.fn<Start>(
    () =>
      new Promise((resolve) => {
        end = resolve
      }),
  )
  const { onThread, unmount } = open(started)
  await act(() => new Promise((resolve) => setTimeout(resolve))) // a kept draft would be restored by now
  type('A')
  keep()
  expect({ ...sessionStorage }).toEqual({ 'pilothouse.chat.w.d.': '"A"' })
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  type('B')
  await act(async () => end(true))
  keep()
  expect({ ...sessionStorage }).toEqual({ 'pilothouse.chat.w.d.': '"B"' })
  onThread('t')
  type('B and more')
  unmount()
  expect({ ...sessionStorage }).toEqual({ 'pilothouse.chat.w.d.t': '"B and more"' })
})

test('nothing is kept of a message that was sent', async () => {
  sessionStorage.setItem('pilothouse.chat.w.d.', '"A"')
  const started = vi.fn<Start>(async () => true)
  const { onThread, unmount } = open(started)
  await vi.waitFor(() => expect(field().value).toBe('A'))
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  onThread('t')
  unmount()
  expect({ ...sessionStorage }).toEqual({})
})

test.each([
  ['no schema', null],
  ['an empty schema', {}],
  ['a schema without fields', { type: 'object', properties: {} }],
])('a graph with %s is sent a message, or JSON', async (_name, schema) => {
  const started = vi.fn<Start>(async () => true)
  open(started, schema)
  expect(screen.getByRole('button', { name: 'JSON' })).toBeDefined()
  type('hi')
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  expect(started.mock.lastCall?.[0]).toMatchObject({ input: { messages: [{ role: 'user', content: 'hi' }] } })
})

test('a message that is not sent because of an option opens the options, which tell why', async () => {
  open(async () => true)
  fireEvent.click(screen.getByRole('button', { name: 'Give a wrong context' }))
  type('hi')
  send()
  expect(await screen.findByText('The context must be a JSON object.')).toBeDefined()
  expect(field().value).toBe('hi')
})

test('sending while a run that was started elsewhere is active asks what it means, and keeps the message', async () => {
  const started = vi.fn<Start>(async () => true)
  open(started, null, 'busy')
  type('hi')
  send()
  const choice = within(await screen.findByRole('region', { name: 'A run is active' }))
  expect(started).not.toHaveBeenCalled()
  expect(field().value).toBe('hi')
  fireEvent.click(choice.getByRole('button', { name: /^Interrupt/ }))
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  expect(started.mock.lastCall?.[0]).toMatchObject({ multitask_strategy: 'interrupt' })
})

test('what sending during a run means is asked once: this page and later ones remember it', async () => {
  const started = vi.fn<Start>(async () => true)
  const { unmount } = open(started, null, 'busy')
  type('one')
  send()
  fireEvent.click(await screen.findByRole('button', { name: /^Interrupt/ }))
  await vi.waitFor(() => expect(started).toHaveBeenCalledTimes(1))
  await vi.waitFor(() => expect(field().value).toBe(''))
  type('two')
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalledTimes(2))
  unmount()
  open(started, null, 'busy')
  type('three')
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalledTimes(3))
  expect(started.mock.calls.map(([request]) => request.multitask_strategy)).toEqual(Array(3).fill('interrupt'))
  expect(screen.queryByRole('region', { name: 'A run is active' })).toBeNull()
})

test('JSON can be sent while a run is active, too', async () => {
  const started = vi.fn<Start>(async () => true)
  open(started, form, 'active')
  expect(screen.getByRole('button', { name: 'Stop' })).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Send' }))
  fireEvent.click(await screen.findByRole('button', { name: /^Wait/ }))
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  expect(started.mock.lastCall?.[0]).toMatchObject({ input: { query: '' }, multitask_strategy: 'enqueue' })
})

test('a thread that waits for an answer offers a new input on demand, and a message at once', async () => {
  const { unmount } = open(async () => true, form, 'waiting')
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'New input' }))
  await screen.findByRole('region', { name: 'Input' })
  expect(screen.getByRole('button', { name: 'Send' })).toBeTruthy()
  unmount()
  open(async () => true, null, 'waiting')
  expect(field()).toBeTruthy()
})

test('until it is known what a graph takes, nothing says that it takes messages, and none is sent', async () => {
  const started = vi.fn<Start>(async () => true)
  const { arrive } = open(started, 'later')
  const field = screen.getByRole('textbox', { name: 'Input' })
  expect(field.getAttribute('placeholder')).toBe('Loading…')
  expect(screen.queryByLabelText('Message')).toBeNull()
  fireEvent.change(field, { target: { value: 'hi' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(screen.getByRole('button', { name: 'Send' }).getAttribute('aria-busy')).toBe('true')
  await arrive(form)
  expect(await screen.findByText('agent takes no messages. Fill in its input.')).toBeDefined()
  expect(await screen.findByRole('region', { name: 'Input' })).toBeDefined()
  expect(started).not.toHaveBeenCalled()
})

test('a message that was sent before it was known that the graph takes messages is sent then', async () => {
  const started = vi.fn<Start>(async () => true)
  const { arrive } = open(started, 'later')
  const field = screen.getByRole('textbox', { name: 'Input' })
  fireEvent.change(field, { target: { value: 'hi' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  await arrive({ properties: { messages: { type: 'array' } } })
  await vi.waitFor(() => expect(started).toHaveBeenCalledOnce())
  expect(started.mock.lastCall?.[0]).toMatchObject({ input: { messages: [{ content: 'hi' }] } })
})

test('where it cannot be read what a graph takes, the person chooses', async () => {
  const started = vi.fn<Start>(async () => true)
  const { fail } = open(started, 'later')
  const field = screen.getByRole('textbox', { name: 'Input' })
  fireEvent.change(field, { target: { value: 'hi' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  await fail()
  expect((await screen.findByRole('alert')).textContent).toContain('What this graph takes could not be read.')
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(screen.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).toBe('true')
  expect(started).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Message' }))
  send()
  await vi.waitFor(() => expect(started).toHaveBeenCalledOnce())
  expect(started.mock.lastCall?.[0]).toMatchObject({ input: { messages: [{ content: 'hi' }] } })
})

test('Escape closes the options, whose button takes the focus from a field among them', async () => {
  open(async () => true)
  const button = screen.getByRole('button', { name: 'Advanced' })
  fireEvent.click(button)
  fireEvent.keyDown(field(), { key: 'Escape' })
  expect(screen.queryByRole('region', { name: 'Advanced' })).toBeNull()
  fireEvent.click(button)
  const limit = await screen.findByLabelText('Recursion limit')
  limit.focus()
  fireEvent.keyDown(limit, { key: 'Escape' })
  expect(screen.queryByRole('region', { name: 'Advanced' })).toBeNull()
  expect(document.activeElement).toBe(button)
})
