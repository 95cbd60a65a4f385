import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { CostFilter, TraceTotalsQuery } from '@/lib/contracts/traces/run-queries'
import { timeOf } from '@/lib/traces/facts'
import { invalid, uuid } from '../kernel/http-error'
import { filterCondition, searchCondition } from './filter-sql'
import { MODEL_TYPES_TEXT, otherCostText } from './schema'

type Asked = Omit<
  z.output<typeof TraceTotalsQuery>,
  'bucket_seconds' | 'model_usage' | 'other_costs' | 'group_by' | 'facets'
>

/** A query as conditions over `runs`. Throws a 422 for an invalid one. */
export function conditions(asked: Asked): SQL[] {
  const found: SQL[] = []
  const ids = (field: string, list: readonly string[]) =>
    sql.join(
      list.map((one) => sql`${uuid('body', field, one)}::uuid`),
      sql`, `,
    )
  if (asked.session?.length === 1) found.push(sql`project_id = ${ids('session', asked.session)}`)
  else if (asked.session?.length) found.push(sql`project_id in (${ids('session', asked.session)})`)
  if (asked.id?.length) found.push(sql`id in (${ids('id', asked.id)})`)
  if (asked.trace) found.push(sql`trace_id = ${ids('trace', [asked.trace])}`)
  if (asked.parent_run) found.push(sql`parent_id = ${ids('parent_run', [asked.parent_run])}`)
  if (asked.reference_example?.length)
    found.push(sql`reference_example_id = any(array[${ids('reference_example', asked.reference_example)}]::text[])`)
  if (asked.run_type) found.push(sql`run_type = ${asked.run_type}`)
  if (asked.is_model) found.push(sql.raw(MODEL_TYPES_TEXT))
  if (typeof asked.is_root === 'boolean')
    found.push(asked.is_root ? sql`parent_id is null` : sql`parent_id is not null`)
  if (typeof asked.error === 'boolean') found.push(asked.error ? sql`error is not null` : sql`error is null`)
  if (asked.start_time) found.push(sql`start_time >= ${timeText('start_time', asked.start_time)}::timestamptz`)
  if (asked.end_time) found.push(sql`start_time < ${timeText('end_time', asked.end_time)}::timestamptz`)
  if (asked.query) found.push(searchCondition(asked.query))
  if (asked.filter) found.push(filterCondition(asked.filter))
  if (asked.cost) found.push(costCondition(asked.cost))
  // A trace has one project, and none of its runs begins before its root: that keeps the inner lists short.
  const near = [
    ...(asked.session?.length ? [sql`project_id in (${ids('session', asked.session)})`] : []),
    ...(asked.start_time ? [sql`start_time >= ${timeText('start_time', asked.start_time)}::timestamptz`] : []),
  ]
  if (asked.trace_filter) {
    const inner = [sql`parent_id is null`, filterCondition(asked.trace_filter, 'trace_filter'), ...near]
    found.push(sql`trace_id in (select trace_id from platform.trace_runs runs ${where(inner)})`)
  }
  if (asked.tree_filter) {
    const inner = [filterCondition(asked.tree_filter, 'tree_filter'), ...near]
    found.push(sql`trace_id in (select trace_id from platform.trace_runs runs ${where(inner)})`)
  }
  return found
}

function timeText(field: string, text: string): string {
  const ms = timeOf(text)
  if (ms === undefined)
    throw invalid('body', [{ path: [field], message: 'Input should be a valid datetime', type: 'datetime_parsing' }])
  return /[Zz]$|[+-]\d\d:?\d\d$/.test(text) ? text : new Date(ms).toISOString()
}

/** A `where` clause; nothing without conditions. */
export const where = (found: readonly SQL[]): SQL =>
  found.length > 0 ? sql`where ${sql.join([...found], sql` and `)}` : sql``

/** The columns of a price row, each with its type. */
const PRICE = [
  ['model', 'text'],
  ['provider', 'text'],
  ['valid_from', 'date'],
  ['input', 'float8'],
  ['output', 'float8'],
  ['cache_read', 'float8'],
  ['cache_write', 'float8'],
  ['cache_write_1h', 'float8'],
  ['reasoning', 'float8'],
] as const

/** The tokens of a part, which never exceeds what is left of its whole. */
const READ = 'least(coalesce(step.cache_read_tokens, 0), coalesce(step.prompt_tokens, 0))'
const WRITTEN = `least(coalesce(step.cache_write_tokens, 0), coalesce(step.prompt_tokens, 0) - ${READ})`
const HOURLY = `least(coalesce(step.cache_write_1h_tokens, 0), ${WRITTEN})`
const REASONED = 'least(coalesce(step.reasoning_tokens, 0), coalesce(step.completion_tokens, 0))'

/** The same sum as `amountOf` in `lib/traces/cost.ts`, for one model call `step`. */
const AMOUNT = sql.raw(`(
  ${READ} * price.cache_read + (${WRITTEN} - ${HOURLY}) * price.cache_write + ${HOURLY} * price.cache_write_1h
  + (coalesce(step.prompt_tokens, 0) - ${READ} - ${WRITTEN}) * price.input
  + ${REASONED} * price.reasoning + (coalesce(step.completion_tokens, 0) - ${REASONED}) * price.output) / 1e6`)

/** The cost of a run `step`: what was logged, else by the first price that fits. Null if neither is known. */
function costOfStep(prices: CostFilter['prices']): SQL {
  if (prices.length === 0) return sql`step.total_cost::float8`
  const rows = prices.map(
    (price, rank) =>
      sql`(${rank}::int, ${sql.join(
        PRICE.map(([name, type]) => sql`${price[name] ?? null}::${sql.raw(type)}`),
        sql`, `,
      )})`,
  )
  const names = sql.raw(['rank', ...PRICE.map(([name]) => name)].join(', '))
  return sql`coalesce(step.total_cost::float8, (
    select ${AMOUNT} from (values ${sql.join(rows, sql`, `)}) as price (${names})
    where ${sql.raw(MODEL_TYPES_TEXT.replace('run_type', 'step.run_type'))} and price.model = step.model
      and price.provider is not distinct from step.provider
      and (price.valid_from is null or price.valid_from <= (step.start_time at time zone 'UTC')::date)
      and (step.prompt_tokens is not null or step.completion_tokens is not null)
    order by price.rank limit 1))`
}

/** Runs within the limits. A root has the cost of its trace, as in lists; a run without a known cost is left out. */
function costCondition({ min, max, prices, is_of_trace }: CostFilter): SQL {
  const isCounted = sql.raw(`(${MODEL_TYPES_TEXT.replace('run_type', 'step.run_type')} or ${otherCostText('step')})`)
  const sumOver = (which: SQL) =>
    sql`(select sum(${costOfStep(prices)}) from platform.trace_runs step where ${isCounted} and ${which})`
  // Two subqueries, because one with an alternative would use no index.
  const ofTrace = sumOver(sql`step.trace_id = runs.trace_id`)
  const own = sql`case when runs.parent_id is null then ${ofTrace}
    else ${sumOver(sql`step.id = runs.id`)} end`
  const cost = is_of_trace ? ofTrace : own
  if (typeof min === 'number' && typeof max === 'number') return sql`(${cost}) between ${min} and ${max}`
  if (typeof min === 'number') return sql`(${cost}) >= ${min}`
  return typeof max === 'number' ? sql`(${cost}) <= ${max}` : sql`(${cost}) is not null`
}
