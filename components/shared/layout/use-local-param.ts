'use client'
import { useSearchParams } from 'next/navigation'
import { useCallback, useEffect, useState } from 'react'
import { useSetSearch } from './use-set-search'

/**
 * A parameter of the URL that the server has no part in, such as what is selected; '' where it is absent. Setting it counts
 * at once: what Next.js says of the URL follows in a transition, and keys that are pressed quickly would act on the one before.
 */
export function useLocalParam(name: string): [value: string, set: (value: string) => void] {
  const search = useSearchParams()
  const setSearch = useSetSearch({ isLocal: true })
  const [value, setValue] = useState(search.get(name) ?? '')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` says when to look; the address itself is never behind
  useEffect(() => {
    setValue(new URLSearchParams(window.location.search).get(name) ?? '')
  }, [search, name])
  const set = useCallback(
    (next: string) => {
      setValue(next)
      setSearch({ [name]: next })
    },
    [name, setSearch],
  )
  return [value, set]
}
