import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import { HEALTH_GROUPS, type HealthGroup, ROW_SORTS } from '@/lib/contracts/deployments/deployment-row'
import { DEPLOYMENT_STATUSES } from '@/lib/contracts/wire/state'
import type { RowsQuery } from '@/lib/queries/deployments'

/** Limited to keep the page below 2,000 elements. */
export const PAGE_SIZES = [20, 50] as const
export const PAGE_SIZE = PAGE_SIZES[0]

const DEPLOYMENT_TYPES = ['dev_free', 'dev', 'prod'] as const

export type FilterName = Exclude<keyof RowsQuery, 'limit' | 'offset' | 'sort' | 'after' | 'before'>
/** Of a number of deployments, and of a filter. */
export const HEALTH_LABELS: Record<HealthGroup, string> = {
  ok: 'healthy',
  failing: 'failing',
  progress: 'in progress',
  unknown: 'unknown',
}
const plain = (values: readonly string[]) => values.map((value) => ({ value, label: value }))

/** Every filter parameter of the API, except the search by name, which has its own field. */
export const FILTERS: readonly FilterDefinition<FilterName>[] = [
  {
    name: 'health',
    label: 'Health',
    choices: HEALTH_GROUPS.map((value) => ({ value, label: HEALTH_LABELS[value] })),
  },
  { name: 'status', label: 'Status', choices: plain(DEPLOYMENT_STATUSES), isOpen: true },
  { name: 'deployment_type', label: 'Type', choices: plain(DEPLOYMENT_TYPES) },
  { name: 'image_version', label: 'Image version' },
  {
    name: 'remote_reconciled',
    label: 'Rolled out by',
    choices: [
      { value: 'true', label: 'a listener' },
      { value: 'false', label: 'the control plane' },
    ],
  },
  { name: 'name', label: 'Exact name' },
  { name: 'tag_value_ids', label: 'Tag values', isList: true, hint: 'Ids, separated by commas' },
  { name: 'deployment_ids', label: 'Ids', isList: true, hint: 'Deployment ids, separated by commas' },
  { name: 'agent_id', label: 'Agent' },
  { name: 'agent_environment', label: 'Agent environment' },
]
const NAMES: readonly FilterName[] = ['name_contains', ...FILTERS.map(({ name }) => name)]

/** Lists only the deployments that the user marked, whose ids are not part of the URL. */
const FAVOURITES = 'favourites'
/** The filter parameters, all empty. */
export const NO_FILTER = Object.fromEntries([...NAMES, FAVOURITES].map((name) => [name, ''])) as Record<
  FilterName | typeof FAVOURITES,
  string
>
/** No deployment has it. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

type Search = Pick<URLSearchParams, 'get'>

const valueIn = (name: FilterName, search: Search) =>
  filterValue(FILTERS.find((one) => one.name === name) ?? { name }, search)

export const isFavouritesOnly = (search: Search): boolean => search.get(FAVOURITES) === '1'

/** The query for a page's URL. Invalid values are dropped, so that old links still work. */
export function listQueryOf(
  search: Search,
  favourites: readonly string[] = [],
): RowsQuery & { limit: number; offset: number } {
  const filters = NAMES.flatMap((name) => {
    const value = valueIn(name, search)
    return value === undefined ? [] : [[name, value]]
  })
  const offset = Number(search.get('offset') ?? 0)
  const size = Number(search.get('limit'))
  const sort = ROW_SORTS.find((one) => one === search.get('sort'))
  const after = search.get('after')
  const before = search.get('before')
  const named = valueIn('deployment_ids', search)?.split(',')
  const marked = favourites.filter((id) => !named || named.includes(id))
  return {
    ...(Object.fromEntries(filters) as Partial<Record<FilterName, string>> as RowsQuery), // checked against the choices
    ...(isFavouritesOnly(search) && { deployment_ids: marked.join(',') || NO_ID }),
    limit: PAGE_SIZES.some((one) => one === size) ? size : PAGE_SIZE,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    ...(sort && { sort }),
    ...(after ? { after } : before ? { before } : {}),
  }
}

export const isFiltered = (search: Search): boolean =>
  isFavouritesOnly(search) || NAMES.some((name) => valueIn(name, search) !== undefined)

/** The part of the URL that a saved view keeps: filters and page size, in a fixed order. */
export function viewQueryOf(search: Search): string {
  const kept = new URLSearchParams()
  for (const name of NAMES) {
    const value = valueIn(name, search)
    if (value !== undefined) kept.set(name, value)
  }
  if (isFavouritesOnly(search)) kept.set(FAVOURITES, '1')
  const { limit, sort } = listQueryOf(search)
  if (sort) kept.set('sort', sort)
  if (limit !== PAGE_SIZE) kept.set('limit', String(limit))
  return kept.toString()
}

export const deploymentList: ListDefinition = {
  noun: 'deployments',
  search: { name: 'name_contains', label: 'Search by name' },
  noFilter: NO_FILTER,
  savedViews: { page: 'deployments', params: ['sort', 'limit'], queryOf: viewQueryOf },
}
