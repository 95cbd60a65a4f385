import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { TRACE_FACETS, TRACE_GROUPS } from '@/lib/contracts/traces/groups'
import type { TraceTotals, TraceTotalsQuery } from '@/lib/contracts/traces/run-queries'
import type { ModelUsage } from '@/lib/contracts/traces/trace-run'
import type { Db } from '../kernel/database'
import { conditions, where } from './run-conditions'
import { seconds } from './run-record'
import { MODEL_TYPES_TEXT, otherCostText } from './schema'

export const OF_MODELS = sql.raw(`filter (where ${MODEL_TYPES_TEXT})`)
/** A cost of another run than a model. */
export const OTHER_COST = sql.raw(otherCostText('runs'))

export type Json = Record<string, unknown>

const DAY = 86_400
/** Index of the time bucket in which a run began. */
const pieceOf = (seconds: number): SQL => sql`floor(extract(epoch from start_time)::float8 / ${seconds}::float8)`
export const startOf = (piece: unknown, seconds: number): string =>
  new Date(Number(piece) * seconds * 1000).toISOString().replace('.000Z', 'Z')

const sumOf = (tokens: string) => `coalesce(sum(${tokens}), 0)`
const partOf = (tokens: string, whole: string) => sumOf(`least(coalesce(${tokens}, 0), coalesce(${whole}, 0))`)
/** What the price of calls depends on, and their tokens. */
const USAGE_COLUMNS = sql`model, provider, ${pieceOf(DAY)} as day, count(*) as run_count, ${sql.raw(
  [
    `${sumOf('prompt_tokens')} as prompt_tokens, ${sumOf('completion_tokens')} as completion_tokens`,
    `${partOf('cache_read_tokens', 'prompt_tokens')} as cache_read_tokens`,
    `${partOf('cache_write_tokens', 'prompt_tokens')} as cache_write_tokens`,
    `${partOf('cache_write_1h_tokens', 'cache_write_tokens')} as cache_write_1h_tokens`,
    `${partOf('reasoning_tokens', 'completion_tokens')} as reasoning_tokens`,
  ].join(', '),
)}`
/** A model call with tokens that nobody has logged a cost of. */
const IS_OPEN = sql.raw(
  `${MODEL_TYPES_TEXT} and total_cost is null and (prompt_tokens is not null or completion_tokens is not null)`,
)

/** Usage of model calls without a logged cost, by model, day and bucket or trace. Parts never exceed their total. */
export function usageStatement(found: readonly SQL[], by: number | 'trace' | null | undefined): SQL {
  const key = by === 'trace' ? sql`trace_id` : by ? pieceOf(by) : sql`null::text`
  return sql`select ${key} as piece, ${USAGE_COLUMNS}
    from platform.trace_runs runs ${where([...found, IS_OPEN])} group by 1, 2, 3, 4`
}

/** Cost of other runs than models, by bucket. */
export function otherCostsStatement(found: readonly SQL[], by: number | null | undefined): SQL {
  const key = by ? pieceOf(by) : sql`null::text`
  return sql`select ${key} as piece, count(*) as run_count, sum(total_cost) as total_cost
    from platform.trace_runs runs ${where([...found, OTHER_COST])} group by 1`
}

export const usageOf = (row: Json): ModelUsage => ({
  model: row.model as string | null,
  provider: row.provider as string | null,
  day: row.day === null ? null : startOf(row.day, DAY).slice(0, 10),
  run_count: Number(row.run_count),
  prompt_tokens: Number(row.prompt_tokens),
  completion_tokens: Number(row.completion_tokens),
  cache_read_tokens: Number(row.cache_read_tokens),
  cache_write_tokens: Number(row.cache_write_tokens),
  cache_write_1h_tokens: Number(row.cache_write_1h_tokens),
  reasoning_tokens: Number(row.reasoning_tokens),
})

/**
 * One pass over the runs for the total and for each bucket; without buckets, only the total. Buckets are numbers,
 * because formatting a text per run would dominate the time.
 */
export function totalsStatement(found: readonly SQL[], bucketSeconds?: number | null): SQL {
  const llm = OF_MODELS
  return sql`select ${bucketSeconds ? sql`piece, ` : sql``}
      count(*) as runs, count(*) filter (where status = 'error') as errors, to_char(max(start_time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as last_run,
      percentile_cont(array[0.5, 0.95, 0.99]) within group (order by latency_ms) as latency,
      percentile_cont(array[0.5, 0.95]) within group (order by first_token_ms) as first_token,
      sum(prompt_tokens) ${llm} as prompt_tokens, sum(completion_tokens) ${llm} as completion_tokens,
      sum(total_tokens) ${llm} as total_tokens, sum(total_cost) ${llm} as total_cost
    from (
      select ${bucketSeconds ? sql`${pieceOf(bucketSeconds)} as piece, ` : sql``}start_time, run_type, status, latency_ms, first_token_ms, prompt_tokens, completion_tokens, total_tokens, total_cost
      from platform.trace_runs runs ${where(found)}
    ) as asked
    ${bucketSeconds ? sql`group by grouping sets ((), (piece)) order by grouping(piece) desc, piece` : sql``}`
}

export function totalsOf(row: Json) {
  const latency = (row.latency ?? []) as (number | null)[]
  const first = (row.first_token ?? []) as (number | null)[]
  const sum = (value: unknown) => (value === null || value === undefined ? null : Number(value))
  const runs = Number(row.runs ?? 0)
  const errors = Number(row.errors ?? 0)
  return {
    run_count: runs,
    error_count: errors,
    error_rate: runs > 0 ? errors / runs : null,
    latency_p50: seconds(latency[0]),
    latency_p95: seconds(latency[1]),
    latency_p99: seconds(latency[2]),
    first_token_p50: seconds(first[0]),
    first_token_p95: seconds(first[1]),
    prompt_tokens: sum(row.prompt_tokens),
    completion_tokens: sum(row.completion_tokens),
    total_tokens: sum(row.total_tokens),
    // Amounts remain decimal text.
    total_cost: (row.total_cost as string | null | undefined) ?? null,
  }
}

