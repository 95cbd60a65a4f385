'use client'
import type { Route } from 'next'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useCallback, useEffect, useRef } from 'react'
import { withBasePath } from '@/lib/base-path'

/** The last requested query and the URL at that time. The URL changes only after the server has responded. */
let asked = { path: '', at: '', wanted: '' }
const forget = () => {
  asked = { path: '', at: '', wanted: '' }
}
const placeOf = (path: string, search: { toString(): string }) => `${path}?${search}`

/** The query including a pending change, so that two quick changes do not undo each other. */
export function comingSearch(path: string, search: { toString(): string }): URLSearchParams {
  return new URLSearchParams(asked.at === placeOf(path, search) ? asked.wanted : search.toString())
}

/**
 * Changes the URL's query. Empty values remove their parameter; the page (`offset`, `after`, `before`) resets unless it is
 * part of the change. `isLocal`: for parameters that the server ignores, such as a tab. With `push`, going back undoes the
 * change.
 */
export function useSetSearch({ isLocal = false } = {}) {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const place = placeOf(path, search)
  // A change may be asked for by an earlier render, such as that of a text that was typed a moment ago.
  const latest = useRef({ path, search })
  latest.current = { path, search }
  // Another address was rendered: the change arrived or was left, and must not come back with the first one.
  useEffect(() => {
    if (asked.at !== place) forget()
  }, [place])
  useEffect(
    () => () => {
      if (withBasePath(asked.path) !== window.location.pathname) forget()
    },
    [],
  )
  return useCallback(
    (change: Record<string, string>, how: 'replace' | 'push' = 'replace') => {
      const { path, search } = latest.current
      // A local change is in the address before a render knows it.
      const next = comingSearch(path, isLocal ? new URLSearchParams(window.location.search) : search)
      for (const name of ['offset', 'after', 'before']) if (!isLocal && !(name in change)) next.delete(name)
      for (const [name, value] of Object.entries(change)) {
        if (value) next.set(name, value)
        else next.delete(name)
      }
      const query = next.toString()
      const url = query ? `${path}?${query}` : path
      if (isLocal) window.history[`${how}State`](null, '', withBasePath(url) + window.location.hash)
      else {
        asked = { path, at: placeOf(path, search), wanted: query }
        router[how](url as Route, { scroll: false })
      }
    },
    [router, isLocal],
  )
}
