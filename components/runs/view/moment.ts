'use client'
import { useSearchParams } from 'next/navigation'
import { useCallback } from 'react'
import { useSetSearch } from '@/components/shared/layout/use-set-search'

export const LENSES = ['transcript', 'steps', 'graph', 'state', 'events', 'request'] as const
export type Lens = (typeof LENSES)[number]

const LABELS: Record<Lens, string> = {
  transcript: 'Transcript',
  steps: 'Steps',
  graph: 'Graph',
  state: 'State',
  events: 'Events',
  request: 'Request',
}

/** Lenses as tabs. */
export const lensTabs = <L extends Lens>(lenses: readonly L[]) =>
  lenses.map((value) => ({ value, label: LABELS[value] }))

const isLens = (value: string | null): value is Lens => LENSES.some((lens) => lens === value)

/** The open lens and the selected log entry, both kept in the URL. `isDefault`: nobody has chosen the lens. */
export function useMoment() {
  const setSearch = useSetSearch({ isLocal: true })
  const search = useSearchParams()
  const given = search.get('lens')
  const lens: Lens = isLens(given) ? given : 'transcript'
  const at = Number(search.get('at'))
  const open = useCallback(
    (next: Lens, seq?: number, how?: 'replace' | 'push') =>
      setSearch(
        {
          lens: next,
          tab: '', // of a conversation's inspector
          ...(seq !== undefined && { at: String(seq) }),
        },
        how,
      ),
    [setSearch],
  )
  return { lens, isDefault: !isLens(given), at: Number.isSafeInteger(at) && at > 0 ? at : undefined, open }
}
