import { readJsonFilter } from '@/components/shared/json/json-filter'
import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import { type ListDefinition, viewsOf } from '@/components/shared/list/list-definition'
import { isUuid } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type FilterValue, filterText, type RunFilter } from '@/lib/traces/filter'
import { LIGHT_FIELDS } from '@/lib/traces/light-run'
import { readSpan } from './span'
import type { NamedProject } from './use-projects'

export const PAGE_SIZES = [25, 50, 100] as const

export type FilterName =
  | 'status'
  | 'type'
  | 'name'
  | 'model'
  | 'tag'
  | 'meta'
  | 'thread'
  | 'trace'
  | 'error'
  | 'latency'
  | 'tokens'

const TYPES = ['llm', 'chain', 'tool', 'retriever', 'embedding', 'prompt', 'parser']
const STATUSES = { success: 'Completed', error: 'Failed', pending: 'Running', interrupted: 'Interrupted' }
/** The statuses that servers store, and the one that only an error tells (`lightRun`). */
export const STATUS_LABELS: Record<string, string> = { ...STATUSES, cancelled: 'Cancelled' }

const rangeProblem = (text: string) => (readRange(text) ? undefined : 'Enter a range: >2, <0.5 or 1-3.')
const idProblem = (text: string) =>
  isUuid(text.trim()) ? undefined : 'Enter a full id, such as 0198c2f4-5a6b-7c8d-9e0f-1a2b3c4d5e6f.'
const metaProblem = (text: string) => {
  const read = readJsonFilter(text, parseJson)
  return read && 'problem' in read ? read.problem : undefined
}

export const FILTERS: readonly FilterDefinition<FilterName>[] = [
  {
    name: 'status',
    label: 'Status',
    choices: Object.entries(STATUSES).map(([value, label]) => ({ value, label })),
  },
  { name: 'type', label: 'Type', isOpen: true, choices: TYPES.map((value) => ({ value, label: value })) },
  { name: 'name', label: 'Name', hint: 'Part of the name' },
  { name: 'model', label: 'Model', hint: 'Exact name' },
  { name: 'tag', label: 'Tag', hint: 'Exact tag' },
  { name: 'meta', label: 'Metadata', hint: 'key:value or {"key": "value"}', problemOf: metaProblem },
  { name: 'thread', label: 'Thread', hint: 'Thread id' },
  { name: 'trace', label: 'Trace', hint: 'Trace id', problemOf: idProblem },
  { name: 'error', label: 'Error', hint: 'Part of the message' },
  { name: 'latency', label: 'Latency', hint: 'Seconds: >2, <0.5, 1-3', problemOf: rangeProblem },
  { name: 'tokens', label: 'Tokens', hint: '>1000, <50, 100-200', problemOf: rangeProblem },
]
export const projectFilter = (projects: readonly NamedProject[]): FilterDefinition => ({
  ...{ name: 'project', label: 'Project' },
  choices: projects.map(({ id, name }) => ({ value: id, label: name })),
})
export const NO_FILTER: Record<FilterName | 'q' | 'project', string> = {
  ...{ q: '', project: '', status: '', type: '', name: '', model: '', tag: '', meta: '', thread: '', error: '' },
  ...{ trace: '', latency: '', tokens: '' },
}

type Search = Pick<URLSearchParams, 'get'>
const valueIn = (name: FilterName, search: Search) =>
  filterValue(FILTERS.find((one) => one.name === name) ?? { name }, search)

/** Parses `>2`, `>=2`, `<5` or `2-5` as a minimum and maximum; undefined for anything else. */
export function readRange(text: string): { min?: number; max?: number } | undefined {
  const number = String.raw`(\d+(?:\.\d+)?)`
  const [, sign, one] = new RegExp(`^([<>])=?\\s*${number}$`).exec(text.trim()) ?? []
  if (one !== undefined) return sign === '>' ? { min: Number(one) } : { max: Number(one) }
  const [, min, max] = new RegExp(`^${number}\\s*[-–]\\s*${number}$`).exec(text.trim()) ?? []
  return min !== undefined && max !== undefined ? { min: Number(min), max: Number(max) } : undefined
}

function askedOf(search: Search): RunFilter {
  const meta = readJsonFilter(valueIn('meta', search) ?? '', parseJson)
  const latency = readRange(valueIn('latency', search) ?? '')
  const tokens = readRange(valueIn('tokens', search) ?? '')
  const text = search.get('q')?.trim()
  return {
    status: valueIn('status', search),
    name: valueIn('name', search),
    model: valueIn('model', search),
    tag: valueIn('tag', search),
    thread: valueIn('thread', search),
    error: valueIn('error', search),
    ...(meta && 'value' in meta && { metadata: meta.value as Record<string, FilterValue> }), // any JSON value can be compared
    ...(text && { text }),
    ...(latency && { minLatency: latency.min, maxLatency: latency.max }),
    ...(tokens && { minTokens: tokens.min, maxTokens: tokens.max }),
  }
}

/** The requests for a page's URL: a page of runs, their totals, and the totals of their model calls. */
export function traceQueryOf(search: Search, sessions: readonly string[], now: number) {
  const span = readSpan(search, now)
  // Runs of one type, such as model calls, are rarely root runs, so a type selects all runs.
  const type = valueIn('type', search)
  const isRoots = search.get('runs') !== 'all' && !type
  const filter = filterText(askedOf(search))
  const trail = search.get('after')?.split(',').filter(Boolean) ?? []
  const size = PAGE_SIZES.find((one) => one === Number(search.get('limit'))) ?? PAGE_SIZES[0]
  const given = valueIn('trace', search)?.trim()
  const trace = given && isUuid(given) ? given : undefined
  const chosen = sessions.filter((one) => one === search.get('project'))
  const place = {
    ...{ session: chosen.length > 0 ? chosen : [...sessions], start_time: span.from },
    ...(span.to && { end_time: span.to }),
    ...(trace && { trace }),
  }
  const which = { ...(isRoots && { is_root: true }), ...(type && { run_type: type }), ...(filter && { filter }) }
  const cursor = trail.at(-1)
  const bucket_seconds = span.step
  return {
    span,
    isRoots,
    isFiltered: !!filter || !!type || !!trace || chosen.length > 0,
    trail,
    size,
    runs: {
      ...place,
      ...which,
      limit: size,
      select: [...LIGHT_FIELDS, 'inputs_preview'],
      ...(cursor && { cursor }),
    },
    totals: { ...place, ...which, bucket_seconds },
    /** Tokens and costs are recorded on model runs, so for root runs they are requested separately. */
    models: {
      ...place,
      ...(isRoots ? { run_type: 'llm', ...(filter && { trace_filter: filter }) } : which),
      ...{ bucket_seconds, model_usage: true, other_costs: type !== 'llm' },
    },
  }
}

export const traceList: ListDefinition = {
  noun: 'traces',
  search: { name: 'q', label: 'Search traces' },
  noFilter: NO_FILTER,
  savedViews: viewsOf('traces', NO_FILTER, ['runs', 'since', 'from', 'to', 'limit']),
}
