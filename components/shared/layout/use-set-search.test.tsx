import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useSetSearch } from './use-set-search'

const replace = vi.fn()
// The query of the last render: the next one comes only after a transition, or when the server has responded.
let rendered = new URLSearchParams('level=ERROR&offset=20')
const router = { replace }
vi.mock('next/navigation', () => ({
  useRouter: () => router,
  usePathname: () => '/logs',
  useSearchParams: () => rendered,
}))
afterEach(() => {
  window.history.replaceState(null, '', '/elsewhere')
  cleanup()
})
beforeEach(() => {
  replace.mockClear()
  rendered = new URLSearchParams('level=ERROR&offset=20')
  window.history.replaceState(null, '', `/logs?${rendered}#place`)
})
const setter = (options?: Parameters<typeof useSetSearch>[0]) => renderHook(() => useSetSearch(options)).result.current

test('two quick changes that the server ignores do not undo each other', () => {
  const set = setter({ isLocal: true })
  set({ level: '' })
  set({ since: '1h' })
  expect(window.location.search + window.location.hash).toBe('?offset=20&since=1h#place')
  expect(replace).not.toHaveBeenCalled()
})

test('going back undoes a pushed change, and a replaced one goes with the page', () => {
  const set = setter({ isLocal: true })
  const before = window.history.length
  set({ level: '' })
  expect(window.history.length).toBe(before)
  set({ since: '1h' }, 'push')
  expect(window.history.length).toBe(before + 1)
  expect(window.location.search).toBe('?offset=20&since=1h')
})

test('two quick changes for the server do not undo each other, and begin at the first page', () => {
  const set = setter()
  set({ level: '' })
  set({ since: '1h' })
  expect(replace.mock.calls.map(([url]) => url)).toEqual(['/logs', '/logs?since=1h'])
})

test('a change that was rendered does not come back on the next visit', () => {
  const { result, rerender } = renderHook(() => useSetSearch())
  const visit = (query: string) => {
    rendered = new URLSearchParams(query)
    rerender()
  }
  visit('')
  result.current({ status: 'failed' })
  visit('status=failed')
  visit('')
  result.current({ since: '24h' })
  expect(replace).toHaveBeenLastCalledWith('/logs?since=24h', { scroll: false })
})

test('a change that an earlier render asks for later begins from the address of then', () => {
  const { result, rerender } = renderHook(() => useSetSearch())
  const earlier = result.current
  result.current({ level: '' })
  rendered = new URLSearchParams()
  rerender()
  earlier({ name: 'a' })
  expect(replace).toHaveBeenLastCalledWith('/logs?name=a', { scroll: false })
})

test('a change that was left before it was rendered does not come back either', () => {
  rendered = new URLSearchParams()
  const { result, unmount } = renderHook(() => useSetSearch())
  result.current({ status: 'failed' })
  window.history.replaceState(null, '', '/threads')
  unmount()
  window.history.replaceState(null, '', '/logs')
  setter()({ since: '24h' })
  expect(replace).toHaveBeenLastCalledWith('/logs?since=24h', { scroll: false })
})

test('a control that goes away during a change does not undo it', () => {
  rendered = new URLSearchParams()
  window.history.replaceState(null, '', '/logs')
  const page = renderHook(() => useSetSearch())
  const chip = renderHook(() => useSetSearch())
  chip.result.current({ status: 'failed' })
  chip.unmount()
  page.result.current({ since: '24h' })
  expect(replace).toHaveBeenLastCalledWith('/logs?status=failed&since=24h', { scroll: false })
})
