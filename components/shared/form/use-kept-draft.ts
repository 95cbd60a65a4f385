'use client'
import { useEffect, useRef } from 'react'

/**
 * Keeps what was typed in this tab over a reload or a new sign-in. `restore` gets what an earlier visit left, once;
 * call the function that is given back when the draft has served.
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
      // Storage that is off or full costs the draft, nothing else.
    }
  }
  useEffect(() => {
    if (isRestored.current) return
    isRestored.current = true
    try {
      const kept = sessionStorage.getItem(key)
      if (kept) restoreRef.current(JSON.parse(kept) as T)
    } catch {
      // As above.
    }
  }, [key])
  // Not at each letter: a draft may have a megabyte.
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
      // As above.
    }
  }
}
