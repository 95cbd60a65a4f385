import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { operationKey } from '@/lib/queries/api-query'
import { lightThreadQuery } from '@/lib/queries/threads'
import { useThread } from './use-thread'

let tell: (value: unknown) => void = () => {}
vi.mock('@/lib/live/client', () => ({
  subscribe: (_: unknown, { onValue }: { onValue: (value: unknown, at: number) => void }) => {
    tell = (value) => onValue(value, 0)
    return () => {}
  },
}))

afterEach(() => void vi.unstubAllGlobals())

const place = { workspace: 'w', deploymentId: 'd' }
const at = (status: string, second: number) => ({
  thread_id: 't',
  status,
  updated_at: `2026-11-26T09:00:0${second}Z`,
  created_at: '2026-11-26T09:00:00Z',
  metadata: {},
})
const RUNS = operationKey(agentServer.listRuns, 'w')

/** A page that was read when the thread was idle. */
function read(isFollowed = false) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(lightThreadQuery({ ...place, thread: 't' }).queryKey, [at('idle', 1)] as never)
  client.setQueryData(RUNS, [])
  const { result } = renderHook(() => useThread(place, 't', isFollowed), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  return { client, result }
}

/** Tells whether the page's runs are to be read again. */
function open(isFollowed = false) {
  const { client } = read(isFollowed)
  return () => client.getQueryState(RUNS)?.isInvalidated
}

test('a run that another tab started before the first live value is read', () => {
  const isOld = open()
  act(() => tell(at('idle', 1)))
  expect(isOld()).toBe(false)

  for (const value of [at('busy', 2), at('idle', 3)]) {
    const isOld = open()
    act(() => tell(value))
    expect(isOld()).toBe(true)
  }
})

test('later changes are read, but not those of a run that the page follows', () => {
  const isOld = open()
  act(() => tell(at('idle', 1)))
  act(() => tell(at('busy', 2)))
  expect(isOld()).toBe(true)

  const isOldToo = open(true)
  act(() => tell(at('busy', 2)))
  expect(isOldToo()).toBe(false)
})

test('a thread is busy if it is shown so, and the server still says so', async () => {
  const { result } = read()
  const server = vi.fn(async () => Response.json([at('idle', 3)]))
  vi.stubGlobal('fetch', server)
  expect(await result.current.isBusy()).toBe(false)
  expect(server).not.toHaveBeenCalled()
  act(() => tell(at('busy', 2)))
  expect(await act(() => result.current.isBusy())).toBe(false)

  const { result: other } = read()
  act(() => tell(at('busy', 2)))
  vi.stubGlobal('fetch', async () => Response.json([at('busy', 2)]))
  expect(await act(() => other.current.isBusy())).toBe(true)
  vi.stubGlobal('fetch', async () => Response.json({}, { status: 503 }))
  expect(await act(() => other.current.isBusy())).toBe(true)
})
