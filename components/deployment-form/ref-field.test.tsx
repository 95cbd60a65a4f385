import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settingsFor, settingsOf } from '@/lib/contracts/deployments/deployment-settings'
import { RefField } from './ref-field'
import { SettingsFields } from './settings-fields'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const REFS = { branches: ['main', 'a-fix'], tags: ['v1.10'], is_complete: true }

const INTEGRATION = '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001'
const REPOSITORY = 'https://example.com/agent'

function within(fields: ReactNode, status: number, body: unknown) {
  vi.stubGlobal('fetch', async (url: string) => {
    expect(decodeURIComponent(url)).toContain(`${INTEGRATION}/refs?repo_url=${REPOSITORY}`)
    return Response.json(body, { status })
  })
  render(<QueryClientProvider client={new QueryClient()}>{fields}</QueryClientProvider>)
}
const show = (value: string, status: number, body: unknown) =>
  within(
    <RefField
      {...{ id: 'ref', workspace: 'local', integration: INTEGRATION, repository: REPOSITORY, value }}
      error={undefined}
      onChange={() => {}}
    />,
    status,
    body,
  )
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

test('the settings of a deployment offer the branches of its repository too', async () => {
  const onChange = vi.fn()
  const draft = settingsOf({ source_revision_config: { repo_ref: 'mian' } })
  within(
    <SettingsFields
      workspace="local"
      repository={{ integration: INTEGRATION, url: REPOSITORY }}
      settings={settingsFor('github')}
      draft={draft}
      issues={{}}
      onChange={onChange}
    />,
    200,
    REFS,
  )
  expect((await screen.findByText(/^The repository has no branch/)).parentElement?.textContent).toContain(
    'Creates a revision.',
  )
  expect(offered()).toEqual(['main', 'a-fix', 'refs/tags/v1.10'])
  fireEvent.change(screen.getByLabelText('Branch or tag'), { target: { value: 'a-fix' } })
  expect(onChange).toHaveBeenCalledWith('source_revision_config.repo_ref', 'a-fix')
})
