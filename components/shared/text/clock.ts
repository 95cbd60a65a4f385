'use client'
import { useSyncExternalStore } from 'react'

/** One clock for all that shows it on a page, moving in steps; it runs while somebody looks. */
export function makeClock(stepMs: number): () => number {
  let now = Date.now()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  function subscribe(listener: () => void) {
    listeners.add(listener)
    if (!timer) {
      now = Date.now() // it stood still while there was nothing to show
      timer = setInterval(() => {
        now = Date.now()
        for (const one of listeners) one()
      }, stepMs)
    }
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
  const current = () => now
  // On the server nothing moves the clock. In steps, because React asks twice and wants the same answer.
  const atRender = () => Math.floor(Date.now() / stepMs) * stepMs
  return () => useSyncExternalStore(subscribe, current, atRender)
}
