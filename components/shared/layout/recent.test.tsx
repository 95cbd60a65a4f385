import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { keepRecentOf, readRecent, useOpened } from './recent'

afterEach(() => {
  cleanup()
  localStorage.clear()
})
const open = (href: string, name: string | undefined) => renderHook(() => useOpened(href, 'Thread', name))
const names = () => readRecent().map(({ name }) => name)

test('the last opened record comes first, each once, and only with a name', () => {
  open('/w/a', 'First\n question')
  open('/w/b', 'Second')
  open('/w/c', undefined)
  expect(names()).toEqual(['Second', 'First question'])
  open('/w/a', 'Renamed')
  expect(names()).toEqual(['Renamed', 'Second'])
  for (let n = 0; n < 60; n++) open(`/w/many/${n}`, `Many ${n}`)
  expect(names()).toHaveLength(50)
})

test('what one person opened is not shown to another', () => {
  keepRecentOf('ada@example.com')
  open('/w/a', 'First')
  keepRecentOf('ada@example.com')
  expect(names()).toEqual(['First'])
  keepRecentOf('bob@example.com')
  expect(names()).toEqual([])
})

test('a store with something else in it is like an empty one', () => {
  for (const kept of ['{', '7', '{"who":"","items":[{"href":1}]}']) {
    localStorage.setItem('pilothouse-recent', kept)
    expect(names()).toEqual([])
  }
})
