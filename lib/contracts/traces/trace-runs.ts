import { z } from 'zod'
import { JsonObject, openEnum, queryBool, queryInt, queryList } from '../wire/fields'
import { TRACE_FACETS, TRACE_GROUPS } from './groups'

/** Logged runs: what tracing SDKs send, and what can be read. */

export const TRACE_RUN_TYPES = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'] as const
/** `interrupted`: it ended by asking a person; `cancelled`. Embedded platform only; elsewhere they are a success or an error. */
export const TRACE_RUN_STATUSES = ['success', 'error', 'pending', 'interrupted', 'cancelled'] as const

/** ISO text with microseconds, or epoch milliseconds: one SDK sends both in one record. */
const Time = z.union([z.string(), z.number()])
const tags = z.array(z.string()).nullish()

const ingestFields = {
  name: z.string().nullish(),
  run_type: openEnum(TRACE_RUN_TYPES).nullish(),
  start_time: Time.nullish(),
  end_time: Time.nullish(),
  trace_id: z.string().nullish(),
  /** Position in the trace's tree: `time` + run id of each ancestor, joined by dots. */
  dotted_order: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  session_name: z.string().nullish(),
  session_id: z.string().nullish(),
  inputs: z.unknown().optional(),
  outputs: z.unknown().optional(),
  error: z.string().nullish(),
  events: z.array(z.unknown()).nullish(),
  extra: JsonObject.nullish(),
  serialized: z.unknown().optional(),
  tags,
  reference_example_id: z.string().nullish(),
}

/** A run from an SDK. Loose, because other SDKs send more fields and no trace may be rejected. */
export const TraceRunCreate = z.looseObject({ id: z.string().min(1), ...ingestFields })
export type TraceRunCreate = z.output<typeof TraceRunCreate>
/** May arrive before its create. The id is in the path, or in the body of a batch. */
export const TraceRunPatch = z.looseObject({ id: z.string().min(1).nullish(), ...ingestFields })
export type TraceRunPatch = z.output<typeof TraceRunPatch>
export const TraceRunBatch = z.looseObject({
  post: z.array(TraceRunCreate).nullish(),
  patch: z.array(TraceRunCreate).nullish(),
})
export type TraceRunBatch = z.output<typeof TraceRunBatch>

export const MULTIPART_FIELDS = ['inputs', 'outputs', 'events', 'extra', 'error', 'serialized'] as const
export type MultipartField = (typeof MULTIPART_FIELDS)[number]
export type PartName =
  | { kind: 'post' | 'patch'; runId: string; field: MultipartField | undefined }
  | { kind: 'feedback'; id: string }
  | { kind: 'attachment'; runId: string; name: string }

/** The purpose of a multipart part, from its name; undefined for an unknown name. */
export function parsePartName(name: string): PartName | undefined {
  const [kind, id, rest, ...more] = name.split('.')
  if (!id || more.length > 0) return undefined
  if (kind === 'feedback') return rest === undefined ? { kind, id } : undefined
  if (kind === 'attachment') return rest ? { kind, runId: id, name: rest } : undefined
  if (kind !== 'post' && kind !== 'patch') return undefined
  if (rest === undefined) return { kind, runId: id, field: undefined }
  const field = MULTIPART_FIELDS.find((known) => known === rest)
  return field && { kind, runId: id, field }
}

const count = z.number().nullish()
/** Decimal text, so that no digit is lost. */
const cost = z.union([z.string(), z.number()]).nullish()

/** Model calls with tokens but no logged cost, summed by model and UTC day, so that readers can apply prices. */
export const ModelUsage = z.object({
  model: z.string().nullish(),
  provider: z.string().nullish(),
  day: z.string().nullish(),
  run_count: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Included in the two above. */
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number().optional(),
  /** Of those, what the provider keeps for an hour. */
  cache_write_1h_tokens: z.number().optional(),
  reasoning_tokens: z.number(),
})
export type ModelUsage = z.output<typeof ModelUsage>

