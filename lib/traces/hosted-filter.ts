import { entryOf } from '@/lib/json/guards'
import { type Filter, FilterError, type FilterValue, parseFilter, printFilter } from './filter'

/** Where SDKs log fields that only the embedded platform has as such; hosted servers have them there. */
const IN_METADATA: Record<string, readonly string[]> = {
  model: ['ls_model_name'],
  provider: ['ls_provider'],
  thread_id: ['thread_id', 'session_id', 'conversation_id'],
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
    case 'eq': {
      const keys = entryOf(IN_METADATA, filter.field) ?? []
      const of = keys.map((key) => inMetadata(key, filter.value as FilterValue)) // `eq` compares with one value
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
