import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import './inspector' // its code is loaded on first use
import { TracePage } from './trace-page'

vi.mock('next/navigation', () => ({
  useRouter: () => ({ replace: vi.fn() }),
  usePathname: () => '/w/traces',
  useSearchParams: () => new URLSearchParams(),
}))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const node = (id: string, parent: string | null, start = Date.now()) => ({
  ...{ id, parent, trace: 'a', name: id, status: 'pending', start, end: null, order: `${parent ?? ''}${id}` },
  ...{ type: 'chain', tags: [] },
})

test.each([
  ['nothing was logged for long', -7_200_000, []],
  ['its agent server says that the run has ended', 0, [{ run: 'a', status: 'error' }]],
])('a trace without an end is not shown as running if %s', async (_why, since, rows) => {
  const runs = [node('a', null, Date.now() + since), node('b', 'a', Date.now() + since)]
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.includes('/api/traces/')) return Response.json({ runs, next: null })
    return Response.json(path.includes('/api/runs/') ? { rows } : [])
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <TracePage place={{ workspace: 'w', deploymentId: 'd' }} trace="a" recording={null} />
    </QueryClientProvider>,
  )
  const [root, child] = await screen.findAllByRole('treeitem', { name: /Its end was not logged/ })
  for (const one of [root, child]) {
    expect(one?.getAttribute('aria-label')).not.toContain('Running')
    expect(one?.querySelector('.lucide-loader-circle')).toBeNull()
  }
  expect(await screen.findAllByText(rows.length > 0 ? 'Failed' : 'Unknown')).toHaveLength(2)
  expect(screen.queryByText('Running')).toBeNull()
})

test('a trace that cannot be read any more looks as old as its notice says: tree, header and the run beside it', async () => {
  let isAway = false
  const away = { code: 'upstream_unreachable', message: 'It is away.', fields: [], requestId: '' }
  vi.stubGlobal('fetch', async (path: string) => {
    if (!path.includes('/api/traces/')) return Response.json(path.includes('/api/runs/') ? { rows: [] } : [])
    return isAway
      ? Response.json(away, { status: 503 })
      : Response.json({ runs: [node('a', null), node('b', 'a')], next: null })
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <TracePage place={{ workspace: 'w' }} trace="a" recording={null} />
    </QueryClientProvider>,
  )
  const tree = await screen.findByRole('region', { name: 'Tree' })
  const run = within(await screen.findByRole('region', { name: 'Run' }))
  const isOld = (one: HTMLElement) => one.closest('.grayscale') !== null
  const shown = () => [tree, ...screen.getAllByText('Running')].map(isOld)
  await run.findByText('Running')
  expect(shown()).toEqual([false, false, false])
  isAway = true
  await screen.findByText(/No answer since/)
  expect(shown()).toEqual([true, true, true])
  expect(isOld(run.getByText('Running'))).toBe(true)
})
