import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CronInput } from '@/app/(console)/[workspace]/deployments/[deploymentId]/(existing)/crons/cron-input'
import { assistantSchemasQuery } from '@/lib/queries/assistants'
import type { InputCheck } from './input-view'

beforeEach(() => vi.stubGlobal('fetch', () => new Promise(() => {}))) // the schema does not arrive by itself
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const check: { current: InputCheck | undefined } = { current: undefined }
let sent = ''

function Form({ saved }: { saved: string | undefined }) {
  const [value, setValue] = useState(saved ?? '{}')
  sent = value
  const rest = { place: { workspace: 'w', deploymentId: 'd' }, assistant: 'a', saved, error: undefined, check }
  return <CronInput {...rest} value={value} onChange={setValue} />
}

/** The input of a cron whose graph's schema has not come yet. Returns what lets it come. */
function open(saved?: string) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  render(
    <QueryClientProvider client={client}>
      <Form saved={saved} />
    </QueryClientProvider>,
  )
  return (input_schema: object) =>
    act(() => void client.setQueryData(assistantSchemasQuery('w', 'd', 'a').queryKey, { input_schema } as never))
}
/** What the form asks before it sends the cron. */
const mayBeSent = () => act(async () => check.current?.())
const kinds = () => screen.queryAllByRole('button', { name: /^(Message|JSON)$/ }).map(({ textContent }) => textContent)
const query = { type: 'object', properties: { query: { type: 'string' } } }

test('the input of a new cron waits for the schema, and says nothing untrue', async () => {
  const arrive = open()
  expect(kinds()).toEqual([])
  expect(await mayBeSent()).toBe(false)
  expect(screen.getByText(/What the graph takes is still being read\./)).toBeTruthy()
  expect(screen.queryByText('Enter a message.')).toBeNull()
  arrive(query)
  await vi.waitFor(() => expect(JSON.parse(sent)).toEqual({ query: '' }))
  expect(await mayBeSent()).toBe(true)
})

test('a message is asked for once it is known that the graph takes messages', async () => {
  const arrive = open()
  arrive({ type: 'object', properties: { messages: { type: 'array', items: {} } } })
  await vi.waitFor(() => expect(kinds()).toEqual(['Message', 'JSON']))
  expect(await mayBeSent()).toBe(false)
  expect(screen.getByText('Enter a message.')).toBeTruthy()
})

test('what the server has may be sent again before the schema is read', async () => {
  const arrive = open('{"other":1}')
  expect(await mayBeSent()).toBe(true)
  arrive(query)
  expect(await screen.findByRole('textbox', { name: 'Input as JSON' })).toBeTruthy()
  expect(JSON.parse(sent)).toEqual({ other: 1 })
})
