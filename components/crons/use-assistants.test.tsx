import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useAssistants } from './use-assistants'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a list that failed on its server comes by itself, without being asked for all the time', async () => {
  vi.useFakeTimers()
  const failure = { code: 'upstream_failed', message: 'No.', fields: [], requestId: '', upstreamStatus: 500 }
  let hasFailed = true
  const fetched = vi.fn(async () => (hasFailed ? Response.json(failure, { status: 502 }) : Response.json([])))
  vi.stubGlobal('fetch', fetched)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { result } = renderHook(() => useAssistants('w', 'd'), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  await pass(60_000)
  expect(result.current.error?.message).toBe('No.')
  expect(fetched.mock.calls.length).toBeLessThan(8)
  hasFailed = false
  await pass(30_000)
  expect(result.current.assistants).toEqual([])
  const { length } = fetched.mock.calls
  await pass(60_000)
  expect(fetched).toHaveBeenCalledTimes(length)
})
