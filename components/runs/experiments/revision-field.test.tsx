import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { revisionsQuery } from '@/lib/queries/revisions'
import { RevisionField } from './revision-field'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const FIRST = '11111111-0000-4000-8000-000000000000'
const SECOND = '22222222-0000-4000-8000-000000000000'
const FAILED = '33333333-0000-4000-8000-000000000000'
const revision = (id: string, status: string, message = '') => ({
  ...{ id, status, created_at: '2026-11-29T20:10:00Z', updated_at: '', source: 'github' },
  ...{ source_revision_config: { repo_commit_sha: 'abcdef0123456789' }, commit: { message } },
})
const LISTED = [revision(FAILED, 'BUILD_FAILED'), revision(SECOND, 'DEPLOYED', 'Be brief'), revision(FIRST, 'DEPLOYED')]

function show(given: { value?: string; source?: string; listed?: unknown[] }) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
  const { value = '', source = 'github', listed } = given
  const list = { resources: listed, unread: [], offset: 0 }
  if (listed) client.setQueryData(revisionsQuery('w', 'd', { limit: 100 }).queryKey, list as never)
  const onChange = vi.fn()
  const deployment = { id: 'd', name: 'harbour', source, active_revision_id: SECOND } as never
  render(
    <QueryClientProvider client={client}>
      <RevisionField {...{ workspace: 'w', label: 'Column 1', deployment, value, onChange }} />
    </QueryClientProvider>,
  )
  return onChange
}
const field = () => screen.getByRole('combobox', { name: 'Column 1: revision' })

test('revisions are told by commit, status and date; one that failed cannot be chosen', () => {
  const onChange = show({ listed: LISTED })
  const options = screen.getAllByRole<HTMLOptionElement>('option')
  expect(options.map(({ textContent, disabled }) => `${disabled ? '- ' : ''}${textContent}`)).toEqual([
    'Serving revision',
    '- 33333333 · abcdef01 · Build failed · 2026-11-29 20:10 UTC',
    '22222222 (serving) · abcdef01 Be brief · Deployed · 2026-11-29 20:10 UTC',
    '11111111 · abcdef01 · Deployed · 2026-11-29 20:10 UTC',
  ])
  fireEvent.change(field(), { target: { value: FIRST } })
  expect(onChange).toHaveBeenCalledWith(FIRST)
})

test.each([
  [FIRST, true],
  [SECOND, false],
  ['', false],
])('what becomes of the column is told for one that does not serve: %s', (value, isTold) => {
  show({ listed: LISTED, value })
  expect(screen.queryByText(/is not serving/) !== null).toBe(isTold)
})

test('a chosen one is kept while the revisions load, and when they cannot be listed', async () => {
  const error = { code: 'upstream_failed', message: 'It failed.', fields: [], requestId: '' }
  vi.stubGlobal('fetch', async () => Response.json(error, { status: 502 }))
  show({ value: FIRST })
  expect(field()).toHaveProperty('value', FIRST)
  expect(await screen.findByText('It failed.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
  expect(field()).toHaveProperty('value', FIRST)
})

test('a server that runs elsewhere has no revisions to choose', () => {
  show({ source: 'external' })
  expect(screen.queryByRole('combobox')).toBeNull()
})
