import { z } from 'zod'
import { queryInt } from '../wire/fields'
import { TRACE_FACETS, TRACE_GROUPS } from './groups'
import { cost, count } from './run-fields'
import { ModelUsage, TraceRun } from './trace-run'

/** Lists of logged runs, and their totals. */

const dollars = z.number().min(0).max(1_000_000)

/**
 * Runs by cost, with prices for those without a logged one, in dollars per million tokens. The first row that is valid on the
 * run's day is used. A root has its trace's cost. Embedded platform only.
 */
export const CostFilter = z.strictObject({
  min: dollars.nullish(),
  max: dollars.nullish(),
  /** By the cost of the run's trace instead of its own. */
  is_of_trace: z.boolean().nullish(),
  prices: z
    .array(
      z.strictObject({
        model: z.string().max(1_000),
        provider: z.string().max(1_000).nullish(),
        valid_from: z.iso.date().nullish(),
        input: dollars,
        output: dollars,
        cache_read: dollars,
        cache_write: dollars,
        cache_write_1h: dollars,
        reasoning: dollars,
      }),
    )
    .max(500),
})
export type CostFilter = z.output<typeof CostFilter>

/** Which runs to list or sum. */
const runFilters = {
  cost: CostFilter.nullish(),
  /** Ids of tracing projects. */
  session: z.array(z.string()).nullish(),
  id: z.array(z.string()).nullish(),
  trace: z.string().nullish(),
  parent_run: z.string().nullish(),
  reference_example: z.array(z.string()).nullish(),
  run_type: z.string().nullish(),
  /** Calls of models, embeddings too. Embedded platform only; elsewhere it means the type `llm`. */
  is_model: z.boolean().nullish(),
  is_root: z.boolean().nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
  error: z.boolean().nullish(),
  query: z.string().nullish(),
  filter: z.string().nullish(),
  /** Applies to the root runs. */
  trace_filter: z.string().nullish(),
  /** Applies to any run of the trace. */
  tree_filter: z.string().nullish(),
}
export const TraceRunsQuery = z.strictObject({
  ...runFilters,
  cursor: z.string().nullish(),
  limit: z.int().min(1).max(100).nullish(),
  select: z.array(z.string()).nullish(),
  order: z.enum(['asc', 'desc']).nullish(),
})
export type TraceRunsQuery = z.output<typeof TraceRunsQuery>

export const TraceRunsPage = z.object({
  runs: z.array(TraceRun),
  cursors: z.looseObject({ next: z.string().nullish() }).nullish(),
})
export type TraceRunsPage = z.output<typeof TraceRunsPage>

/**
 * A trace's runs in short form, in order of start time, without their dotted orders. Embedded platform only; elsewhere
 * `queryTraceRuns` by trace does the same in smaller pages.
 */
export const TraceTreeQuery = z.strictObject({ cursor: z.string().optional(), limit: queryInt(1, 5000).optional() })

export const TraceTotalsQuery = z.strictObject({
  ...runFilters,
  /** Also return totals by group, the largest first, and values with their counts. Embedded platform only. */
  group_by: z.enum(TRACE_GROUPS).nullish(),
  facets: z.boolean().nullish(),
  /** The embedded platform also returns the totals per bucket of this many seconds. */
  bucket_seconds: z.int().min(1).max(31_536_000).nullish(),
  /** Also return model calls without a logged cost. */
  model_usage: z.boolean().nullish(),
  /** Also return the cost of other runs than models, even if `run_type` selects models. */
  other_costs: z.boolean().nullish(),
})

const totals = {
  run_count: count,
  error_count: count,
  error_rate: count,
  /** Seconds. */
  latency_p50: count,
  latency_p95: count,
  latency_p99: count,
  first_token_p50: count,
  first_token_p95: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  total_cost: cost,
}
/** Counts and latencies of runs; tokens, cost and time to first token of model runs only. */
export const TraceTotals = z.object({
  ...totals,
  groups: z
    .array(
      z.object({
        /** Null: runs without one. */
        key: z.string().nullable(),
        ...totals,
        model_usage: z.array(ModelUsage),
      }),
    )
    .nullish(),
  group_count: count,
  facets: z
    .record(
      z.enum(TRACE_FACETS),
      z.array(z.object({ value: z.string(), provider: z.string().nullish(), count: z.number() })),
    )
    .nullish(),
  last_run_start_time: z.string().nullish(),
  buckets: z.array(z.object({ start_time: z.string(), ...totals })).nullish(),
  /** `start_time` is the bucket's. */
  model_usage: z.array(ModelUsage.extend({ start_time: z.string().nullish() })).nullish(),
  other_costs: z
    .array(z.object({ start_time: z.string().nullish(), run_count: z.number(), total_cost: cost }))
    .nullish(),
})
export type TraceTotals = z.output<typeof TraceTotals>
