import { z } from 'zod'
import { JsonObject, openEnum, queryBool, queryInt } from '../wire/fields'

/** Logged runs: what the tracing SDK sends, and what can be read back. */

export const TRACE_RUN_TYPES = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'] as const
export const TRACE_RUN_STATUSES = ['success', 'error', 'pending'] as const

/** ISO text with microseconds, or epoch milliseconds: one SDK sends both in one record. */
const Time = z.union([z.string(), z.number()])
const tags = z.array(z.string()).nullish()

const ingestFields = {
  name: z.string().nullish(),
  run_type: openEnum(TRACE_RUN_TYPES).nullish(),
  start_time: Time.nullish(),
  end_time: Time.nullish(),
  trace_id: z.string().nullish(),
  /** Sorts a trace's runs into its tree: `time` + run id of each ancestor, joined by dots. */
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

/** One run as an SDK sends it. Loose: SDKs of other versions and languages send more, and an intake must not refuse a trace. */
export const TraceRunCreate = z.looseObject({ id: z.string().min(1), ...ingestFields })
export type TraceRunCreate = z.output<typeof TraceRunCreate>
/** Arrives before its create at times; the id stands in the path, or in the body of a batch. */
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

/** What a part of a multipart body is for, from its name; undefined for a name of no known form. */
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
/** Amounts of money are decimal text, so that no digit is lost. */
const cost = z.union([z.string(), z.number()]).nullish()

/** Calls of models whose cost was not logged but whose tokens were, put together by model and UTC day, so that readers can apply prices. */
export const ModelUsage = z.object({
  model: z.string().nullish(),
  provider: z.string().nullish(),
  day: z.string().nullish(),
  run_count: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Contained in the two above. */
  cache_read_tokens: z.number(),
  reasoning_tokens: z.number(),
})
export type ModelUsage = z.output<typeof ModelUsage>

/** A person's or a program's judgement of a run, as it was sent. */
const Feedback = z.looseObject({
  id: z.string().nullish(),
  key: z.unknown().optional(),
  score: z.unknown().optional(),
  value: z.unknown().optional(),
  comment: z.unknown().optional(),
  correction: z.unknown().optional(),
})
export type Feedback = z.output<typeof Feedback>

/** What was logged beside a run, by its name; the embedded platform has it. */
export const TraceAttachmentQuery = z.strictObject({ name: z.string().min(1) })
export const TraceAttachment = z.object({ name: z.string(), content_type: z.string().nullish(), base64: z.string() })
export type TraceAttachment = z.output<typeof TraceAttachment>

/** A run as it is read. `inputs`, `outputs`, `extra` and `events` are free-form. */
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
  /** These four the embedded platform gives by itself; elsewhere they follow from the rest. Times in seconds. */
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
  /** Of roots in lists of the embedded platform: what their whole trace called. */
  model_usage: z.array(ModelUsage).nullish(),
  feedback_stats: JsonObject.nullish(),
  /** These two the embedded platform gives with a single run: what was logged beside it, without the bytes. */
  attachments: z.array(z.object({ name: z.string(), content_type: z.string().nullish(), size: count })).nullish(),
  feedback: z.array(Feedback).nullish(),
})
export type TraceRun = z.output<typeof TraceRun>

export const TraceRunsQuery = z.strictObject({
  id: z.array(z.string()).nullish(),
  trace: z.string().nullish(),
  parent_run: z.string().nullish(),
  run_type: z.string().nullish(),
  /** Ids of tracing projects. */
  session: z.array(z.string()).nullish(),
  reference_example: z.array(z.string()).nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
  error: z.boolean().nullish(),
  query: z.string().nullish(),
  filter: z.string().nullish(),
  trace_filter: z.string().nullish(),
  tree_filter: z.string().nullish(),
  is_root: z.boolean().nullish(),
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

/** The light rows of one trace, in the order in which they began, without their dotted orders. The embedded platform has it; elsewhere `queryTraceRuns` by trace does the same in smaller pages. */
export const TraceTreeQuery = z.strictObject({ cursor: z.string().optional(), limit: queryInt(1, 5000).optional() })

export const TraceTotalsQuery = z.strictObject({
  session: z.array(z.string()).nullish(),
  trace: z.string().nullish(),
  run_type: z.string().nullish(),
  is_root: z.boolean().nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
  error: z.boolean().nullish(),
  query: z.string().nullish(),
  filter: z.string().nullish(),
  /** Of the traces' roots. */
  trace_filter: z.string().nullish(),
  /** The embedded platform also gives the same per piece of time, of so many seconds. */
  bucket_seconds: z.int().min(1).max(31_536_000).nullish(),
  /** And, with it, what of the calls of models has no logged cost. */
  model_usage: z.boolean().nullish(),
  /** And what runs of other types than models cost, whatever `run_type` says of models. */
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
/** Counts and latencies of runs; tokens, cost and time to the first token of runs of models only. */
export const TraceTotals = z.object({
  ...totals,
  last_run_start_time: z.string().nullish(),
  buckets: z.array(z.object({ start_time: z.string(), ...totals })).nullish(),
  /** `start_time` is that of the bucket. */
  model_usage: z.array(ModelUsage.extend({ start_time: z.string().nullish() })).nullish(),
  other_costs: z
    .array(z.object({ start_time: z.string().nullish(), run_count: z.number(), total_cost: cost }))
    .nullish(),
})
export type TraceTotals = z.output<typeof TraceTotals>

/** A tracing project; the wire calls it a session. */
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
  run_count: count,
  last_run_start_time: z.string().nullish(),
  total_tokens: count,
  total_cost: cost,
  error_rate: count,
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

export const TracingProjectsQuery = z.strictObject({
  name: z.string().optional(),
  name_contains: z.string().optional(),
  limit: queryInt(1, 100).optional(),
  offset: queryInt(0).optional(),
  sort_by: z.string().optional(),
  sort_by_desc: queryBool().optional(),
})

/** A judgement of a run. Loose, as all that SDKs send. */
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

/** The intake's limits. What an SDK does with them: `docs` of the traces table. */
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
