'use client'
import { useEffect, useRef } from 'react'

/**
 * Keeps typed text in this tab across a reload or a new sign-in. `restore` receives the stored text once; call the returned
 * function when the draft is no longer needed.
 */
export function useKeptDraft<T>(key: string, draft: T, restore: (draft: T) => void): () => void {
  const isRestored = useRef(false)
  const isOver = useRef(false)
  const restoreRef = useRef(restore)
  const text = JSON.stringify(draft)
  const save = useRef(() => {})
  save.current = () => {
    if (isOver.current) return
    try {
      sessionStorage.setItem(key, text)
    } catch {
      // If storage is disabled or full, only the draft is lost.
    }
  }
  useEffect(() => {
    if (isRestored.current) return
    isRestored.current = true
    try {
      const kept = sessionStorage.getItem(key)
      if (kept) restoreRef.current(JSON.parse(kept) as T)
    } catch {
      // Storage is disabled or full, as above.
    }
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
    try {
      sessionStorage.removeItem(key)
    } catch {
      // Storage is disabled; there is nothing to remove.
    }
  }
}
