'use client'
import { useSyncExternalStore } from 'react'

/**
 * A hook for the current time in steps, with one timer for all components. The timer runs only while the hook is in use.
 */
export function makeClock(stepMs: number): () => number {
  let now = Date.now()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  function subscribe(listener: () => void) {
    listeners.add(listener)
    if (!timer) {
      now = Date.now() // it stopped while it had no listeners
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
  // Rounded for server rendering, because React calls this twice and expects the same value.
  const atRender = () => Math.floor(Date.now() / stepMs) * stepMs
  return () => useSyncExternalStore(subscribe, current, atRender)
}
