import { readJsonFilter } from '@/components/shared/json/json-filter'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import { parseJson } from '@/lib/json/lossless'

export const PAGE = 25
export const SORTS = [
  { value: 'created_at-desc', label: 'Newest first' },
  { value: 'next_run_date-asc', label: 'Next run first' },
  { value: 'updated_at-desc', label: 'Last changed first' },
] as const

export const cronList: ListDefinition = {
  noun: 'crons',
  search: { name: 'q', label: 'Search metadata by key:value' },
  sorts: SORTS,
  noFilter: { q: '', state: '' },
}

type Search = Pick<URLSearchParams, 'get'>

/** The search for the page's URL, and whether the server can count its results. */
export function cronsQueryOf(search: Search) {
  const text = search.get('q')?.trim() ?? ''
  const read = readJsonFilter(text, parseJson)
  const problem = read && 'problem' in read ? `Search by metadata: ${read.problem}` : undefined
  const metadata = read && 'value' in read ? read.value : undefined
  const state = search.get('state')
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value ?? SORTS[0].value
  const [sortBy, order] = sort.split('-') as ['created_at', 'asc' | 'desc'] // one of `SORTS`
  const offset = Number(search.get('offset') ?? 0)
  const filters = metadata ? { metadata } : {}
  const isState = state === 'on' || state === 'off'
  return {
    problem,
    state: isState ? state : '',
    filters,
    // Servers search by state, but cannot count by it.
    isCounted: !isState,
    isFiltered: isState || metadata !== undefined,
    body: {
      ...filters,
      ...(isState && { enabled: state === 'on' }),
      limit: PAGE,
      offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
      sort_by: sortBy,
      sort_order: order,
    },
  }
}
