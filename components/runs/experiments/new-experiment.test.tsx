import { QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { startExperiment } from '@/lib/actions/experiments'
import { assistantVersionsQuery, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { RelayError } from '@/lib/queries/relay-fetch'
import { NewExperiment } from './new-experiment'

vi.mock('@/lib/actions/experiments', () => ({ startExperiment: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
const started = vi.mocked(startExperiment)
afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

const server = (id: string) => ({
  ...{ id, name: id, source: 'external', active_revision_id: null, source_config: { custom_url: 'http://server' } },
})
const assistant = (assistant_id: string) => ({ assistant_id, graph_id: 'agent', name: assistant_id, metadata: {} })

function open() {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
  client.setQueryData(deploymentsQuery('w', { limit: 100 }).queryKey, { resources: [server('d1')] } as never)
  client.setQueryData(pickableAssistants('w', 'd1').queryKey, [assistant('a1')] as never)
  client.setQueryData(assistantVersionsQuery('w', 'd1', 'a1', { limit: 50 }).queryKey, [] as never)
  show(client)
}

const show = (client: QueryClient) =>
  render(
    <QueryClientProvider client={client}>
      <Rights canRun canAdminister={false}>
        <NewExperiment workspace="w" given={{}} past={[]} sets={[]} Context={() => null} />
      </Rights>
    </QueryClientProvider>,
  )

test('an experiment that is changed after its answer was lost is another one', async () => {
  open()
  started.mockRejectedValue(new Error('the connection is gone'))
  const submit = async (text: string) => {
    const { length } = started.mock.calls
    fireEvent.change(screen.getByRole('textbox', { name: 'Message' }), { target: { value: text } })
    fireEvent.click(screen.getByRole('button', { name: /^Start/ }))
    await waitFor(() => expect(started).toHaveBeenCalledTimes(length + 1))
    await waitFor(() => expect(screen.getByRole('button', { name: /^Start/ })).toHaveProperty('ariaBusy', null))
    expect(screen.getByText(/The console did not respond/)).toBeDefined()
    return started.mock.calls.at(-1)?.[0].key
  }
  const first = await submit('What is 2 * 3?')
  expect(await submit('What is 2 * 3?')).toBe(first)
  expect(await submit('What is 2 * 4?')).not.toBe(first)
})

test.each(['assistant', 'check'])('removing one by keyboard leaves the focus on Add %s', async (what) => {
  open()
  const add = screen.getByRole('button', { name: `Add ${what}` })
  fireEvent.click(add)
  const remove = screen.getAllByRole('button', { name: new RegExp(`^Remove ${what === 'check' ? what : ''}`) }).at(-1)
  remove?.focus()
  fireEvent.click(remove as HTMLElement)
  await waitFor(() => expect(document.activeElement).toBe(add))
})

test('each column sends its own options and name, and wrong ones are named where they are', async () => {
  open()
  started.mockResolvedValue({ ok: true, data: 'an-id' })
  fireEvent.change(screen.getByRole('textbox', { name: 'Message' }), { target: { value: 'Hello' } })
  const advanced = screen.getByRole('button', { name: 'Column 2: advanced' })
  fireEvent.click(advanced)
  expect(advanced.getAttribute('aria-expanded')).toBe('true')
  const options = within(screen.getByRole('region', { name: 'Column 2: options' }))
  expect(options.queryByLabelText('Webhook')).toBeNull()
  fireEvent.change(options.getByLabelText('Column name'), { target: { value: 'Short' } })
  fireEvent.change(options.getByLabelText('Recursion limit'), { target: { value: 'many' } })
  fireEvent.change(options.getByLabelText('Stop before nodes'), { target: { value: 'tools' } })
  const submit = () => fireEvent.click(screen.getByRole('button', { name: /^Start/ }))
  submit()
  expect(options.getByText('must be a whole number from 1.')).toBeDefined()
  expect(started).not.toHaveBeenCalled()
  fireEvent.change(options.getByLabelText('Recursion limit'), { target: { value: '7' } })
  submit()
  await waitFor(() => expect(started).toHaveBeenCalled())
  const [first, second] = started.mock.calls[0]?.[0].subjects ?? []
  expect(first).not.toHaveProperty('options')
  expect(second).toMatchObject({ assistant: 'a1', title: 'Short' })
  expect(JSON.parse(second?.options ?? '')).toEqual({ config: { recursion_limit: 7 }, interrupt_before: ['tools'] })
  expect(screen.getByRole('button', { name: 'Column 2: advanced, 3 set' })).toBeDefined()
})

const failed = new RelayError({
  code: 'upstream_failed',
  message: 'The server responded with status 500.',
  fields: [],
  requestId: '',
})

/** The form after a failed read of a list. */
async function openAfter(queryKey: QueryKey, fill?: (client: QueryClient) => void) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false } } })
  fill?.(client)
  await client.prefetchQuery({ queryKey, queryFn: () => Promise.reject(failed) })
  show(client)
  expect(screen.getAllByText('The server responded with status 500.')[0]).toBeTruthy()
  expect(screen.getAllByRole('button', { name: 'Try again' })[0]).toBeTruthy()
}

test('deployments that cannot be listed can be asked for again, and none is offered meanwhile', async () => {
  await openAfter(deploymentsQuery('w', { limit: 100 }).queryKey)
  expect(screen.queryByRole('combobox', { name: /^Column/ })).toBeNull()
})

test('a server that does not answer is not waited for in silence', () => {
  vi.useFakeTimers()
  try {
    vi.stubGlobal('fetch', () => new Promise(() => {}))
    show(new QueryClient())
    expect(screen.getByLabelText('Column 1: deployment').textContent).toBe('Loading…')
    act(() => void vi.advanceTimersByTime(6_000))
    expect(screen.getByText(/^No answer for 5 seconds/)).toBeTruthy()
  } finally {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

test('why deployments cannot be listed is said at the first failure, not after the last attempt', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: 3, retryDelay: 60_000 } } })
  const { queryKey } = deploymentsQuery('w', { limit: 100 })
  void client.prefetchQuery({ queryKey, queryFn: () => Promise.reject(failed), retry: 3 })
  show(client)
  expect(await screen.findByText('The server responded with status 500.')).toBeTruthy()
  expect(screen.queryByRole('combobox', { name: /^Column/ })).toBeNull()
})

test('assistants that cannot be listed are not said to load', async () => {
  await openAfter(pickableAssistants('w', 'd1').queryKey, (client) =>
    client.setQueryData(deploymentsQuery('w', { limit: 100 }).queryKey, { resources: [server('d1')] } as never),
  )
  for (const column of [1, 2])
    expect(screen.getByRole('combobox', { name: `Column ${column}: assistant` }).textContent).toBe('Not available')
  expect(screen.getAllByRole('alert')).toHaveLength(1)
})
