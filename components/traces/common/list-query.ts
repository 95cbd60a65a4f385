import { readJsonFilter } from '@/components/shared/json/json-filter'
import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import { cursorTrail, type ListDefinition, viewsOf } from '@/components/shared/list/list-definition'
import { TRACE_FACETS } from '@/lib/contracts/traces/groups'
import type { CostFilter, TraceTotals } from '@/lib/contracts/traces/run-queries'
import { isUuid } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type PriceBook, wholePrice } from '@/lib/traces/cost'
import { type FilterValue, filterText, type RunFilter } from '@/lib/traces/filter'
import { FINISH_KINDS } from '@/lib/traces/finish'
import { LIGHT_FIELDS } from '@/lib/traces/light-run'
import { finishKindLabel } from './finish-text'
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
  | 'provider'
  | 'finish'
  | 'cached'
  | 'cost'

const TYPES = ['llm', 'chain', 'tool', 'retriever', 'embedding', 'prompt', 'parser']
const STATUSES = {
  success: 'Finished',
  error: 'Failed',
  pending: 'Running',
  interrupted: 'Interrupted',
  cancelled: 'Cancelled',
}
export const STATUS_LABELS: Record<string, string> = STATUSES

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
  { name: 'model', label: 'Model', hint: 'Part of the name; hosted tracing servers want all of it' },
  { name: 'provider', label: 'Provider', hint: 'Such as openai' },
  {
    name: 'finish',
    label: 'Finish reason',
    choices: FINISH_KINDS.map((value) => ({ value, label: finishKindLabel(value) })),
  },
  { name: 'tag', label: 'Tag', hint: 'Exact tag' },
  { name: 'meta', label: 'Metadata', hint: 'key:value or {"key": "value"}', problemOf: metaProblem },
  { name: 'thread', label: 'Thread', hint: 'Thread id' },
  { name: 'trace', label: 'Trace', hint: 'Trace id', problemOf: idProblem },
  { name: 'error', label: 'Error', hint: 'Part of the message' },
  { name: 'latency', label: 'Latency', hint: 'Seconds: >2, <0.5, 1-3', problemOf: rangeProblem },
  { name: 'tokens', label: 'Tokens', hint: '>1000, <50, 100-200', problemOf: rangeProblem },
  { name: 'cost', label: 'Cost', hint: 'Dollars: >0.5, <0.01, 1-3', problemOf: rangeProblem },
  { name: 'cached', label: 'Cached input', hint: 'Percent: >50, <10', problemOf: rangeProblem },
]
/** The filters of a list of `projects`, or of one, with values to suggest once they are known. */
export function filtersWith(
  projects: readonly NamedProject[] | undefined,
  known: TraceTotals['facets'],
): readonly FilterDefinition[] {
  const valuesOf = (name: string) => {
    const facet = TRACE_FACETS.find((one) => one === name)
    return facet && known?.[facet] && [...new Set(known[facet].map(({ value }) => value))]
  }
  const filters = FILTERS.map((filter) => ({ ...filter, suggestions: valuesOf(filter.name) }))
  const choices = projects?.map(({ id, name }) => ({ value: id, label: name }))
  return choices ? [{ name: 'project', label: 'Project', choices }, ...filters] : filters
}
export const NO_FILTER: Record<FilterName | 'q' | 'project', string> = {
  ...{ q: '', project: '', status: '', type: '', name: '', model: '', tag: '', meta: '', thread: '', error: '' },
  ...{ trace: '', latency: '', tokens: '', provider: '', finish: '', cached: '', cost: '' },
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
    tag: valueIn('tag', search),
    thread: valueIn('thread', search),
    error: valueIn('error', search),
    ...(meta && 'value' in meta && { metadata: meta.value as Record<string, FilterValue> }), // any JSON value can be compared
    ...(text && { text }),
    ...(latency && { minLatency: latency.min, maxLatency: latency.max }),
    ...(tokens && { minTokens: tokens.min, maxTokens: tokens.max }),
  }
}

