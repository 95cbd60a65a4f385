'use client'
import { useEffect } from 'react'

/**
 * Whether the document's page has been hydrated. Its frame is hydrated first. Data that changes in between would make the
 * page's first render differ from the server's, and React would discard the server's.
 */
let isHydrated = false
const waiting = new Set<() => void>()
const MARK = 'data-page'

function noteHydrated() {
  isHydrated = true
  for (const start of waiting) start()
  waiting.clear()
}

if (typeof document !== 'undefined') {
  // Only whole documents tell whether a page has a mark to wait for.
  const look = () => {
    if (!document.querySelector(`[${MARK}]`)) noteHydrated()
  }
  if (document.readyState === 'complete') look()
  else window.addEventListener('load', look, { once: true })
}

/** Begins when the page has been hydrated. Returns a function that ends it, or that prevents its beginning. */
export function whenHydrated(begin: () => () => void): () => void {
  if (isHydrated) return begin()
  let end: (() => void) | undefined
  const start = () => {
    end = begin()
  }
  waiting.add(start)
  return () => {
    waiting.delete(start)
    end?.()
  }
}

/** Marks the end of a page, whose effects run once the page has been hydrated. */
export function PageMark() {
  useEffect(noteHydrated, [])
  return <span hidden {...{ [MARK]: '' }} />
}
