'use client'
import { useSyncExternalStore } from 'react'
import { relativeTime } from '@/lib/format'

// One clock for all times on a page, moving each ten seconds.
let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, 10_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** "3 min. ago"; the exact time on hover and for machines. `at` is an ISO time or epoch milliseconds. */
export function RelativeTime({ at }: { at: string | number | null | undefined }) {
  const shown = useSyncExternalStore(subscribe, () => now, () => now)
  const time = at === null || at === undefined ? Number.NaN : new Date(at).getTime()
  if (Number.isNaN(time)) return <span className="text-ink-3">–</span>
  const iso = new Date(time).toISOString()
  return (
    <time dateTime={iso} title={iso} suppressHydrationWarning className="whitespace-nowrap">
      {relativeTime(time, shown)}
    </time>
  )
}
