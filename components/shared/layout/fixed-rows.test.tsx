import { renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useFollow } from './fixed-rows'

test('a list moves to its new rows, but not while it is held', () => {
  let scrollHeight = 500
  const element = document.createElement('div')
  Object.defineProperty(element, 'scrollHeight', { get: () => scrollHeight })
  const scroller = { current: element }
  const { rerender } = renderHook(({ count, isHeld }) => useFollow(scroller, count, isHeld), {
    initialProps: { count: 1, isHeld: false },
  })
  const grow = (isHeld: boolean) => {
    scrollHeight += 100
    rerender({ count: 2, isHeld })
    return element.scrollTop
  }
  expect([element.scrollTop, grow(false), grow(true), grow(true), grow(false)]).toEqual([500, 600, 600, 600, 900])
})

test('a list that shows its end shows it in a smaller window too', () => {
  let clientHeight = 400
  const element = document.createElement('div')
  Object.defineProperty(element, 'scrollHeight', { get: () => 1_000 })
  Object.defineProperty(element, 'clientHeight', { get: () => clientHeight })
  const scroller = { current: element }
  const { rerender } = renderHook(() => useFollow(scroller, 1))
  // As a browser does, which scrolls no further than to the end.
  element.scrollTop = 600
  rerender()
  expect(element.scrollTop).toBe(600)
  clientHeight = 150
  rerender()
  expect(element.scrollTop).toBe(1_000)
})
