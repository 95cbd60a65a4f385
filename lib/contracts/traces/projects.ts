import { z } from 'zod'
import { JsonObject, queryBool, queryInt, queryList } from '../wire/fields'
import { cost, count } from './run-fields'

/** Tracing projects. */

/** A tracing project; the API calls it a session. */
export const TracingProject = z.object({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
  extra: JsonObject.nullish(),
  tenant_id: z.string().nullish(),
  reference_dataset_id: z.string().nullish(),
  trace_tier: z.string().nullish(),
  last_run_start_time: z.string().nullish(),
  /** With `include_stats`: traces, their latencies in seconds and share of errors, and the usage of model runs. */
  run_count: count,
  latency_p50: count,
  latency_p99: count,
  first_token_p50: count,
  first_token_p99: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_cost: cost,
  completion_cost: cost,
  total_cost: cost,
  error_rate: count,
  feedback_stats: JsonObject.nullish(),
})
export type TracingProject = z.output<typeof TracingProject>

const projectFields = {
  description: z.string().nullish(),
  extra: JsonObject.nullish(),
  trace_tier: z.string().nullish(),
}
export const TracingProjectCreate = z.strictObject({
  name: z.string().min(1),
  id: z.guid().nullish(),
  start_time: z.string().nullish(),
  reference_dataset_id: z.string().nullish(),
  ...projectFields,
})
export const TracingProjectPatch = z.strictObject({
  name: z.string().min(1).nullish(),
  end_time: z.string().nullish(),
  ...projectFields,
})

export const TracingProjectQuery = z.strictObject({ include_stats: queryBool().optional() })

export const TracingProjectsQuery = z.strictObject({
  id: queryList().optional(),
  include_stats: queryBool().optional(),
  name: z.string().optional(),
  name_contains: z.string().optional(),
  limit: queryInt(1, 100).optional(),
  offset: queryInt(0).optional(),
  sort_by: z.string().optional(),
  sort_by_desc: queryBool().optional(),
})
