import { z } from 'zod'
import { JsonObject, openEnum } from '../wire/fields'
import { count, Time, TRACE_RUN_TYPES, tags } from './run-fields'

/** What tracing SDKs send. */

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
