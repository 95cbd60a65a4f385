import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { startRun } from '@/lib/actions/runs'
import { assistantSchemasQuery, pickableAssistants } from '@/lib/queries/assistants'
import { SideBySide } from './side-by-side'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn(), cancelRun: vi.fn() }))
vi.mock('@/components/shared/layout/use-set-search', () => ({ useSetSearch: () => () => {} }))
vi.mock('../chat-body', () => ({ ChatBody: () => null }))
const started = vi.mocked(startRun)
afterEach(() => {
  cleanup()
  vi.clearAllMocks()
  localStorage.clear()
})

const place = { workspace: 'w', deploymentId: 'd' }
const schemas = {
  a: { context_schema: { properties: { size: {} } } },
  b: { config_schema: { properties: { size: {} } } },
}

/** A form that takes any object, as JSON. */
const Context = ({ onChange }: { onChange: (value: Record<string, unknown>) => void }) => (
  <input aria-label="Fields" onChange={({ target }) => onChange(JSON.parse(target.value))} />
)

function open(named = 'a,b') {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
  const assistants = ['a', 'b', 'c'].map((id) => ({ assistant_id: id, graph_id: id, name: id, metadata: {} }))
  client.setQueryData(pickableAssistants('w', 'd').queryKey, assistants as never)
  for (const [id, found] of Object.entries(schemas))
    client.setQueryData(assistantSchemasQuery('w', 'd', id).queryKey, found as never)
  render(
    <QueryClientProvider client={client}>
      <Rights canRun canAdminister={false}>
        <SideBySide {...{ place, Context }} named={named} serverNow={0} onRail={() => {}} />
      </Rights>
    </QueryClientProvider>,
  )
}
const send = (text: string) => {
  fireEvent.change(screen.getByRole('textbox', { name: 'Message' }), { target: { value: text } })
  fireEvent.click(screen.getByRole('button', { name: 'Send' }))
}
const bodies = () => started.mock.calls.map(([{ body }]) => JSON.parse(String(body)))

test('options for all go with each run, and a context with its assistant only', async () => {
  started.mockResolvedValue({ ok: false, error: { code: 'internal', message: 'gone', fields: [], requestId: '' } })
  open()
  fireEvent.click(screen.getByRole('button', { name: 'Advanced' }))
  const all = within(screen.getByRole('region', { name: 'For all 2 assistants' }))
  expect(
    all.getAllByText('Names with commas between, or * for all. An assistant without the node does not stop.'),
  ).toHaveLength(2)
  expect(all.queryByText('Context for this run')).toBeNull()
  fireEvent.change(all.getByLabelText('Recursion limit'), { target: { value: '7' } })
  fireEvent.click(all.getByLabelText(/Values/))
  const each = within(screen.getByRole('region', { name: 'For one assistant' }))
  expect(each.getByText('Context of column 1: a')).toBeDefined()
  expect(each.getByText('Context of column 2: b')).toBeDefined()
  fireEvent.change(each.getAllByLabelText('Fields')[1] as HTMLElement, { target: { value: '{"size":2}' } })
  expect(screen.getByRole('button', { name: 'Advanced, 2 set' })).toBeDefined()
  expect(within(screen.getByRole('region', { name: 'b' })).getByText('own context')).toBeDefined()
  expect(within(screen.getByRole('region', { name: 'a' })).queryByText('own context')).toBeNull()
  send('Hello')
  await waitFor(() => expect(started).toHaveBeenCalledTimes(2))
  const [a, b] = bodies()
  expect(a).toMatchObject({ assistant_id: 'a', config: { recursion_limit: 7 } })
  expect(a).not.toHaveProperty('context')
  // An older graph, which reads its configuration.
  expect(b).toMatchObject({ assistant_id: 'b', config: { recursion_limit: 7, configurable: { size: 2 } } })
  for (const body of [a, b]) expect(body.stream_mode).not.toContain('values')
})

test('wrong options are named once, and nothing is sent', async () => {
  open()
  const button = screen.getByRole('button', { name: 'Advanced' })
  fireEvent.click(button)
  fireEvent.change(screen.getByLabelText('Recursion limit'), { target: { value: 'many' } })
  fireEvent.click(button)
  send('Hello')
  expect(screen.getAllByText('must be a whole number from 1.')).toHaveLength(1)
  expect(started).not.toHaveBeenCalled()
  expect(screen.getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Hello')
})

test('an assistant of which it cannot be read what it takes is sent nothing', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('down')))
  started.mockResolvedValue({ ok: false, error: { code: 'internal', message: 'gone', fields: [], requestId: '' } })
  open('a,c')
  expect(screen.queryByText('This graph takes no messages, so it gets none.')).toBeNull()
  send('Hello')
  await within(screen.getByRole('region', { name: 'c' })).findByText(/The console cannot be reached/)
  await waitFor(() => expect(started).toHaveBeenCalledTimes(1))
  expect(bodies()).toMatchObject([{ assistant_id: 'a' }])
  vi.unstubAllGlobals()
})
