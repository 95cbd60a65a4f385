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
