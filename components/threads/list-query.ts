import { readJsonFilter } from '@/components/shared/json/json-filter'
import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import { type ListDefinition, viewsOf } from '@/components/shared/list/list-definition'
import { THREAD_STATUSES } from '@/lib/contracts/wire/state'
import { isUuid } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type PageRequest, windowOf } from '@/lib/lists/anchored-page'
import { LIGHT_COLUMNS } from '@/lib/queries/threads'
import { THREAD_EXTRACT } from '@/lib/stream/thread-rows'

export const PAGE_SIZES = [25, 50, 100] as const

export const SORTS = [
  { value: 'updated_at-desc', label: 'Last changed first' },
  { value: 'state_updated_at-desc', label: 'Last state first' },
  { value: 'created_at-desc', label: 'Newest first' },
  { value: 'created_at-asc', label: 'Oldest first' },
  { value: 'updated_at-asc', label: 'Longest unchanged first' },
  { value: 'status-asc', label: 'By status' },
  { value: 'thread_id-asc', label: 'By id' },
] as const

export type FilterName = 'status' | 'graph' | 'assistant' | 'values' | 'ids'

const STATUS_LABELS: Record<string, string> = {
  idle: 'Idle',
  busy: 'Busy',
  interrupted: 'Needs input',
  error: 'Failed',
}

const valuesProblem = (text: string) => {
  const read = readJsonFilter(text, parseJson)
  return read && 'problem' in read ? read.problem : undefined
}

/** Every filter parameter of the API, except the search by id and metadata, which has its own field. */
export const FILTERS: readonly FilterDefinition<FilterName>[] = [
  {
    name: 'status',
    label: 'Status',
    choices: THREAD_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] ?? value })),
  },
  { name: 'graph', label: 'Graph', hint: 'Graph name' },
  { name: 'assistant', label: 'Assistant', hint: 'Assistant id' },
  { name: 'values', label: 'Values', hint: 'key:value or {"key": "value"}', problemOf: valuesProblem },
  { name: 'ids', label: 'Ids', isList: true, hint: 'Thread ids, separated by commas' },
]
export const NO_FILTER: Record<FilterName | 'q', string> = {
  q: '',
  status: '',
  graph: '',
  assistant: '',
  values: '',
  ids: '',
}

export type ThreadSearch = { ids?: string[]; metadata?: Record<string, unknown>; problem?: string }

/** Parses the search text: a thread id, metadata as JSON, or the shorthand `key:value`. */
export function readThreadSearch(text: string): ThreadSearch {
  const given = text.trim()
  if (isUuid(given)) return { ids: [given.toLowerCase()] }
  const read = readJsonFilter(given, parseJson)
  if (!read) return {}
  if ('value' in read) return { metadata: read.value }
  const isJson = given.startsWith('{')
  return {
    problem: isJson
      ? read.problem
      : 'Search by a whole thread id, by key:value of its metadata, or by metadata as JSON.',
  }
}

type Search = Pick<URLSearchParams, 'get'>

const valueIn = (name: FilterName, search: Search) =>
  filterValue(FILTERS.find((one) => one.name === name) ?? { name }, search)

/** The search for the page's URL, whether the server can count its results, and the page to cut from them. */
export function threadQueryOf(search: Search) {
  const { ids: one, metadata: searched, problem } = readThreadSearch(search.get('q') ?? '')
  const values = readJsonFilter(valueIn('values', search) ?? '', parseJson)
  const [graph, assistant] = [valueIn('graph', search), valueIn('assistant', search)]
  const status = THREAD_STATUSES.find((known) => known === valueIn('status', search))
  const ids = [...(one ?? []), ...(valueIn('ids', search)?.split(',') ?? [])]
  const metadata = { ...searched, ...(graph && { graph_id: graph }), ...(assistant && { assistant_id: assistant }) }
  const filters = {
    ...(status && { status }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(values && 'value' in values && { values: values.value }),
  }
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value ?? SORTS[0].value
  const [sortBy, order] = sort.split('-') as ['updated_at', 'asc' | 'desc'] // one of `SORTS`
  const page = pageRequestOf(search)
  const { from, count } = windowOf(page)
  return {
    problem,
    filters,
    page,
    // Servers cannot count by ids.
    isCounted: ids.length === 0,
    /** Newest change first, so that days make sense as headings. */
    isByDay: sort === SORTS[0].value,
    isFiltered: ids.length > 0 || Object.keys(filters).length > 0,
    body: {
      ...filters,
      ...(ids.length > 0 && { ids }),
      limit: count,
      offset: from,
      sort_by: sortBy,
      sort_order: order,
      select: LIGHT_COLUMNS,
      extract: THREAD_EXTRACT,
    },
  }
}

const MAX_PRESSING = 20

/** The search for threads that need input, which come first whatever their page. Undefined where the list has another order. */
export const pressingOf = ({ body, isByDay, isFiltered, page }: ReturnType<typeof threadQueryOf>) =>
  isByDay && !isFiltered && page.offset === 0
    ? { ...body, status: 'interrupted' as const, offset: 0, limit: MAX_PRESSING }
    : undefined

function pageRequestOf(search: Search): PageRequest {
  const offset = Number(search.get('offset') ?? 0)
  const size = Number(search.get('limit'))
  const anchors = (name: string) => search.get(name)?.split(',').filter(Boolean)
  const after = anchors('after')
  const before = anchors('before')
  return {
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0],
    ...(after?.length ? { after } : before?.length ? { before } : {}),
  }
}

export const threadList: ListDefinition = {
  noun: 'threads',
  search: { name: 'q', label: 'Search by id or metadata', className: 'sm:w-80' },
  sorts: SORTS,
  noFilter: NO_FILTER,
  savedViews: viewsOf('threads', NO_FILTER, ['sort', 'limit']),
}
