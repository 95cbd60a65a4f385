import { type SQL, sql } from 'drizzle-orm'
import { timeOf } from '@/lib/traces/facts'
import { type Filter, FilterError, parseFilter } from '@/lib/traces/filter'
import { invalid } from '../kernel/http-error'
import { storable, storableJson } from './extract'
import { uuidOf } from './intake-request'
import { STATUS_TEXT } from './schema'

/** Fields of the filter language and their columns. */
const FIELDS: Record<string, { column: string; kind: 'text' | 'number' | 'time' | 'id' | 'seconds' }> = {
  id: { column: 'id', kind: 'id' },
  trace_id: { column: 'trace_id', kind: 'id' },
  parent_run_id: { column: 'parent_id', kind: 'id' },
  reference_example_id: { column: 'reference_example_id', kind: 'text' },
  name: { column: 'name', kind: 'text' },
  run_type: { column: 'run_type', kind: 'text' },
  status: { column: STATUS_TEXT, kind: 'text' },
  thread_id: { column: 'thread_id', kind: 'text' },
  model: { column: 'model', kind: 'text' },
  provider: { column: 'provider', kind: 'text' },
  finish_reason: { column: 'finish_reason', kind: 'text' },
  /** The part of the input that came from the provider's cache, from 0 to 1. */
  cached_share: { column: 'cache_read_tokens / nullif(prompt_tokens, 0)', kind: 'number' },
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
  if (filter.op === 'and') return sql`(${sql.join(together(filter.of), sql` and `)})`
  if (filter.op === 'or') return sql`(${sql.join(filter.of.map(condition), sql` or `)})`
  if (filter.op === 'not') return sql`(not coalesce(${condition(filter.of[0])}, false))`
  if (filter.op === 'search') return searchCondition(filter.text)
  const { op, field, value } = filter as Comparison // the others were handled above
  if (PAIRED.has(field)) return paired([filter as Comparison])
  if (field === 'tags') return sql`tags @> array[${textValue(field, value)}]::text[]`
  if (field === 'metadata') return sql`metadata @> ${jsonValue(value)}::jsonb`
  if (field === 'is_root') return value === true ? sql`parent_id is null` : sql`parent_id is not null`
  if (field === 'error' && typeof value === 'boolean') return value ? sql`error is not null` : sql`error is null`
  const known = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  if (!known) throw new FilterError(`${field} is not a field of a run`)
  const column = sql.raw(known.column)
  if (value === null) return op === 'neq' ? sql`${column} is not null` : sql`${column} is null`
  return compared(column, op, field, value, (one) => typed(known.kind, field, one))
}

type Comparison = Extract<Filter, { field: string }>

/** Fields of one metadata entry or one rating: side by side in an `and`, they speak of the same one. */
const PAIRED = new Set(['metadata_key', 'metadata_value', 'feedback_key', 'feedback_score', 'feedback_value'])
const isAbout = (filter: Filter, kind: string): filter is Comparison =>
  'field' in filter && PAIRED.has(filter.field) && filter.field.startsWith(kind)

function together(of: readonly Filter[]): SQL[] {
  const pairs = ['metadata', 'feedback'].map((kind) => of.filter((one) => isAbout(one, kind)))
  const rest = of.filter((one) => !('field' in one && PAIRED.has(one.field)))
  return [...rest.map(condition), ...pairs.filter((pair) => pair.length > 0).map(paired)]
}

const ENTRY = {
  metadata_key: sql.raw('entry.key'),
  metadata_value: sql.raw('entry.value'),
  feedback_key: sql.raw(`feedback.body->>'key'`),
  feedback_value: sql.raw(`feedback.body->>'value'`),
  feedback_score:
    sql.raw(`case jsonb_typeof(feedback.body->'score') when 'number' then (feedback.body->>'score')::float8
    when 'boolean' then (feedback.body->>'score')::boolean::int::float8 end`),
}

function paired(pair: readonly Comparison[]): SQL {
  const [key, value] = ['metadata_key', 'metadata_value'].map((field) =>
    pair.length <= 2 ? pair.find((one) => one.field === field && one.op === 'eq')?.value : undefined,
  )
  // These two have an index.
  if (pair.length === 1 && typeof key === 'string') return sql`metadata ? ${textValue('metadata_key', key)}`
  if (typeof key === 'string' && typeof value === 'string')
    return sql`metadata @> ${jsonValue(JSON.stringify(Object.fromEntries([[key, value]])))}::jsonb`
  const all = sql.join(
    pair.map(({ op, field, value: given }) => {
      const column = ENTRY[field as keyof typeof ENTRY]
      if (field !== 'feedback_score') return compared(column, op, field, given, (one) => sql`${textOf(field, one)}`)
      return compared(column, op, field, given, (one) => typed('number', field, Number(one)))
    }),
    sql` and `,
  )
  return pair[0]?.field.startsWith('metadata')
    ? sql`exists (select from jsonb_each_text(case when jsonb_typeof(metadata) = 'object' then metadata end) entry where ${all})`
    : sql`exists (select from platform.trace_feedback feedback where coalesce(feedback.run_id, feedback.trace_id) = runs.id and ${all})`
}

const textOf = (field: string, value: unknown): string =>
  textValue(field, typeof value === 'string' ? value : String(value))

function compared(
  column: SQL,
  op: Comparison['op'],
  field: string,
  value: unknown,
  write: (value: unknown) => SQL,
): SQL {
  if (op === 'in') {
    const list = (Array.isArray(value) ? value : [value]).map(write)
    return list.length === 0 ? sql`false` : sql`${column} in (${sql.join(list, sql`, `)})`
  }
  if (op === 'like') return sql`${column} ilike ${textValue(field, value)}`
  if (op === 'has') return sql`strpos(${column}::text, ${textValue(field, value)}) > 0`
  return sql`${column} ${sql.raw(OPERATORS[op])} ${write(value)}`
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
