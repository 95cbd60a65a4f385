import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { RefField } from './ref-field'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const REFS = { branches: ['main', 'a-fix'], tags: ['v1.10'], is_complete: true }

function show(value: string, status: number, body: unknown) {
  vi.stubGlobal('fetch', async () => Response.json(body, { status }))
  const source = { integration: '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001', repository: 'https://example.com/agent' }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RefField workspace="local" {...source} value={value} error={undefined} onChange={() => {}} />
    </QueryClientProvider>,
  )
}
const offered = () => [...document.querySelectorAll('datalist option')].map((one) => one.getAttribute('value'))

test('branches and tags are offered, and one that the repository does not have is named', async () => {
  show('mian', 200, REFS)
  expect((await screen.findByText(/^The repository has no branch/)).textContent).toBe(
    'The repository has no branch mian. It has 2 branches and 1 tag.',
  )
  expect(offered()).toEqual(['main', 'a-fix', 'refs/tags/v1.10'])
})

test.each([
  ['main', REFS],
  ['refs/tags/v1.10', REFS],
  ['not-listed', { ...REFS, is_complete: false }],
])('nothing is said against %s', async (value, refs) => {
  show(value, 200, refs)
  await vi.waitFor(() => expect(offered()).toHaveLength(3))
  expect(screen.queryByText(/has no/)).toBeNull()
})

test('a control plane that cannot list them leaves the field as it is', async () => {
  show('mian', 404, { code: 'not_found', message: 'Not Found', fields: [], requestId: '', upstreamStatus: 404 })
  expect(await screen.findByText(/This is the branch/)).toBeDefined()
  expect(offered()).toEqual([])
})
