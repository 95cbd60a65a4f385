import type { SavedView } from '@/lib/lists/saved'

/** The lists that support saved views. */
export type ViewsPage = 'deployments' | 'assistants' | 'threads' | 'runs' | 'all-runs' | 'traces'

/** A list's URL parameters, as plain data used by both the server (to prefetch) and the browser. */
export type ListDefinition = {
  /** The items in the plural: "threads". */
  noun: string
  search?: { name: string; label: string; className?: string }
  /** The sort orders, the default first. */
  sorts?: readonly { value: string; label: string }[]
  /** The filter parameters, all empty. */
  noFilter: Readonly<Record<string, string>>
  savedViews?: {
    page: ViewsPage
    /** Other parameters that a view keeps, such as order and page size. */
    params: readonly string[]
    queryOf: (search: Search) => string
  }
}
type Search = Pick<URLSearchParams, 'get'>

/** The cursors of the pages that were visited; the last one is the current page's, and none is the first page's. */
export const cursorTrail = (search: Search): string[] => search.get('after')?.split(',').filter(Boolean) ?? []

/** Saved views that keep the given URL parameters, in a fixed order. */
export function viewsOf(
  page: ViewsPage,
  noFilter: Readonly<Record<string, string>>,
  params: readonly string[],
): NonNullable<ListDefinition['savedViews']> {
  const names = [...Object.keys(noFilter), ...params]
  const queryOf = (search: Search) => {
    const values = names.map((name) => [name, search.get(name)?.trim() ?? ''])
    return new URLSearchParams(values.filter(([, value]) => value) as [string, string][]).toString()
  }
  return { page, params, queryOf }
}

/** The URL change that shows a view, or the unfiltered list without one. The page size stays if the view has none. */
export function viewChange({ noFilter, savedViews }: ListDefinition, view?: Pick<SavedView, 'id' | 'query'>) {
  const params = savedViews?.params.filter((name) => view || name !== 'limit') ?? []
  return {
    ...noFilter,
    ...Object.fromEntries(params.map((name) => [name, ''])),
    ...Object.fromEntries(new URLSearchParams(view?.query)),
    view: view?.id ?? '',
  }
}
