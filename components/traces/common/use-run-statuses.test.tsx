import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useRunStatuses } from './use-run-statuses'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const ROOT = { id: 'r', trace: 'r', run: 'r' }

test('a running run is asked about again until it has ended', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  let status = 'running'
  const fetched = vi.fn(async () => Response.json({ rows: [{ run: 'r', status }], next: null, looked: null }))
  vi.stubGlobal('fetch', fetched)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { result } = renderHook(() => useRunStatuses({ workspace: 'w', deploymentId: 'd' }, [ROOT])(ROOT), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  await waitFor(() => expect(result.current).toBe('running'))
  status = 'success'
  await act(() => vi.advanceTimersByTimeAsync(6_000))
  expect(result.current).toBe('success')
  const { length } = fetched.mock.calls
  await act(() => vi.advanceTimersByTimeAsync(30_000))
  expect(fetched).toHaveBeenCalledTimes(length)
})
