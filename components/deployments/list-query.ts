import { DEPLOYMENT_STATUSES } from '@/lib/contracts/state'
import type { RowsQuery } from '@/lib/queries/deployments'

export const PAGE_SIZES = [20, 50, 100] as const
export const PAGE_SIZE = PAGE_SIZES[0]

const DEPLOYMENT_TYPES = ['dev_free', 'dev', 'prod'] as const

export type FilterName = Exclude<keyof RowsQuery, 'limit' | 'offset' | 'after' | 'before'>
type Choice = { value: string; label: string }
export type FilterDefinition = {
  name: FilterName
  label: string
  /** What may be chosen; without it any text. */
  choices?: readonly Choice[]
  /** A choice that is none of those filters as well: servers may know more. */
  isOpen?: boolean
  /** Several values, separated by commas. */
  isList?: boolean
  hint?: string
}

const plain = (values: readonly string[]): Choice[] => values.map((value) => ({ value, label: value }))

/** Every parameter of the interface that narrows the list, but the search by name, which has a field of its own. */
export const FILTERS: readonly FilterDefinition[] = [
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

/** The URL's parameters that narrow the list, each empty. */
export const NO_FILTER = Object.fromEntries(NAMES.map((name) => [name, ''])) as Record<FilterName, string>

type Search = Pick<URLSearchParams, 'get'>

/** A filter's value as the API takes it, or undefined where it says nothing or cannot be used. */
function filterValue(name: FilterName, search: Search): string | undefined {
  const value = search.get(name)?.trim()
  if (!value) return undefined
  const known = FILTERS.find((one) => one.name === name)
  if (known?.isList)
    return (
      value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
        .join(',') || undefined
    )
  const isUsable = !known?.choices || known.isOpen || known.choices.some((choice) => choice.value === value)
  return isUsable ? value : undefined
}

/** A page's query for what its URL says. Unknown or unusable values are left out, so that no link is a dead end. */
export function listQueryOf(search: Search): RowsQuery & { limit: number; offset: number } {
  const filters = NAMES.flatMap((name) => {
    const value = filterValue(name, search)
    return value === undefined ? [] : [[name, value]]
  })
  const offset = Number(search.get('offset') ?? 0)
  const size = Number(search.get('limit'))
  const after = search.get('after')
  const before = search.get('before')
  return {
    ...(Object.fromEntries(filters) as Partial<Record<FilterName, string>> as RowsQuery), // checked against the choices
    limit: PAGE_SIZES.some((one) => one === size) ? size : PAGE_SIZE,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    ...(after ? { after } : before ? { before } : {}),
  }
}

export type Chip = { name: FilterName; label: string; value: string; text: string }

/** The filters of a URL but the search by name, in words. */
export const chipsOf = (search: Search): Chip[] =>
  FILTERS.flatMap(({ name, label, choices }) => {
    const value = filterValue(name, search)
    if (value === undefined) return []
    const text = choices?.find((choice) => choice.value === value)?.label ?? value.replaceAll(',', ', ')
    return [{ name, label, value, text }]
  })

export const isFiltered = (search: Search): boolean => NAMES.some((name) => filterValue(name, search) !== undefined)

/** What a saved view keeps of a URL: its filters and page size, always in the same order. */
export function viewQueryOf(search: Search): string {
  const kept = new URLSearchParams()
  for (const name of NAMES) {
    const value = filterValue(name, search)
    if (value !== undefined) kept.set(name, value)
  }
  const { limit } = listQueryOf(search)
  if (limit !== PAGE_SIZE) kept.set('limit', String(limit))
  return kept.toString()
}

/** A change of the URL that makes it show a view's filters and nothing else. */
export const toView = (query: string, view: string): Record<string, string> => ({
  ...NO_FILTER,
  limit: '',
  ...Object.fromEntries(new URLSearchParams(query)),
  view,
})

/** Marks a URL without filters as wanted so: the page then does not open its default view. */
export const ALL = 'all'
