import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import { cursorTrail, type ListDefinition, viewsOf } from '@/components/shared/list/list-definition'
import { timeFilters } from '@/components/shared/list/time-filters'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import { DEPTHS, type StatusGroup } from '@/lib/contracts/agents/run-row'
import { isDefault } from '@/lib/queries/assistants'

type Search = Pick<URLSearchParams, 'get'>

export const PAGE_SIZES = [25, 50, 100] as const

/** How many rows a page has. */
export const pageSizeOf = (search: Search) =>
  PAGE_SIZES.find((one) => String(one) === search.get('limit')) ?? PAGE_SIZES[0]

export type FilterName = 'status' | 'source' | 'assistant' | 'deployment' | 'thread' | 'by' | 'since' | 'until'

export const STATUS_LABELS: Record<StatusGroup, string> = {
  active: 'Running',
  waiting: 'Needs input',
  success: 'Finished',
  failed: 'Failed',
  stopped: 'Stopped',
  unknown: 'Unknown',
}

/** The filters of the list. `assistants`: those of the deployment, as far as they are known. */
export function filtersOf(isWorkspace: boolean, assistants: readonly Assistant[] = []): FilterDefinition<FilterName>[] {
  const graphs = assistants.filter(isDefault)
  const made = assistants.filter((one) => !isDefault(one))
  return [
    {
      name: 'status',
      label: 'Status',
      choices: Object.entries(STATUS_LABELS).map(([value, label]) => ({ value, label })),
    },
    {
      name: 'source',
      label: 'Started',
      choices: [
        { value: 'recorded', label: 'recorded' },
        { value: 'elsewhere', label: 'elsewhere, not recorded' },
      ],
    },
    {
      name: 'assistant',
      label: 'Assistant',
      hint: 'Assistant id or graph name',
      ...(!isWorkspace &&
        assistants.length > 0 && {
          isOpen: true,
          choices: [
            ...graphs.map((one) => ({ value: one.graph_id, label: `Graph ${one.graph_id}` })),
            ...made.map((one) => ({ value: one.assistant_id, label: one.name || one.assistant_id })),
          ],
        }),
    },
    ...(isWorkspace ? [{ name: 'deployment' as const, label: 'Deployment', hint: 'Deployment id' }] : []),
    { name: 'thread', label: 'Thread', hint: 'Thread id' },
    { name: 'by', label: 'Started by', hint: 'Part of an e-mail address, or API, Cron' },
    ...timeFilters,
  ]
}

export const NO_FILTER: Record<FilterName | 'q', string> = {
  q: '',
  status: '',
  source: '',
  assistant: '',
  deployment: '',
  thread: '',
  by: '',
  since: '',
  until: '',
}

/** The URL's query as API parameters; invalid values are omitted. */
export function runRowsQueryOf(search: Search, deploymentId?: string): Record<string, string | number> {
  const query: Record<string, string | number> = { limit: pageSizeOf(search) }
  for (const filter of filtersOf(deploymentId === undefined)) {
    const value = filterValue(filter, search)
    if (value !== undefined && filter.problemOf?.(value) === undefined) query[filter.name] = value.slice(0, 300)
  }
  if (deploymentId !== undefined) query.deployment = deploymentId
  const text = search.get('q')?.trim()
  if (text) query.text = text.slice(0, 300)
  const depth = DEPTHS.find((one) => String(one) === search.get('depth'))
  if (depth && depth !== DEPTHS[0]) query.depth = depth
  const after = cursorTrail(search).at(-1)
  if (after) query.after = after
  return query
}

/** The same runs for the histogram, which has no pages. `zone`: minutes that the clock of the reader is ahead of UTC. */
export function histogramQueryOf(query: ReturnType<typeof runRowsQueryOf>, zone: number) {
  const { limit: _limit, after: _after, ...filters } = query
  return { ...filters, zone }
}

export const isFiltered = (search: Search): boolean => Object.keys(NO_FILTER).some((name) => search.get(name)?.trim())

export const workspaceRunList: ListDefinition = {
  noun: 'runs',
  search: { name: 'q', label: 'Search input, output, error or id', className: 'sm:w-80' },
  noFilter: NO_FILTER,
  savedViews: viewsOf('all-runs', NO_FILTER, ['depth', 'limit']),
}
export const runList: ListDefinition = {
  ...workspaceRunList,
  savedViews: viewsOf('runs', NO_FILTER, ['depth', 'limit']),
}
