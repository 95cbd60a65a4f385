import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { assistantSchemasQuery, pickableAssistants } from '@/lib/queries/assistants'
import { ChatComposer } from './chat-composer'
import type { ThreadViews } from './chat-views'
import { useChatOptions } from './use-chat-options'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn() }))
afterEach(cleanup)

const place = { workspace: 'w', deploymentId: 'd' }

type Start = (request: Record<string, unknown>) => Promise<boolean>

function Page({ start }: { start: Start }) {
  const chat = useChatOptions(place, undefined, undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  return (
    <ChatComposer
      {...{ chat, field, text, start, isActive: false, thread: undefined, onText: setText }}
      Context={(() => null) as ThreadViews['Context']}
      onSent={() => {}}
      stop={async () => {}}
      onSideBySide={undefined}
      reason={undefined}
      isSending={false}
      queued={undefined}
      isStopping={false}
      error={undefined}
      setError={() => {}}
    />
  )
}

/** The field of a conversation with a graph of this input schema. */
function open(start: Start, input_schema: Record<string, unknown> | null = null) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const assistant = { assistant_id: 'a', graph_id: 'agent', metadata: { created_by: 'system' } }
  client.setQueryData(pickableAssistants('w', 'd').queryKey, [assistant] as never)
  client.setQueryData(assistantSchemasQuery('w', 'd', 'a').queryKey, { input_schema } as never)
  render(
    <QueryClientProvider client={client}>
      <Page start={start} />
    </QueryClientProvider>,
  )
}
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Message')
const type = (text: string) => fireEvent.change(field(), { target: { value: text } })
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
