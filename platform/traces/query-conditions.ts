import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { TraceRunsQuery, TraceTotalsQuery } from '@/lib/contracts/traces/trace-runs'
import { timeOf } from '@/lib/traces/facts'
import { invalid, uuid } from '../kernel/http-error'
import { filterCondition, searchCondition } from './filter-sql'

type Asked = Partial<TraceRunsQuery> & z.output<typeof TraceTotalsQuery>

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
    found.push(sql`reference_example_id in (${ids('reference_example', asked.reference_example)})`)
  if (asked.run_type) found.push(sql`run_type = ${asked.run_type}`)
  if (typeof asked.is_root === 'boolean')
    found.push(asked.is_root ? sql`parent_id is null` : sql`parent_id is not null`)
  if (typeof asked.error === 'boolean') found.push(asked.error ? sql`error is not null` : sql`error is null`)
  if (asked.start_time) found.push(sql`start_time >= ${timeText('start_time', asked.start_time)}::timestamptz`)
  if (asked.end_time) found.push(sql`start_time < ${timeText('end_time', asked.end_time)}::timestamptz`)
  if (asked.query) found.push(searchCondition(asked.query))
  if (asked.filter) found.push(filterCondition(asked.filter))
  if (asked.trace_filter)
    found.push(
      sql`trace_id in (select trace_id from platform.trace_runs where parent_id is null and ${filterCondition(asked.trace_filter, 'trace_filter')})`,
    )
  if (asked.tree_filter)
    found.push(
      sql`trace_id in (select trace_id from platform.trace_runs where ${filterCondition(asked.tree_filter, 'tree_filter')})`,
    )
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

export const idList = (ids: readonly string[]): SQL =>
  sql.join(
    ids.map((id) => sql`${id}::uuid`),
    sql`, `,
  )
