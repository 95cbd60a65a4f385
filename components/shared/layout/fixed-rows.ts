'use client'

import { type RefObject, startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Browsers limit an element's height to about 16 million pixels. In taller lists, one pixel of the scroll bar covers several. */
const MAX_HEIGHT = 8_000_000
const OVERSCAN = 8
/** The height to fill before the list has been measured. */
const FIRST_HEIGHT = 600

export type FixedRows = {
  /** The rows to render, from `first` up to but not including `end`. */
  first: number
  end: number
  /** The height of the element that contains the rows. */
  height: number
  /** The offset of a row in that element. */
  topOf: (index: number) => number
  scrollToRow: (index: number, where?: 'nearest' | 'center') => void
}

type View = { top: number; height: number }

/**
 * Renders only the visible ones of any number of rows with equal height. With `isAtEnd` the last rows render at once,
 * without waiting for the scroll event. With `isInPage` the rows scroll with the page, not in a box.
 */
export function useFixedRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  isAtEnd = false,
  isInPage = false,
): FixedRows {
  const [view, setView] = useState<View>({ top: 0, height: FIRST_HEIGHT })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    let last: View | undefined
    const read = () => {
      const next = isInPage
        ? { top: Math.max(0, -element.getBoundingClientRect().top), height: window.innerHeight }
        : { top: isAtEnd ? 0 : element.scrollTop, height: element.clientHeight }
      // Compared here because React would render the list again before it finds the state unchanged.
      if (last?.top !== next.top || last.height !== next.height) {
        // The rendered rows already cover it, so this can wait: an urgent update during hydration would render twice in
        // one task.
        if (!last && next.top === 0 && next.height <= FIRST_HEIGHT) startTransition(() => setView(next))
        else setView(next)
      }
      last = next
    }
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    const scrolled: EventTarget = isInPage ? window : element
    if (!isAtEnd) scrolled.addEventListener('scroll', read, { passive: true })
    if (isInPage) window.addEventListener('resize', read)
    return () => {
      observer.disconnect()
      scrolled.removeEventListener('scroll', read)
      window.removeEventListener('resize', read)
    }
  }, [scroller, isAtEnd, isInPage])

  const total = count * rowHeight
  const height = Math.min(total, MAX_HEIGHT)
  const top = isAtEnd ? Math.max(0, height - view.height) : view.top
  // List pixels per pixel of the scroll bar; 1 unless the list is too tall.
  const scale = total > height ? (total - view.height) / (height - view.height) : 1
  const listTop = Math.min(top * scale, Math.max(0, total - view.height))
  // At the end nobody scrolls and each new row renders all visible rows, so it needs no overscan.
  const first = Math.max(0, Math.floor(listTop / rowHeight) - (isAtEnd ? 0 : OVERSCAN))
  const end = Math.min(count, Math.ceil((listTop + view.height) / rowHeight) + OVERSCAN)
  const shift = scale === 1 ? 0 : top - listTop

  const scrollToRow = useCallback(
    (index: number, where: 'nearest' | 'center' = 'nearest') => {
      const element = scroller.current
      if (!element) return
      const top = index * rowHeight
      if (isInPage) return scrollPage(element, top / scale, rowHeight, where)
      const visible = element.clientHeight
      const now = element.scrollTop * scale
      const isAbove = top < now
      const isBelow = top + rowHeight > now + visible
      if (!isAbove && !isBelow) return
      const atEdge = isAbove ? top : top + rowHeight - visible
      const target = where === 'center' ? top - (visible - rowHeight) / 2 : atEdge
      element.scrollTop = target / scale
    },
    [scroller, rowHeight, scale, isInPage],
  )
  return { first, end, height, topOf: (index) => index * rowHeight + shift, scrollToRow }
}

/** Scrolls the page to a part of an element, between what sticks to the top and the element's scroll margin. */
function scrollPage(element: HTMLElement, offset: number, height: number, where: 'nearest' | 'center'): void {
  const top = element.getBoundingClientRect().top + offset
  const from = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0
  const until = window.innerHeight - (Number.parseFloat(getComputedStyle(element).scrollMarginBottom) || 0)
  if (top >= from && top + height <= until) return
  const target = where === 'center' ? (from + until - height) / 2 : top < from ? from : until - height
  window.scrollBy(0, top - target)
}

/**
 * Keeps a list scrolled to its end as rows are added, until the user scrolls up. Scrolling back to the end resumes
 * following. While it is held, it stays where it is.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, count: number, isHeld = false) {
  /** The number of rows when the user left the end; undefined while following. */
  const [left, setLeft] = useState<number>()
  const isFollowing = left === undefined
  const drawn = useRef({ count, isFollowing })

  useLayoutEffect(() => {
    drawn.current = { count, isFollowing }
  }, [count, isFollowing])
  const follow = useCallback(() => setLeft(undefined), [])
  const unfollow = useCallback(() => setLeft((before) => before ?? drawn.current.count), [])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let lastTop = element.scrollTop
    const onScroll = () => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 24
      // Only scrolling up stops following; growing content does not.
      const isFollowed = isAtEnd || (drawn.current.isFollowing && element.scrollTop >= lastTop)
      // Following scrolls on each growth, which must not cause a render.
      if (isFollowed !== drawn.current.isFollowing) isFollowed ? follow() : unfollow()
      lastTop = element.scrollTop
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => element.removeEventListener('scroll', onScroll)
  }, [scroller, follow, unfollow])

  /** Where the end of the list was when it was last scrolled there. */
  const followed = useRef(-1)
  // Runs after every render because any may have added rows or come from a resize, but scrolls only if the end has
  // moved, so that the user can scroll away.
  useLayoutEffect(() => {
    const element = scroller.current
    const end = element && isFollowing && !isHeld ? element.scrollHeight - element.clientHeight : -1
    if (element && end !== -1 && end !== followed.current) element.scrollTop = element.scrollHeight
    followed.current = end
  })

  return { isFollowing, unseen: isFollowing ? 0 : Math.max(0, count - left), follow, unfollow }
}