/** A rating of a run by a person or a program, as it was sent. */
const Feedback = z.looseObject({
  id: z.string().nullish(),
  key: z.unknown().optional(),
  score: z.unknown().optional(),
  value: z.unknown().optional(),
  comment: z.unknown().optional(),
  correction: z.unknown().optional(),
})
export type Feedback = z.output<typeof Feedback>

/** An attachment of a run, by its name. Embedded platform only. */
export const TraceAttachmentQuery = z.strictObject({ name: z.string().min(1) })
export const TraceAttachment = z.object({ name: z.string(), content_type: z.string().nullish(), base64: z.string() })
export type TraceAttachment = z.output<typeof TraceAttachment>

/** A logged run in a response. `inputs`, `outputs`, `extra` and `events` are free-form. */
export const TraceRun = z.object({
  id: z.string(),
  name: z.string().nullish(),
  run_type: openEnum(TRACE_RUN_TYPES).nullish(),
  status: openEnum(TRACE_RUN_STATUSES).nullish(),
  start_time: Time.nullish(),
  end_time: Time.nullish(),
  first_token_time: Time.nullish(),
  trace_id: z.string().nullish(),
  dotted_order: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  parent_run_ids: z.array(z.string()).nullish(),
  child_run_ids: z.array(z.string()).nullish(),
  direct_child_run_ids: z.array(z.string()).nullish(),
  session_id: z.string().nullish(),
  thread_id: z.string().nullish(),
  /** The embedded platform sends these four; otherwise they are derived. Times in seconds. */
  model: z.string().nullish(),
  provider: z.string().nullish(),
  latency: count,
  first_token: count,
  inputs: z.unknown().optional(),
  outputs: z.unknown().optional(),
  inputs_preview: z.string().nullish(),
  outputs_preview: z.string().nullish(),
  error: z.string().nullish(),
  events: z.array(z.unknown()).nullish(),
  extra: JsonObject.nullish(),
  serialized: z.unknown().optional(),
  tags,
  reference_example_id: z.string().nullish(),
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_token_details: JsonObject.nullish(),
  completion_token_details: JsonObject.nullish(),
  prompt_cost: cost,
  completion_cost: cost,
  total_cost: cost,
  prompt_cost_details: JsonObject.nullish(),
  completion_cost_details: JsonObject.nullish(),
  price_model_id: z.string().nullish(),
  /** Model usage of the whole trace, on root runs in lists. Embedded platform only. */
  model_usage: z.array(ModelUsage).nullish(),
  feedback_stats: JsonObject.nullish(),
  /**
   * The embedded platform sends these two with a single run: its attachments, without the bytes. Not called
   * `attachments`, because an SDK fails on a run with that field.
   */
  stored_attachments: z
    .array(z.object({ name: z.string(), content_type: z.string().nullish(), size: count }))
    .nullish(),
  feedback: z.array(Feedback).nullish(),
})
export type TraceRun = z.output<typeof TraceRun>

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

/** A rating of a run. Loose, like everything that SDKs send. */
export const FeedbackCreate = z.looseObject({
  id: z.string().nullish(),
  run_id: z.string().nullish(),
  trace_id: z.string().nullish(),
  key: z.string().min(1),
  score: z.union([z.number(), z.boolean()]).nullish(),
  value: z.unknown().optional(),
  comment: z.string().nullish(),
  correction: z.unknown().optional(),
})
export type FeedbackCreate = z.output<typeof FeedbackCreate>

/** The limits for SDKs, which the `docs` of the traces table explain. */
export const TracingInfo = z.looseObject({
  version: z.string().nullish(),
  batch_ingest_config: z
    .looseObject({
      use_multipart_endpoint: z.boolean().nullish(),
      size_limit: count,
      size_limit_bytes: count,
      scale_up_qsize_trigger: count,
      scale_up_nthreads_limit: count,
      scale_down_nempty_trigger: count,
    })
    .nullish(),
  instance_flags: JsonObject.nullish(),
})
export type TracingInfo = z.output<typeof TracingInfo>
