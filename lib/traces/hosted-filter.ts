import { entryOf } from '@/lib/json/guards'
import { type Filter, FilterError, type FilterValue, parseFilter, printFilter } from './filter'

/** Where SDKs log fields that only the embedded platform has as such; hosted servers have them there. */
const IN_METADATA: Record<string, readonly string[]> = {
  model: ['ls_model_name'],
  provider: ['ls_provider'],
  thread_id: ['thread_id', 'session_id', 'conversation_id'],
}

/** Filters that hosted servers do not have, by field: they would match nothing, or everything. */
const NOT_THERE: Record<string, string> = { finish_reason: 'finish reason', cached_share: 'cached share' }
const STATUSES = new Set<unknown>(['cancelled', 'interrupted'])

/** What a filter asks that hosted servers cannot filter by, in words. */
export function unsupportedIn(text: string): string[] {
  try {
    return [...new Set(missing(parseFilter(text)))]
  } catch (error) {
    if (error instanceof FilterError) return []
    throw error
  }
}

function missing(filter: Filter): string[] {
  if (filter.op === 'search') return []
  if (filter.op === 'and' || filter.op === 'or' || filter.op === 'not') return filter.of.flatMap(missing)
  const { field, value } = filter as Extract<Filter, { field: string }> // the other operators are handled above
  if (field === 'status' && STATUSES.has(value)) return [`the status ${String(value)}`]
  return [entryOf(NOT_THERE, field)].filter((one) => one !== undefined)
}

/** Rewrites a filter for the fields of hosted tracing servers. An invalid one is left for the server to reject. */
export function hostedFilter(text: string): string {
  try {
    return printFilter(hosted(parseFilter(text)))
  } catch (error) {
    if (error instanceof FilterError) return text
    throw error
  }
}

function hosted(filter: Filter): Filter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { ...filter, of: filter.of.map(hosted) }
    case 'not':
      return { ...filter, of: [hosted(filter.of[0])] }
    case 'like':
    case 'eq': {
      const keys = entryOf(IN_METADATA, filter.field) ?? []
      // Metadata can only be compared as a whole, so a part of a name is taken for all of it.
      const value = filter.op === 'like' ? String(filter.value).replace(/^%|%$/g, '') : (filter.value as FilterValue) // `eq` compares with one value
      const of = keys.map((key) => inMetadata(key, value))
      const [first] = of
      return first ? (of.length === 1 ? first : { op: 'or', of }) : filter
    }
    default:
      return filter
  }
}

const inMetadata = (key: string, value: FilterValue): Filter => ({
  op: 'has',
  field: 'metadata',
  value: JSON.stringify({ [key]: value }),
})
