import type { SavedView } from '@/lib/lists/saved-views'

/** The lists whose views are saved. */
export type ViewsPage = 'deployments' | 'assistants' | 'threads' | 'runs' | 'all-runs' | 'traces'

/** A list as its URL describes it: plain data, read by the server (to prefetch) and the browser alike. */
export type ListDefinition = {
  /** What is listed, in the plural: "threads". */
  noun: string
  search?: { name: string; label: string; className?: string }
  /** The orders to choose from, the default first. */
  sorts?: readonly { value: string; label: string }[]
  /** Every parameter that narrows the list, each empty. */
  noFilter: Readonly<Record<string, string>>
  savedViews?: {
    page: ViewsPage
    /** What else a view keeps, such as order and page size. */
    params: readonly string[]
    queryOf: (search: Search) => string
  }
}
type Search = Pick<URLSearchParams, 'get'>

/** Views that keep the given parameters as they stand in the URL, always in the same order. */
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

/** The change of the URL that shows a view and nothing else, or the list without any. The page size outlives a view. */
export function viewChange({ noFilter, savedViews }: ListDefinition, view?: Pick<SavedView, 'id' | 'query'>) {
  const params = savedViews?.params.filter((name) => view || name !== 'limit') ?? []
  return {
    ...noFilter,
    ...Object.fromEntries(params.map((name) => [name, ''])),
    ...Object.fromEntries(new URLSearchParams(view?.query)),
    view: view?.id ?? '',
  }
}
