import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CreateValues, filled, NO_VALUES, type SecretDraft } from './create-values'
import { SecretsSection } from './secrets-section'

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const SOURCE: CreateValues = {
  ...NO_VALUES,
  integration: '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001',
  repository: 'https://example.com/agent',
  ref: 'main',
  configPath: 'langgraph.json',
}
let drafts: readonly SecretDraft[]

function Form({ values }: { values: CreateValues }) {
  const [secrets, setSecrets] = useState<readonly SecretDraft[]>([])
  drafts = secrets
  return <SecretsSection workspace="local" values={values} secrets={secrets} issues={{}} onChange={setSecrets} />
}
/** Shows the section with a control plane that answers this. */
async function show(values: CreateValues, status: number, body: unknown) {
  const fetched = vi.fn(async (_url: string) => Response.json(body, { status }))
  vi.stubGlobal('fetch', fetched)
  const client = new QueryClient()
  const page = (now: CreateValues) => (
    <QueryClientProvider client={client}>
      <Form values={now} />
    </QueryClientProvider>
  )
  const { rerender } = render(page(NO_VALUES))
  // Typed letter by letter.
  for (let end = 1; end <= values.repository.length; end++)
    rerender(page({ ...values, repository: values.repository.slice(0, end) }))
  await vi.advanceTimersByTimeAsync(1000)
  return fetched
}
const variable = (name: string, is_optional = false) => ({ name, is_optional })
const inspection = (...variables: object[]) => ({
  commit: 'c',
  graph_config_path: 'langgraph.json',
  graphs: ['agent'],
  env_example: { path: '.env.example', variables },
})

test('the variables of the example become secrets to fill, and those left empty are not sent', async () => {
  const found = inspection(variable('OPENAI_API_KEY'), variable('MODEL', true), variable('LANGSMITH_PROJECT'))
  const fetched = await show(SOURCE, 200, found)
  expect(await screen.findByText(/lists 2 variables, 1 of them optional/)).toBeDefined()
  expect(fetched).toHaveBeenCalledTimes(1)
  fireEvent.click(screen.getByRole('button', { name: 'Add all 2 as secrets' }))
  expect(screen.queryByText(/lists 2 variables/)).toBeNull()
  expect(drafts.map(({ name, value, note }) => [name, value, note])).toEqual([
    ['OPENAI_API_KEY', '', 'From .env.example. Not sent while it is empty.'],
    ['MODEL', '', 'From .env.example, optional. Not sent while it is empty.'],
  ])
  fireEvent.change(screen.getByLabelText('Value of secret 1'), { target: { value: 'sk-1' } })
  expect(filled(drafts).map(({ name }) => name)).toEqual(['OPENAI_API_KEY'])
})

test.each([
  ['without an example', 200, { ...inspection(), env_example: null }],
  [
    'on a control plane that reads no repositories',
    404,
    { code: 'not_found', message: 'x', fields: [], requestId: 'r' },
  ],
])('there is no offer %s', async (_what, status, body) => {
  const fetched = await show(SOURCE, status, body)
  await waitFor(() => expect(fetched.mock.settledResults).toHaveLength(1))
  expect(screen.queryByText(/lists/)).toBeNull()
})

test('nothing is asked for before the source is complete, nor for an image', async () => {
  expect(await show({ ...SOURCE, configPath: '' }, 200, inspection())).not.toHaveBeenCalled()
  cleanup()
  expect(await show({ ...SOURCE, source: 'external_docker' }, 200, inspection())).not.toHaveBeenCalled()
})