/** What is asked of the model calls, which a root only has below it. */
function askedOfCalls(search: Search): RunFilter {
  const cached = readRange(valueIn('cached', search) ?? '')
  return {
    model: valueIn('model', search),
    provider: valueIn('provider', search),
    finish: valueIn('finish', search),
    ...(cached?.min !== undefined && { minCached: cached.min / 100 }),
    ...(cached?.max !== undefined && { maxCached: cached.max / 100 }),
  }
}

/** The limits of the cost in a URL. The request needs prices too, because most runs are logged without a cost. */
export const costRangeOf = (search: Search) => readRange(valueIn('cost', search) ?? '')

/** The requests for a page's URL: a page of runs, their totals, and the totals of their model calls. */
export function traceQueryOf(search: Search, sessions: readonly string[], now: number, prices: CostPrices = []) {
  const span = readSpan(search, now)
  // Runs of one type, such as model calls, are rarely root runs, so a type selects all runs.
  const type = valueIn('type', search)
  const isRoots = search.get('runs') !== 'all' && !type
  const ofCalls = askedOfCalls(search)
  const filter = filterText({ ...askedOf(search), ...(!isRoots && ofCalls) })
  const below = isRoots ? filterText(ofCalls) : undefined
  const range = costRangeOf(search)
  const trail = cursorTrail(search)
  const size = PAGE_SIZES.find((one) => one === Number(search.get('limit'))) ?? PAGE_SIZES[0]
  const given = valueIn('trace', search)?.trim()
  const trace = given && isUuid(given) ? given : undefined
  const chosen = sessions.filter((one) => one === search.get('project'))
  const place = {
    ...{ session: chosen.length > 0 ? chosen : [...sessions], start_time: span.from },
    ...(span.to && { end_time: span.to }),
    ...(trace && { trace }),
    ...(below && { tree_filter: `and(${OF_MODEL_CALLS}, ${below})` }),
  }
  const cost = range && { cost: { ...range, prices: [...prices] } }
  const costOfTrace = cost && { cost: { ...cost.cost, is_of_trace: true } }
  const which = {
    ...(isRoots && { is_root: true }),
    ...(type && { run_type: type }),
    ...(filter && { filter }),
    ...cost,
  }
  const cursor = trail.at(-1)
  const bucket_seconds = span.step
  return {
    span,
    isRoots,
    isFiltered: !!filter || !!below || !!range || !!type || !!trace || chosen.length > 0,
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
      ...(isRoots ? { is_model: true, ...(filter && { trace_filter: filter }), ...costOfTrace } : which),
      ...{ bucket_seconds, model_usage: true, other_costs: type !== 'llm' },
    },
  }
}

const OF_MODEL_CALLS = 'or(eq(run_type, "llm"), eq(run_type, "embedding"))'

type CostPrices = CostFilter['prices']

/** The prices of the models that a server has logged, as it applies them to find runs by cost. */
export const costPrices = (
  models: readonly { value: string; provider?: string | null | undefined }[],
  book: PriceBook | undefined,
): CostPrices =>
  models.flatMap(({ value, provider }) =>
    (book?.pricesOf(value, provider) ?? []).map((price) => {
      const { input, output, reasoning, cachedInput, cacheWrite, cacheWrite1h } = wholePrice(price)
      return {
        ...{ model: value, provider: provider ?? null, valid_from: price.validFrom },
        ...{ input, output, reasoning, cache_read: cachedInput, cache_write: cacheWrite, cache_write_1h: cacheWrite1h },
      }
    }),
  )

export const traceList: ListDefinition = {
  noun: 'traces',
  search: { name: 'q', label: 'Search traces' },
  noFilter: NO_FILTER,
  savedViews: viewsOf('traces', NO_FILTER, ['runs', 'group', 'since', 'from', 'to', 'limit']),
}