/** How many groups and how many values of a filter are returned. */
const MAX_GROUPS = 50
const MAX_VALUES = 50

type Asked = z.output<typeof TraceTotalsQuery>
type Group = (typeof TRACE_GROUPS)[number]
type Facet = (typeof TRACE_FACETS)[number]

const IS_MODEL = sql.raw(MODEL_TYPES_TEXT)
/** A run with several tags is in the group of each. */
const KEYS: Record<Group, { key: SQL; from: SQL }> = {
  model: { key: sql`runs.model`, from: sql`platform.trace_runs runs` },
  name: { key: sql`runs.name`, from: sql`platform.trace_runs runs` },
  tag: {
    key: sql`tag`,
    from: sql`platform.trace_runs runs left join lateral unnest(case when cardinality(runs.tags) > 0 then runs.tags end) tag on true`,
  },
}

/** Counts, latencies and errors of the runs of each group, the largest first. */
export const groupsStatement = (asked: Asked, by: Group): SQL => {
  const { key, from } = KEYS[by]
  return sql`select key, count(*) as runs, count(*) filter (where status = 'error') as errors,
      percentile_cont(array[0.5, 0.95, 0.99]) within group (order by latency_ms) as latency, count(*) over () as groups
    from (select ${key} as key, status, latency_ms from ${from} ${where(conditions(asked))}) as asked
    group by key order by runs desc, key limit ${MAX_GROUPS}`
}

/** Tokens and costs of each group by what prices depend on: of the runs themselves, or of the traces of roots. */
export const groupUsageStatement = (asked: Asked, by: Group, keys: readonly (string | null)[]): SQL => {
  const { key, from } = KEYS[by]
  const isCounted = sql`(${IS_MODEL} or ${sql.raw(otherCostText('step'))})`
  const inGroups = sql`(key in (${list(keys.filter((one) => one !== null))}) or key is null)`
  const columns = sql`key, total_cost is null as is_open, ${USAGE_COLUMNS}, sum(total_cost) as total_cost, sum(total_tokens) as total_tokens`
  return asked.is_root
    ? sql`select ${columns} from (select ${key} as key, runs.trace_id as trace from ${from} ${where(conditions(asked))}) as root
        join platform.trace_runs step on step.trace_id = root.trace where ${isCounted} and ${inGroups} group by key, is_open, model, provider, day`
    : sql`select ${columns} from (select ${key} as key, runs.* from ${from} ${where(conditions(asked))}) as step
        where ${isCounted} and ${inGroups} group by key, is_open, model, provider, day`
}

const list = (values: readonly unknown[]): SQL =>
  values.length === 0
    ? sql`null`
    : sql.join(
        values.map((one) => sql`${one}`),
        sql`, `,
      )

export async function readGroups(
  db: Db,
  asked: Asked,
  by: Group,
): Promise<Pick<TraceTotals, 'groups' | 'group_count'>> {
  const rows = (await db.execute(groupsStatement(asked, by))).rows as (Json & { key: string | null })[]
  if (rows.length === 0) return { groups: [], group_count: 0 }
  const keys = rows.map(({ key }) => key)
  const usage = (await db.execute(groupUsageStatement(asked, by, keys))).rows as (Json & { key: string | null })[]
  const groups = rows.map((row) => {
    const own = usage.filter(({ key }) => key === row.key)
    const sum = (name: string, of = own) => of.reduce((all, one) => all + Number(one[name] ?? 0), 0)
    const logged = own.filter(({ total_cost }) => total_cost !== null)
    return {
      key: row.key,
      ...totalsOf(row),
      prompt_tokens: own.length > 0 ? sum('prompt_tokens') : null,
      completion_tokens: own.length > 0 ? sum('completion_tokens') : null,
      total_tokens: own.length > 0 ? sum('total_tokens') : null,
      total_cost: logged.length > 0 ? String(sum('total_cost', logged)) : null,
      // Only calls without a logged cost are priced.
      model_usage: own.filter((one) => one.is_open && Number(one.total_tokens ?? 0) > 0).map(usageOf),
    }
  })
  return { groups, group_count: Number(rows[0]?.groups ?? 0) }
}

/** The values to filter by, in the chosen projects and time: of roots, and of the model calls of any trace. */
export async function readFacets(db: Db, asked: Asked): Promise<NonNullable<TraceTotals['facets']>> {
  const { session, start_time, end_time } = asked
  const found = conditions({ session, start_time, end_time })
  const isRoot = sql`parent_id is null`
  const read = async (value: SQL, more: SQL, rest: SQL = sql`null::text`, from = KEYS.name.from) => {
    const { rows } = await db.execute(sql`select ${value} as value, ${rest} as provider, count(*) as count
      from ${from} ${where([...found, more, sql`${value} is not null`])} group by 1, 2 order by 3 desc, 1 limit ${MAX_VALUES}`)
    return (rows as { value: string; provider: string | null; count: string }[]).map((row) => ({
      ...row,
      count: Number(row.count),
    }))
  }
  const facets: Record<Facet, Awaited<ReturnType<typeof read>>> = {
    model: await read(sql`model`, IS_MODEL, sql`provider`),
    provider: await read(sql`provider`, IS_MODEL),
    finish_reason: await read(sql`finish_reason`, IS_MODEL),
    name: await read(sql`name`, isRoot),
    tag: await read(sql`tag`, isRoot, undefined, KEYS.tag.from),
  }
  return facets
}
