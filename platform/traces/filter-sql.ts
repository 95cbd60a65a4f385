import { type SQL, sql } from 'drizzle-orm'
import { timeOf } from '@/lib/traces/facts'
import { type Filter, FilterError, parseFilter } from '@/lib/traces/filter'
import { invalid } from '../kernel/http-error'
import { storable, storableJson } from './extract'
import { uuidOf } from './intake-request'

/** Fields of the filter language and their columns. */
const FIELDS: Record<string, { column: string; kind: 'text' | 'number' | 'time' | 'id' | 'seconds' }> = {
  id: { column: 'id', kind: 'id' },
  trace_id: { column: 'trace_id', kind: 'id' },
  parent_run_id: { column: 'parent_id', kind: 'id' },
  reference_example_id: { column: 'reference_example_id', kind: 'id' },
  name: { column: 'name', kind: 'text' },
  run_type: { column: 'run_type', kind: 'text' },
  status: { column: 'status', kind: 'text' },
  thread_id: { column: 'thread_id', kind: 'text' },
  model: { column: 'model', kind: 'text' },
  provider: { column: 'provider', kind: 'text' },
  error: { column: 'error', kind: 'text' },
  start_time: { column: 'start_time', kind: 'time' },
  end_time: { column: 'end_time', kind: 'time' },
  latency: { column: 'latency_ms', kind: 'seconds' },
  first_token_time: { column: 'first_token_ms', kind: 'seconds' },
  total_tokens: { column: 'total_tokens', kind: 'number' },
  prompt_tokens: { column: 'prompt_tokens', kind: 'number' },
  completion_tokens: { column: 'completion_tokens', kind: 'number' },
  total_cost: { column: 'total_cost', kind: 'number' },
}
const OPERATORS = { eq: '=', neq: 'is distinct from', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** A filter as an SQL condition. Throws a 422 with the problem. */
export function filterCondition(text: string, name = 'filter'): SQL {
  try {
    return condition(parseFilter(text))
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw invalid('body', [{ path: [name], message: error.message, type: 'value_error' }])
  }
}

function condition(filter: Filter): SQL {
  if (filter.op === 'and' || filter.op === 'or')
    return sql`(${sql.join(filter.of.map(condition), sql.raw(` ${filter.op} `))})`
  if (filter.op === 'not') return sql`(not coalesce(${condition(filter.of[0])}, false))`
  if (filter.op === 'search') return searchCondition(filter.text)
  const { op, field, value } = filter as Extract<Filter, { field: string }> // the others were handled above
  if (field === 'tags') return sql`tags @> array[${textValue(field, value)}]::text[]`
  if (field === 'metadata') return sql`metadata @> ${jsonValue(value)}::jsonb`
  if (field === 'metadata_key') return sql`metadata ? ${textValue(field, value)}`
  if (field === 'is_root') return value === true ? sql`parent_id is null` : sql`parent_id is not null`
  if (field === 'error' && typeof value === 'boolean') return value ? sql`error is not null` : sql`error is null`
  const known = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  if (!known) throw new FilterError(`${field} is no field of a run`)
  const column = sql.raw(known.column)
  if (value === null) return op === 'neq' ? sql`${column} is not null` : sql`${column} is null`
  if (op === 'in') {
    const list = (Array.isArray(value) ? value : [value]).map((one) => typed(known.kind, field, one))
    return list.length === 0 ? sql`false` : sql`${column} in (${sql.join(list, sql`, `)})`
  }
  if (op === 'like') return sql`${column} ilike ${textValue(field, value)}`
  if (op === 'has') return sql`strpos(${column}::text, ${textValue(field, value)}) > 0`
  return sql`${column} ${sql.raw(OPERATORS[op])} ${typed(known.kind, field, value)}`
}

/** Matches every word; the last one also as a prefix. */
export function searchCondition(text: string): SQL {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return sql`true`
  const query = words.slice(0, 50).map((word, index) => (index === words.length - 1 ? `${word}:*` : word))
  return sql`words @@ to_tsquery('simple', ${query.join(' & ')})`
}

function typed(kind: 'text' | 'number' | 'time' | 'id' | 'seconds', field: string, value: unknown): SQL {
  if (kind === 'text') return sql`${textValue(field, value)}`
  if (kind === 'id') {
    const id = uuidOf(value)
    if (!id) throw new FilterError(`${field} is compared with a UUID`)
    return sql`${id}::uuid`
  }
  if (kind === 'time') {
    const time = timeOf(value)
    if (time === undefined) throw new FilterError(`${field} is compared with a time`)
    return sql`${typeof value === 'string' && /[Zz]$|[+-]\d\d:?\d\d$/.test(value) ? value : new Date(time).toISOString()}::timestamptz`
  }
  // `2`, `"2"`, `"2s"`, `"250ms"`.
  const [, digits, unit] = /^(-?[\d.]+)\s*(ms|s)?$/.exec(String(value)) ?? []
  const number = Number(digits ?? Number.NaN)
  if (!Number.isFinite(number)) throw new FilterError(`${field} is compared with a number`)
  return kind === 'seconds' ? sql`${unit === 'ms' ? number : number * 1000}::float8` : sql`${number}::numeric`
}

function textValue(field: string, value: unknown): string {
  if (typeof value !== 'string' || value.includes('\0')) throw new FilterError(`${field} is compared with a text`)
  return storable(value)
}

/** `'{"key": "value"}'`, or the name of a key. */
function jsonValue(value: unknown): string {
  try {
    const parsed: unknown = JSON.parse(textValue('metadata', value))
    if (typeof parsed === 'object' && parsed !== null) return storableJson(parsed as Record<string, unknown>)
  } catch {
    // Refused below.
  }
  throw new FilterError('metadata is compared with an object as JSON text')
}
