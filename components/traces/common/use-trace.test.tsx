import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useTrace } from './use-trace'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a trace that goes on says when it cannot be read any more', async () => {
  let isAway = false
  const run = { id: 't', parent: null, trace: 't', name: 'agent', status: 'pending', start: Date.now(), order: '1' }
  const away = { code: 'upstream_unreachable', message: 'It is away.', fields: [], requestId: '' }
  vi.stubGlobal('fetch', async () =>
    isAway ? Response.json(away, { status: 503 }) : Response.json({ runs: [run], next: null }),
  )
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { result } = renderHook(() => useTrace('w', 't'), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  await vi.waitFor(() => expect(result.current.tree.size).toBe(1))
  expect(result.current.stale).toBeUndefined()
  isAway = true
  await vi.waitFor(() => expect(result.current.stale?.message).toBe('It is away.'), 6_000)
  isAway = false
  await vi.waitFor(() => expect(result.current.stale).toBeUndefined(), 6_000)
})
