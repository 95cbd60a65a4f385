'use client'
import { AlertTriangle, CheckCircle2, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'

// Our own implementation, because the usual library inserts a style element without the page's nonce, which the policy
// blocks.

type Tone = 'success' | 'warning'
type Toast = { id: number; tone: Tone; text: string }

const SHOWN_MS = 6_000
const MOST = 3
const NONE: readonly Toast[] = []

let toasts: readonly Toast[] = NONE
let count = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}
const add = (tone: Tone) => (text: string) => set([...toasts, { id: ++count, tone, text }].slice(-MOST))
const remove = (id: number) => set(toasts.filter((toast) => toast.id !== id))
function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Confirms an action from anywhere. Errors do not belong here; they are shown next to their cause. */
export const toast = { success: add('success'), warning: add('warning') }

/**
 * The container for toasts, rendered once at the root. Always present, because screen readers announce only changes to an
 * existing region.
 */
export function Toaster() {
  const shown = useSyncExternalStore(
    subscribe,
    () => toasts,
    () => NONE,
  )
  return (
    <output
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-[60] flex flex-col items-end gap-2"
    >
      {shown.map((one) => (
        <Notice key={one.id} {...one} />
      ))}
    </output>
  )
}

function Notice({ id, tone, text }: Toast) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(remove, SHOWN_MS, id)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering and focusing only pause the timer
    <div
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
      className="pointer-events-auto flex w-[min(22rem,calc(100vw-2rem))] items-start gap-2.5 rounded-md border bg-panel py-2.5 pr-2 pl-3 shadow-pop"
    >
      {tone === 'success' ? (
        <CheckCircle2 aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
      ) : (
        <AlertTriangle aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      )}
      <p className="min-w-0 flex-1 break-words">{text}</p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => remove(id)}
        className="inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </div>
  )
}
