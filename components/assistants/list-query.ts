import { readJsonFilter } from '@/components/shared/json/json-filter'
import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import { type ListDefinition, viewsOf } from '@/components/shared/list/list-definition'
import { parseJson } from '@/lib/json/lossless'

export const PAGE_SIZES = [50, 100] as const

export const SORTS = [
  { value: 'updated_at-desc', label: 'Last changed first' },
  { value: 'created_at-desc', label: 'Newest first' },
  { value: 'created_at-asc', label: 'Oldest first' },
  { value: 'name-asc', label: 'By name' },
  { value: 'graph_id-asc', label: 'By graph' },
] as const
type Sort = (typeof SORTS)[number]['value']

export type FilterName = 'graph' | 'metadata' | 'kind'

const problemOf = (text: string) => {
  const read = readJsonFilter(text, parseJson)
  return read && 'problem' in read ? read.problem : undefined
}

export const filtersFor = (graphs: readonly string[]): FilterDefinition<FilterName>[] => [
  { name: 'graph', label: 'Graph', choices: graphs.map((value) => ({ value, label: value })), isOpen: true },
  { name: 'metadata', label: 'Metadata', hint: 'key:value or {"key": "value"}', problemOf },
  {
    name: 'kind',
    label: 'Kind',
    choices: [{ value: 'default', label: 'default, made by the server' }],
  },
]
export const NO_FILTER: Record<FilterName | 'name', string> = { name: '', graph: '', metadata: '', kind: '' }

type Search = Pick<URLSearchParams, 'get'>

/**
 * The search for the page's URL, and the filters for counting. Invalid values are dropped, so that old links still work.
 */
export function assistantQueryOf(search: Search) {
  const valueIn = (name: string) => filterValue(filtersFor([]).find((one) => one.name === name) ?? { name }, search)
  const read = readJsonFilter(valueIn('metadata') ?? '', parseJson)
  const metadata: Record<string, unknown> = {
    ...(read && 'value' in read ? read.value : {}),
    ...(valueIn('kind') === 'default' && { created_by: 'system' }),
  }
  const [name, graph] = [valueIn('name'), valueIn('graph')]
  const filters = {
    ...(name && { name }),
    ...(graph && { graph_id: graph }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value ?? SORTS[0].value
  const [sortBy, order] = sort.split('-') as [Split<Sort>, 'asc' | 'desc'] // one of `SORTS`
  const offset = Number(search.get('offset') ?? 0)
  const size = Number(search.get('limit'))
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    body: {
      ...filters,
      limit: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0],
      offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
      sort_by: sortBy,
      sort_order: order,
    },
  }
}
type Split<S> = S extends `${infer By}-${string}` ? By : never

export const assistantList: ListDefinition = {
  noun: 'assistants',
  search: { name: 'name', label: 'Search by name' },
  sorts: SORTS,
  noFilter: NO_FILTER,
  savedViews: viewsOf('assistants', NO_FILTER, ['sort', 'limit']),
}
