import { renderHook } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { useSetSearch } from './use-set-search'

const replace = vi.fn()
// The query of the last render: the next one comes only after a transition, or when the server has responded.
const rendered = new URLSearchParams('level=ERROR&offset=20')
vi.mock('next/navigation', () => ({
  useRouter: () => ({ replace }),
  usePathname: () => '/logs',
  useSearchParams: () => rendered,
}))
beforeEach(() => {
  replace.mockClear()
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

test('two quick changes for the server do not undo each other, and begin at the first page', () => {
  const set = setter()
  set({ level: '' })
  set({ since: '1h' })
  expect(replace.mock.calls.map(([url]) => url)).toEqual(['/logs', '/logs?since=1h'])
})
