'use client'
import { usePathname, useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import { comingSearch, useSetSearch } from '@/components/shared/layout/use-set-search'
import { deleteView, saveView, updateView } from '@/lib/actions/saved-views'
import type { SavedView } from '@/lib/lists/saved'
import { type ListDefinition, viewChange } from './list-definition'
import type { SavedViewsProps } from './views/view-types'

/** Marks a URL without filters as intended, so that the page does not switch to its default view. */
const ALL = 'all'

export type List = {
  definition: ListDefinition
  search: URLSearchParams
  /** Changes the URL's query and returns to the first page. */
  set: (change: Record<string, string>) => void
  /** The filters in the URL as text. The selection is cleared when it changes. */
  filterText: string
  clearFilters: () => void
  savedViews: SavedViewsProps | undefined
}

/** The state of a list, all of it in the URL. `saved`: the user's views of the list. */
export function useList(definition: ListDefinition, saved?: { workspace: string; views: readonly SavedView[] }): List {
  const { noun, noFilter, savedViews: kept } = definition
  const path = usePathname()
  const search = useSearchParams()
  const setSearch = useSetSearch()
  const [views, setViews] = useState(saved?.views ?? [])
  const filterText = kept?.queryOf(search) ?? ''
  const set = (change: Record<string, string>) => {
    const next = new URLSearchParams({ ...Object.fromEntries(comingSearch(path, search)), ...change })
    const isBare = kept?.queryOf(next) === '' && !next.get('view')
    setSearch(isBare && views.some((view) => view.isDefault) ? { ...change, view: ALL } : change)
  }
  const workspace = saved?.workspace
  const page = kept?.page
  const actions = useMemo(() => {
    if (workspace === undefined || page === undefined) return undefined
    const place = { workspace, page }
    return {
      save: (view: { name: string; query: string }) => saveView({ ...place, ...view }),
      update: (view: { id: string; name?: string; query?: string; isDefault?: boolean; isShared?: boolean }) =>
        updateView({ ...place, ...view }),
      remove: (view: { id: string }) => deleteView({ ...place, ...view }),
    }
  }, [workspace, page])
  return {
    definition,
    search,
    set,
    filterText,
    clearFilters: () => set({ ...noFilter, view: '' }),
    savedViews: actions && {
      noun,
      actions,
      views,
      current: views.find(({ id }) => id === search.get('view')),
      query: filterText,
      onViews: setViews,
      onOpen: (view) => set(viewChange(definition, view)),
    },
  }
}
