'use client'
import { useSearchParams } from 'next/navigation'
import { useCallback, useEffect, useState } from 'react'
import { useSetSearch } from './use-set-search'

/**
 * A URL parameter that the server ignores, such as a selection; '' if absent. Setting it applies at once, because Next.js
 * updates the URL in a transition and a quick second key press would see the old value.
 */
export function useLocalParam(name: string): [value: string, set: (value: string, how?: 'replace' | 'push') => void] {
  const search = useSearchParams()
  const setSearch = useSetSearch({ isLocal: true })
  const [value, setValue] = useState(search.get(name) ?? '')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` only triggers the read; `window.location` is never stale
  useEffect(() => {
    const read = () => setValue(new URLSearchParams(window.location.search).get(name) ?? '')
    read()
    // Going back at once leads to a query that was never left, as far as Next.js knows.
    window.addEventListener('popstate', read)
    return () => window.removeEventListener('popstate', read)
  }, [search, name])
  const set = useCallback(
    (next: string, how?: 'replace' | 'push') => {
      setValue(next)
      setSearch({ [name]: next }, how)
    },
    [name, setSearch],
  )
  return [value, set]
}
