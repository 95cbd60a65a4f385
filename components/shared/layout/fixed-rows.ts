'use client'

import { type RefObject, startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Browsers stop at about 16 million pixels of height; beyond this the scroll bar covers more rows than its length. */
const MAX_HEIGHT = 8_000_000
const OVERSCAN = 8
/** For as much is drawn before the list's own height is known. */
const FIRST_HEIGHT = 600

export type FixedRows = {
  /** Rows to draw, from `first` to before `end`. */
  first: number
  end: number
  /** Height of the element that holds the rows. */
  height: number
  /** Where a drawn row stands in it. */
  topOf: (index: number) => number
  scrollToRow: (index: number, where?: 'nearest' | 'center') => void
}

type View = { top: number; height: number }

/**
 * Rows of one height, of which only the visible ones are drawn; a million of them scroll like a hundred. A list that is
 * kept at its end says so: its last rows are drawn at once, not only when the browser tells that it has scrolled.
 */
export function useFixedRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  isAtEnd = false,
): FixedRows {
  const [view, setView] = useState<View>({ top: 0, height: FIRST_HEIGHT })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    let last: View | undefined
    const read = () => {
      const next = { top: isAtEnd ? 0 : element.scrollTop, height: element.clientHeight }
      // Compared here and not by React, which would draw the list once more to see that nothing has changed.
      if (last?.top !== next.top || last.height !== next.height) {
        // What is drawn already covers it: no haste, for in haste a page that React takes over is drawn twice in one task.
        if (!last && next.top === 0 && next.height <= FIRST_HEIGHT) startTransition(() => setView(next))
        else setView(next)
      }
      last = next
    }
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    if (!isAtEnd) element.addEventListener('scroll', read, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [scroller, isAtEnd])

  const total = count * rowHeight
  const height = Math.min(total, MAX_HEIGHT)
  const top = isAtEnd ? Math.max(0, height - view.height) : view.top
  // One pixel of the scroll bar stands for so many of the list; 1 until the list is too tall.
  const scale = total > height ? (total - view.height) / (height - view.height) : 1
  const listTop = Math.min(top * scale, Math.max(0, total - view.height))
  // Before the end nobody scrolls, and all rows in sight are drawn at each growth: none beside them.
  const first = Math.max(0, Math.floor(listTop / rowHeight) - (isAtEnd ? 0 : OVERSCAN))
  const end = Math.min(count, Math.ceil((listTop + view.height) / rowHeight) + OVERSCAN)
  const shift = scale === 1 ? 0 : top - listTop

  const scrollToRow = useCallback(
    (index: number, where: 'nearest' | 'center' = 'nearest') => {
      const element = scroller.current
      if (!element) return
      const top = index * rowHeight
      const visible = element.clientHeight
      const now = element.scrollTop * scale
      const isAbove = top < now
      const isBelow = top + rowHeight > now + visible
      if (!isAbove && !isBelow) return
      const atEdge = isAbove ? top : top + rowHeight - visible
      const target = where === 'center' ? top - (visible - rowHeight) / 2 : atEdge
      element.scrollTop = target / scale
    },
    [scroller, rowHeight, scale],
  )
  return { first, end, height, topOf: (index) => index * rowHeight + shift, scrollToRow }
}

/** Keeps a list at its end while rows are added, until the person scrolls up; going to the end follows again. */
export function useFollow(scroller: RefObject<HTMLElement | null>, count: number) {
  /** How many rows there were when the person left the end; undefined while it is followed. */
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
      // Only a move upwards by the person ends following: content that grows moves nothing.
      const isFollowed = isAtEnd || (drawn.current.isFollowing && element.scrollTop >= lastTop)
      // A list that is followed scrolls each time it grows: it must not be drawn again for that.
      if (isFollowed !== drawn.current.isFollowing) isFollowed ? follow() : unfollow()
      lastTop = element.scrollTop
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => element.removeEventListener('scroll', onScroll)
  }, [scroller, follow, unfollow])

  /** How tall the list was when it was last brought to its end. */
  const followed = useRef(-1)
  // With each drawing, any of which may be of a taller list; only then, or nobody could scroll away from its end.
  useLayoutEffect(() => {
    const element = scroller.current
    const height = element && isFollowing ? element.scrollHeight : -1
    if (element && height !== -1 && height !== followed.current) element.scrollTop = height
    followed.current = height
  })

  return { isFollowing, unseen: isFollowing ? 0 : Math.max(0, count - left), follow, unfollow }
}
