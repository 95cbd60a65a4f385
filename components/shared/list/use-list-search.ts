'use client'
import { usePathname, useSearchParams } from 'next/navigation'
import { comingSearch, useSetSearch } from '@/components/shared/layout/use-set-search'
import type { SavedView } from '@/lib/lists/saved-views'

/** Marks a URL without filters as wanted so: the page then does not open its default view. */
const ALL = 'all'

/** As `useSetSearch`, for a list with saved views: a URL that loses its last filter says that all are wanted. */
export function useListSearch(views: readonly SavedView[], viewQueryOf: (search: URLSearchParams) => string) {
  const path = usePathname()
  const search = useSearchParams()
  const setSearch = useSetSearch()
  return (change: Record<string, string>) => {
    const next = new URLSearchParams({ ...Object.fromEntries(comingSearch(path, search)), ...change })
    const isBare = viewQueryOf(next) === '' && !next.get('view')
    setSearch(isBare && views.some((view) => view.isDefault) ? { ...change, view: ALL } : change)
  }
}
