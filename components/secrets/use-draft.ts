'use client'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { toast } from '@/components/ui/toast'
import { countOf, type Draft, NO_DRAFT } from './draft'

// Drafts survive navigation, but only in this tab's memory: they hold values, so they are never put into browser storage.
// Signing out loads a new page, which clears them.

const drafts = new Map<string, Draft>()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The draft for one deployment. While there is one, closing or reloading the tab asks first. */
export function useDraft(key: string): [Draft, (change: (draft: Draft) => Draft) => void] {
  const draft = useSyncExternalStore(
    subscribe,
    () => drafts.get(key) ?? NO_DRAFT,
    () => NO_DRAFT,
  )
  const count = countOf(draft)
  const countRef = useRef(count)
  useEffect(() => {
    countRef.current = count
    if (count === 0) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [count])
  useEffect(
    () => () => {
      if (countRef.current > 0)
        toast.warning('Your secret changes are not saved yet. They are kept until you close or reload this tab.')
    },
    [],
  )
  const change = (make: (draft: Draft) => Draft) => {
    const next = make(drafts.get(key) ?? NO_DRAFT)
    if (countOf(next) === 0) drafts.delete(key)
    else drafts.set(key, next)
    for (const listener of listeners) listener()
  }
  return [draft, change]
}
