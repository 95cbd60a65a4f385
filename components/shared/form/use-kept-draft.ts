'use client'
import { useEffect, useRef } from 'react'
import { nameInBrowser } from '@/lib/base-path'

/**
 * Keeps typed text in this tab across a reload or a new sign-in. `restore` receives the stored draft once; its fields that were
 * changed by then have their new values. An empty text is not kept, and a draft follows its name. Call the returned function
 * when the form ends: from then on nothing is kept.
 */
export function useKeptDraft<T extends string | object>(
  name: string,
  draft: T,
  restore: (draft: T) => void,
): () => void {
  const key = nameInBrowser(name)
  const isRestored = useRef(false)
  const isOver = useRef(false)
  const restoreRef = useRef(restore)
  const start = useRef(draft)
  const latest = useRef(draft)
  latest.current = draft
  const text = JSON.stringify(draft)
  const save = useRef(() => {})
  save.current = () => {
    if (isOver.current || !isRestored.current) return
    if (draft === '') return remove(key)
    try {
      sessionStorage.setItem(key, text)
    } catch {
      // If storage is disabled or full, only the draft is lost.
    }
  }
  useEffect(() => {
    if (isRestored.current) return
    // Once the fields have told what was typed before the program came.
    const timer = setTimeout(() => {
      isRestored.current = true
      try {
        const kept = sessionStorage.getItem(key)
        if (kept) restoreRef.current(beside(JSON.parse(kept) as T, start.current, latest.current))
      } catch {
        // Storage is disabled or full, as above.
      }
    })
    return () => clearTimeout(timer)
  }, [key])
  const last = useRef(key)
  useEffect(() => {
    if (last.current === key) return
    remove(last.current)
    last.current = key
    save.current()
  }, [key])
  // Not on each key press, because a draft may be a megabyte.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text restarts the wait
  useEffect(() => {
    const timer = setTimeout(() => save.current(), 300)
    return () => clearTimeout(timer)
  }, [key, text])
  // Flushes the last keystrokes when the page is left.
  useEffect(() => {
    const leave = () => save.current()
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
  return () => {
    isOver.current = true
    remove(key)
  }
}

function remove(key: string): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Storage is disabled; there is nothing to remove.
  }
}

/** What is kept, with the fields that were changed by now as they are. A text is one field, and its form joins the two. */
function beside<T extends string | object>(kept: T, start: T, now: T): T {
  if (typeof kept === 'string' || typeof now === 'string') return kept
  const old = new Map<string, unknown>(Object.entries(start))
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old.get(name))
  return Object.assign({}, kept, Object.fromEntries(Object.entries(now).filter(isChanged)))
}
