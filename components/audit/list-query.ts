import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import { timeFilters } from '@/components/shared/list/time-filters'
import { AUDIT_GROUPS } from '@/lib/contracts/audit/actions'
import { AUDIT_ABOUT } from '@/lib/contracts/audit/audit-row'
import { AUDIT_OUTCOMES } from '@/lib/contracts/audit/sentence'

type FilterName = 'about' | 'group' | 'outcome' | 'deployment' | 'since' | 'until'
const choicesOf = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))

/**
 * The filters of the trail. `deployments`: ids and names, as far as they are known. `hasConsole`: the reader may see what
 * concerns no workspace.
 */
export const auditFilters = (
  deployments: readonly { id: string; name: string }[] = [],
  hasConsole = true,
): FilterDefinition<FilterName>[] => [
  ...(hasConsole ? [{ name: 'about' as const, label: 'About', choices: choicesOf(AUDIT_ABOUT) }] : []),
  { name: 'group', label: 'Action', choices: choicesOf(AUDIT_GROUPS) },
  { name: 'outcome', label: 'Outcome', choices: choicesOf(AUDIT_OUTCOMES) },
  {
    name: 'deployment',
    label: 'Deployment',
    hint: 'Deployment id',
    ...(deployments.length > 0 && {
      isOpen: true,
      choices: deployments.map(({ id, name }) => ({ value: id, label: name })),
    }),
  },
  ...timeFilters,
]

const NO_FILTER: Record<FilterName | 'by', string> = {
  ...{ by: '', about: '', group: '', outcome: '', deployment: '', since: '', until: '' },
}

export const auditList: ListDefinition = {
  noun: 'actions',
  search: { name: 'by', label: 'Search by person', className: 'sm:w-72' },
  noFilter: NO_FILTER,
}

type Search = Pick<URLSearchParams, 'get'>

/** The filters in the URL as API parameters; invalid values are omitted. */
export function auditFilterOf(search: Search): Record<string, string> {
  const query: Record<string, string> = {}
  for (const filter of auditFilters()) {
    const value = filterValue(filter, search)
    if (value !== undefined && filter.problemOf?.(value) === undefined) query[filter.name] = value.slice(0, 300)
  }
  const by = search.get('by')?.trim()
  if (by) query.by = by.slice(0, 300)
  return query
}

/** The page in the URL: `auditFilterOf` and where the page begins. */
export function auditQueryOf(search: Search): Record<string, string> {
  const before = Number(search.get('before'))
  return { ...auditFilterOf(search), ...(Number.isSafeInteger(before) && before > 0 && { before: String(before) }) }
}
