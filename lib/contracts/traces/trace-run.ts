import { z } from 'zod'
import { JsonObject, openEnum } from '../wire/fields'
import { cost, count, Time, TRACE_RUN_STATUSES, TRACE_RUN_TYPES, tags } from './run-fields'

/** Logged runs as they can be read. */

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
/** As an SDK sent it, which may be anything; it must not make its run unreadable. */
const Feedback = z.looseObject({
  id: z.string().nullish().catch(null),
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
  /** When its trace was logged last, of a run in a list that has not ended. Embedded platform only. */
  last_time: Time.nullish(),
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
   * `attachments`, on which an SDK fails, nor `s3_urls`, whose addresses it would read without its key.
   */
  stored_attachments: z
    .array(z.object({ name: z.string(), content_type: z.string().nullish(), size: count }))
    .nullish(),
  feedback: z.array(Feedback).nullish(),
})
export type TraceRun = z.output<typeof TraceRun>
