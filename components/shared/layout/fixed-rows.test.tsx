import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useFixedRows, useFollow } from './fixed-rows'

test('a list that scrolls with the page draws the rows in the window, and scrolls the page to a row', () => {
  const element = document.createElement('div')
  let top = 400
  element.getBoundingClientRect = () => ({ top }) as DOMRect
  element.style.scrollMarginBottom = '300px'
  const scroller = { current: element }
  const scrolledBy: number[] = []
  window.scrollBy = (...[, by]: unknown[]) => void scrolledBy.push(by as number)
  const { result } = renderHook(() => useFixedRows(scroller, 1_000, 10, false, true))
  const seen = window.innerHeight
  expect(result.current.first).toBe(0)
  act(() => {
    top = -5_000
    window.dispatchEvent(new Event('scroll'))
  })
  const { first, end, scrollToRow } = result.current
  expect([first, end]).toEqual([500 - 8, 500 + Math.ceil(seen / 10) + 8])
  scrollToRow(510) // visible
  scrollToRow(490)
  scrollToRow(500 + Math.floor(seen / 10)) // covered
  expect(scrolledBy).toEqual([-100, expect.closeTo(Math.floor(seen / 10) * 10 + 10 + 300 - seen)])
})

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
