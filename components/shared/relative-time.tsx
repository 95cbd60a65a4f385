'use client'
import { useSyncExternalStore } from 'react'
import { relativeTime } from '@/lib/format'

const STEP_MS = 10_000

// One clock for all times on a page, moving each ten seconds.
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
    }, STEP_MS)
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
const atRender = () => Math.floor(Date.now() / STEP_MS) * STEP_MS

/** "3 min. ago"; the exact time on hover and for machines. `at` is an ISO time or epoch milliseconds. */
export function RelativeTime({ at }: { at: string | number | null | undefined }) {
  const shown = useSyncExternalStore(subscribe, current, atRender)
  const time = at === null || at === undefined ? Number.NaN : new Date(at).getTime()
  if (Number.isNaN(time)) return <span className="text-ink-3">–</span>
  const iso = new Date(time).toISOString()
  return (
    <time dateTime={iso} title={iso} suppressHydrationWarning className="whitespace-nowrap">
      {relativeTime(time, shown)}
    </time>
  )
}
