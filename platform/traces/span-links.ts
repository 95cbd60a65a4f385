import { sql } from 'drizzle-orm'
import type { Json } from '@/lib/traces/blocks/values'
import type { Db } from '../kernel/database'
import type { RunUpdate } from './intake-request'
import { SPAN_ID } from './otlp/run'

/** Name of the run that stands for a root whose span has not arrived, or never will, because it is exported elsewhere. */
export const MISSING_ROOT = 'Root span not received'

/** Ancestors that an order names at most: without a limit, a deep trace would take a hundred times the space of its spans. */
const MAX_LEVELS = 64
const SEGMENT = 59

const OWN = `coalesce(to_char(runs.start_time at time zone 'UTC', 'YYYYMMDD"T"HH24MISSUS"Z"'), '') || runs.id`
const OWN_ORDER = sql.raw(OWN)
const orderBelow = (parent: string) =>
  sql.raw(`case when length(${parent}) < ${MAX_LEVELS * SEGMENT} then ${parent} || '.' else '' end || ${OWN}`)

/**
 * Completes what a single span does not know: that its parent is the root, a root for its trace to be listed by, and its
 * place in the tree. Idempotent, and correct for spans in any order.
 */
export async function linkSpans(db: Db, pieces: readonly RunUpdate[]): Promise<void> {
  const own = pieces.filter(({ main }) => isOfSpan(main))
  if (own.length === 0) return
  const ids = list(own.map(({ id }) => id))
  const traces = list([...new Set(own.map(({ main }) => String(main.trace_id)))])
  await db.execute(sql`
    with roots as (
      select id, case when metadata->>${SPAN_ID} ~ '^[0-9a-f]{16}$'
        then (right(replace(id::text, '-', ''), 16) || (metadata->>${SPAN_ID}))::uuid end as span
      from platform.trace_runs where id = any(${traces})
    )
    update platform.trace_runs child set parent_id = roots.id from roots
    where child.trace_id = roots.id and child.parent_id = roots.span`)
  await db.execute(sql`
    insert into platform.trace_runs as runs (id, trace_id, project_id, name, run_type, start_time, end_time)
    select trace_id, trace_id, (array_agg(project_id order by id))[1], ${MISSING_ROOT}, 'chain', min(start_time), max(end_time)
    from platform.trace_runs where trace_id = any(${traces}) group by trace_id
    having not bool_or(parent_id is null and (id <> trace_id or is_patched or name is distinct from ${MISSING_ROOT}))
    on conflict (id) do update set
      start_time = least(runs.start_time, excluded.start_time), end_time = greatest(runs.end_time, excluded.end_time)`)
  // From the topmost of these runs downwards, because what is below a late parent came before it. A run may be reached on
  // several ways; the longest has the most ancestors.
  await db.execute(sql`
    with recursive placed as (
      select runs.id, ${orderBelow('parent.dotted_order')} as dotted_order, 1 as level
      from platform.trace_runs runs left join platform.trace_runs parent on parent.id = runs.parent_id
      where (runs.id = any(${ids}) or runs.id = any(${traces})) and not coalesce(runs.parent_id = any(${ids}), false)
      union all
      select runs.id, ${orderBelow('placed.dotted_order')}, placed.level + 1
      from placed join platform.trace_runs runs on runs.parent_id = placed.id where placed.level < ${MAX_LEVELS}
    ), best as (
      select distinct on (id) id, dotted_order from (
        select id, dotted_order from placed
        union all select runs.id, ${OWN_ORDER} from platform.trace_runs runs where runs.id = any(${ids})
      ) found order by id, length(dotted_order) desc
    )
    update platform.trace_runs runs set dotted_order = best.dotted_order from best
    where runs.id = best.id and runs.dotted_order is distinct from best.dotted_order`)
}

/** Not of an SDK that logs the rest of the trace, with its root, in its own way. */
const isOfSpan = (main: Json): boolean => main.dotted_order === undefined && main.trace_id !== undefined

/** One parameter, because a request may have more spans than a statement has parameters. */
const list = (ids: readonly string[]) => sql`${sql.param(ids)}::uuid[]`
