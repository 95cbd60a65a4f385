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

test('a trace that cannot be read any more looks as old as its notice says: tree, header and the run beside it', async () => {
  const node = (id: string, parent: string | null) => ({
    ...{ id, parent, trace: 'a', name: id, status: 'pending', start: 1, order: `${parent ?? ''}${id}`, type: 'chain' },
    tags: [],
  })
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
