import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { queryInt, queryList } from '@/lib/contracts/wire/fields'
import type { Json } from '@/lib/traces/blocks/values'
import type { Db } from '../kernel/database'
import { notFound, uuid } from '../kernel/http-error'
import { storableJson } from './extract'

export const FeedbackQuery = z.strictObject({
  run: queryList().optional(),
  key: queryList().optional(),
  source: queryList().optional(),
  session: queryList().optional(),
  limit: queryInt(1).optional(),
  offset: queryInt(0).optional(),
})
/** Null clears a field. */
export const FeedbackPatch = z.strictObject({
  score: z.union([z.number(), z.boolean()]).nullish(),
  value: z.unknown().optional(),
  comment: z.string().nullish(),
  correction: z.unknown().optional(),
})

const MAX_PAGE = 100
const iso = (time: string) => sql.raw(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)
const COLUMNS = sql`feedback.id, feedback.run_id, feedback.trace_id, feedback.body, ${iso('feedback.created_at')} as created_at, runs.project_id`
/** Feedback without a run belongs to the whole trace, so to its root. */
const FROM = sql`from platform.trace_feedback feedback
  left join platform.trace_runs runs on runs.id = coalesce(feedback.run_id, feedback.trace_id)`

const texts = (values: readonly string[]): SQL =>
  sql.join(
    values.map((one) => sql`${one}`),
    sql`, `,
  )
const ids = (field: string, values: readonly string[]): SQL =>
  sql.join(
    values.map((one) => sql`${uuid('query', field, one)}::uuid`),
    sql`, `,
  )

/** Ratings of runs, as SDKs read and change them. The intake creates them. */
export class FeedbackRecords {
  constructor(private readonly db: Db) {}

  async list(asked: z.output<typeof FeedbackQuery>): Promise<Json[]> {
    const found: SQL[] = [sql`true`]
    if (asked.run) found.push(sql`coalesce(feedback.run_id, feedback.trace_id) in (${ids('run', asked.run)})`)
    if (asked.session) found.push(sql`runs.project_id in (${ids('session', asked.session)})`)
    if (asked.key) found.push(sql`feedback.body->>'key' in (${texts(asked.key)})`)
    if (asked.source) found.push(sql`feedback.body->'feedback_source'->>'type' in (${texts(asked.source)})`)
    const { rows } = await this.db.execute(sql`
      select ${COLUMNS} ${FROM} where ${sql.join(found, sql` and `)} order by feedback.created_at desc, feedback.id
      limit ${Math.min(asked.limit ?? MAX_PAGE, MAX_PAGE)} offset ${asked.offset ?? 0}`)
    return (rows as Json[]).map(recordOf)
  }

  async get(given: string): Promise<Json> {
    const id = uuid('path', 'feedback_id', given)
    const { rows } = await this.db.execute(sql`select ${COLUMNS} ${FROM} where feedback.id = ${id}::uuid`)
    if (!rows[0]) throw notFound('Feedback', given)
    return recordOf(rows[0] as Json)
  }

  async update(given: string, patch: z.output<typeof FeedbackPatch>): Promise<Json> {
    const id = uuid('path', 'feedback_id', given)
    const changes = storableJson({ ...patch, modified_at: new Date().toISOString() })
    await this.db.execute(
      sql`update platform.trace_feedback set body = body || ${changes}::jsonb where id = ${id}::uuid`,
    )
    return this.get(given)
  }

  async remove(given: string): Promise<void> {
    const id = uuid('path', 'feedback_id', given)
    const { rowCount } = await this.db.execute(sql`delete from platform.trace_feedback where id = ${id}::uuid`)
    if (!rowCount) throw notFound('Feedback', given)
  }
}

/** Of a run, oldest first. Feedback without a run belongs to the whole trace, so to its root. `runId` is a UUID. */
export async function feedbackOf(db: Db, runId: string, limit: number): Promise<Json[]> {
  const { rows } = await db.execute(sql`
    select ${COLUMNS} ${FROM} where feedback.run_id = ${runId}::uuid or (feedback.run_id is null and feedback.trace_id = ${runId}::uuid)
    order by feedback.created_at, feedback.id limit ${limit}`)
  return (rows as Json[]).map(recordOf)
}

/** Its ids are those it is stored with: an SDK may have sent anything. */
function recordOf(row: Json): Json {
  const body = row.body as Json
  return {
    score: null,
    value: null,
    comment: null,
    correction: null,
    feedback_source: null,
    ...body,
    id: row.id,
    run_id: row.run_id,
    trace_id: row.trace_id ?? null,
    session_id: row.project_id ?? body.session_id ?? null,
    created_at: row.created_at,
    modified_at: body.modified_at ?? row.created_at,
  }
}

export type FeedbackStats = Record<string, Json>

/** Feedback by key, for each run or project. `by` is a column of the rated runs. */
export async function feedbackStats(
  db: Db,
  by: 'id' | 'project_id',
  wanted: readonly string[],
): Promise<Map<string, FeedbackStats>> {
  const found = new Map<string, FeedbackStats>()
  if (wanted.length === 0) return found
  const column = sql.raw(`runs.${by}`)
  const { rows } = await db.execute(sql`
    select about, key, count(*) as n, avg(score) as avg, min(score) as min, max(score) as max, stddev_samp(score) as stdev,
      coalesce(jsonb_object_agg(value, times) filter (where value is not null and nth = 1), '{}') as values
    from (
      select *, count(*) over same as times, row_number() over same as nth from (
        select ${column} as about, coalesce(feedback.body->>'key', '') as key,
          case jsonb_typeof(feedback.body->'score') when 'number' then (feedback.body->>'score')::float8
            when 'boolean' then (feedback.body->>'score')::boolean::int::float8 end as score,
          case when jsonb_typeof(feedback.body->'value') = 'string' then left(feedback.body->>'value', 200) end as value
        ${FROM} where ${column} in (${ids('id', wanted)})
      ) as rated window same as (partition by about, key, value)
    ) as counted group by about, key`)
  for (const { about, key, n, values, ...numbers } of rows as Json[]) {
    const stats = found.get(String(about)) ?? {}
    found.set(String(about), { ...stats, [String(key)]: { n: Number(n), ...numbers, values } })
  }
  return found
}
