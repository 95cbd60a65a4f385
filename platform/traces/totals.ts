import { type SQL, sql } from 'drizzle-orm'
import type { ModelUsage } from '@/lib/contracts/traces/trace-runs'
import { where } from './run-conditions'
import { seconds } from './run-record'
import { OTHER_COST_TEXT } from './schema'

export const OF_MODELS = sql.raw(`filter (where run_type = 'llm')`)
export const OTHER_COST = sql.raw(`(${OTHER_COST_TEXT})`)

export type Json = Record<string, unknown>

/** Index of the time bucket in which a run began. */
const pieceOf = (seconds: number): SQL => sql`floor(extract(epoch from start_time)::float8 / ${seconds}::float8)`
export const startOf = (piece: unknown, seconds: number): string =>
  new Date(Number(piece) * seconds * 1000).toISOString().replace('.000Z', 'Z')
const DAY = 86_400

/** Usage of model calls without a logged cost, by model, day and bucket or trace. Parts never exceed their total. */
export function usageStatement(found: readonly SQL[], by: number | 'trace' | null | undefined): SQL {
  const key = by === 'trace' ? sql`trace_id` : by ? pieceOf(by) : sql`null::text`
  const sum = (tokens: string) => sql.raw(`coalesce(sum(${tokens}), 0)`)
  const part = (tokens: string, whole: string) => sum(`least(coalesce(${tokens}, 0), coalesce(${whole}, 0))`)
  const isOpen = sql`run_type = 'llm' and total_cost is null and (prompt_tokens is not null or completion_tokens is not null)`
  return sql`select ${key} as piece, model, provider, ${pieceOf(DAY)} as day, count(*) as run_count,
      ${sum('prompt_tokens')} as prompt_tokens, ${sum('completion_tokens')} as completion_tokens,
      ${part('cache_read_tokens', 'prompt_tokens')} as cache_read_tokens,
      ${part('reasoning_tokens', 'completion_tokens')} as reasoning_tokens
    from platform.trace_runs runs ${where([...found, isOpen])} group by 1, 2, 3, 4`
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
