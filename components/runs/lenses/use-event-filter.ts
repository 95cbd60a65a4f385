'use client'
import { useSearchParams } from 'next/navigation'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import type { EventFilter } from './event-filter'

const REST_MS = 300

/** The event filter, kept in the URL. Typed text applies at once and reaches the URL after a short delay. */
export function useEventFilter() {
  const search = useSearchParams()
  const setSearch = useSetSearch({ isLocal: true })
  const given = search.get('q') ?? ''
  const [text, setText] = useState(given)
  const modes = search.get('mode') ?? ''
  const place = search.get('place') ?? ''
  const node = search.get('node') ?? ''
  const kept = useRef(given)
  useEffect(() => {
    kept.current = given
  }, [given])
  const keep = useCallback(
    (next: string) => {
      if (next === kept.current) return
      kept.current = next
      setText(next)
      setSearch({ q: next })
    },
    [setSearch],
  )
  useEffect(() => {
    const timer = setTimeout(keep, REST_MS, text)
    return () => clearTimeout(timer)
  }, [text, keep])
  const isFolded = search.get('chunks') !== 'all'
  const isNewestFirst = search.get('order') === 'newest'
  const [unfolded, unfold] = useState<ReadonlySet<string>>(new Set())
  const filter = useMemo(
    (): Omit<EventFilter, 'text'> => ({
      modes: modes === '' ? [] : modes.split(','),
      place,
      node,
      ...(isFolded && { unfolded }),
    }),
    [modes, place, node, isFolded, unfolded],
  )
  return {
    text,
    setText,
    /** Like `setText`, but updates the URL at once. */
    keep,
    filter,
    isNewestFirst,
    reverse: () => setSearch({ order: isNewestFirst ? '' : 'newest' }),
    isFolded,
    /** Folds the chunks of every message, or none. */
    foldAll: (isOn: boolean) => {
      unfold(new Set())
      setSearch({ chunks: isOn ? '' : 'all' })
    },
    /** Shows the chunks of one message each in a row, or folds them again. */
    setUnfolded: (key: string, isUnfolded: boolean) =>
      unfold((now) => new Set(isUnfolded ? [...now, key] : [...now].filter((one) => one !== key))),
    change: (change: { modes?: readonly string[]; place?: string; node?: string }) =>
      setSearch({
        ...(change.modes && { mode: change.modes.join(',') }),
        ...(change.place !== undefined && { place: change.place }),
        ...(change.node !== undefined && { node: change.node }),
      }),
  }
}
