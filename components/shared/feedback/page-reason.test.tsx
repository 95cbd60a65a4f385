import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { STORE_AWAY } from '@/lib/errors'
import { PageReason } from './page-reason'

const reload = vi.fn()
const ready = vi.fn<() => Promise<{ ok: boolean }>>()
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('location', { ...window.location, reload })
  vi.stubGlobal('fetch', ready)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})
const show = (digest: string) => render(<PageReason digest={digest}>Something went wrong.</PageReason>)
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test('a page without the database names it as the reason, and is loaded when the console is ready again', async () => {
  show(STORE_AWAY)
  expect(screen.getByText(/^The console’s database is unavailable at the moment/)).toBeTruthy()
  expect(screen.queryByText('Something went wrong.')).toBeNull()
  ready.mockResolvedValueOnce({ ok: false }).mockRejectedValueOnce(new TypeError('fetch failed'))
  ready.mockResolvedValue({ ok: true })
  await pass(8_000)
  expect(ready).toHaveBeenCalledTimes(2)
  expect(reload).not.toHaveBeenCalled()
  await pass(3_000)
  expect(reload).toHaveBeenCalledTimes(1)
})

test('a page with any other error says what it was given, and asks nothing', async () => {
  show('12345')
  expect(screen.getByText('Something went wrong.')).toBeTruthy()
  await pass(8_000)
  expect(ready).not.toHaveBeenCalled()
})
