'use client'
import type { Route } from 'next'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useCallback } from 'react'

/** The query that was asked for last and what the URL had then: the URL follows only once the server has answered. */
let asked = { at: '', wanted: '' }
const placeOf = (path: string, search: { toString(): string }) => `${path}?${search}`

/** The query as it will be when what was asked for is there; two changes at once must not undo each other. */
export function comingSearch(path: string, search: { toString(): string }): URLSearchParams {
  return new URLSearchParams(asked.at === placeOf(path, search) ? asked.wanted : search.toString())
}

/**
 * Changes the URL's query; an empty value leaves its parameter out, and a list goes back to its first page (`offset`,
 * `after`, `before`) unless those are what changed. `isLocal`: for what the server has no part in, such as a tab.
 */
export function useSetSearch({ isLocal = false } = {}) {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  return useCallback(
    (change: Record<string, string>) => {
      const next = comingSearch(path, search)
      for (const name of ['offset', 'after', 'before']) if (!isLocal && !(name in change)) next.delete(name)
      for (const [name, value] of Object.entries(change)) {
        if (value) next.set(name, value)
        else next.delete(name)
      }
      const query = next.toString()
      const url = query ? `${path}?${query}` : path
      if (isLocal) window.history.replaceState(null, '', url)
      else {
        asked = { at: placeOf(path, search), wanted: query }
        router.replace(url as Route, { scroll: false })
      }
    },
    [router, path, search, isLocal],
  )
}
