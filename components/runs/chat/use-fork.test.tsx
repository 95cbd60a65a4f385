import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { initialOptions, NO_MORE } from '@/components/runs/start/start-options'
import type { RunMessage } from '@/lib/stream/messages'
import { useFork } from './use-fork'

vi.mock('@/lib/actions/runs', () => ({ startRun: vi.fn() }))
afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['metadata', { more: { ...NO_MORE, metadata: '{' } }, 'Advanced: Metadata must be a JSON object.'],
  ['context', { context: '[]' }, 'Context: The context must be a JSON object.'],
])('a message that cannot be run again because of its %s tells why', async (_name, options, message) => {
  vi.stubGlobal('fetch', async () => Response.json({ checkpoint: null }))
  const [start, onError] = [vi.fn(async () => true), vi.fn()]
  const chat = {
    options: { ...initialOptions('a', ''), ...options },
    assistant: 'a',
    schema: undefined,
    json: undefined,
  }
  const { result } = renderHook(() =>
    useFork({
      place: { workspace: 'w', deploymentId: 'd' },
      thread: 't',
      chat: chat as Parameters<typeof useFork>[0]['chat'],
      shown: { current: [] },
      start,
      onError,
    }),
  )
  const said = { key: 'k', id: 'm', role: 'human', parts: [] } as unknown as RunMessage
  expect(await act(() => result.current.run(said, 'hi'))).toBe(false)
  expect(start).not.toHaveBeenCalled()
  expect(onError.mock.calls).toMatchObject([[{ code: 'invalid', message }]])
})
