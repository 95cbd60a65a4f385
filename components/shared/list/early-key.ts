'use client'
import { useEffect } from 'react'
import { TYPING } from './use-row-keys'

/** The last key pressed while what it decides was loading, and what that was. */
let early: { of: string; key: string } | undefined
/** How many panels take keys themselves. */
let open = 0

/**
 * Keeps the last key for a panel that has not loaded yet, until `onEarlyKey` for the same question. Another key or a click takes
 * it back. `of`: the question that the page shows; undefined: none.
 */
export function useEarlyKey(of: string | undefined): void {
  useEffect(() => {
    if (of === undefined) return
    function onKey(event: KeyboardEvent) {
      const isOther = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat
      const isTyped = event.target instanceof Element && event.target.closest(TYPING)
      early = of === undefined || open > 0 || isOther || isTyped ? undefined : { of, key: event.key }
    }
    const onClick = () => {
      early = undefined
    }
    window.addEventListener('keydown', onKey)
    window.addEventListener('click', onClick, true)
    return () => {
      window.removeEventListener('keydown', onKey)
      window.removeEventListener('click', onClick, true)
      early = undefined
    }
  }, [of])
}

/** Calls with the key that was pressed for this question before, if any. Returns the end of taking keys. */
export function onEarlyKey(of: string, press: (key: string) => void): () => void {
  const key = early?.of === of ? early.key : undefined
  early = undefined
  open++
  if (key !== undefined) press(key)
  return () => {
    open--
  }
}
