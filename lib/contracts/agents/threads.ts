import { z } from 'zod'
import {
  JsonObject,
  listOf,
  objectOrEmpty,
  openEnum,
  queryBool,
  queryCommaList,
  queryInt,
  searchPage,
  sortBy,
} from '../wire/fields'
import { restingStatus, THREAD_STATUSES } from '../wire/state'

/** An interrupt. Additional keys of older servers are left out. */
export const Interrupt = z.object({
  id: z.string().nullish(),
  value: z.unknown(),
  /** JSON Schema of the answer. */
  response_schema: JsonObject.nullish(),
  namespace: z.array(z.string()).nullish(),
})
export type Interrupt = z.output<typeof Interrupt>

export const Checkpoint = z.object({
  thread_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_id: z.string().nullish(),
  checkpoint_map: JsonObject.nullish(),
})
export type Checkpoint = z.output<typeof Checkpoint>

export const ThreadTask = z.object({
  id: z.string(),
  name: z.string(),
  path: z.unknown().optional(),
  error: z.unknown().optional(),
  interrupts: listOf(Interrupt),
  /** Where the state of the task's subgraph is. */
  checkpoint: Checkpoint.nullish(),
  /** The subgraph's state, if requested. */
  get state() {
    return ThreadState.nullish()
  },
  result: z.unknown().optional(),
})
export type ThreadTask = z.output<typeof ThreadTask>

/** A checkpoint of a thread. `next` names the nodes to run and is empty when the graph has finished. */
export const ThreadState = z.object({
  next: listOf(z.string()),
  // Not `listOf`, because the compiler cannot infer a transform in a recursive schema.
  get tasks() {
    return z.array(ThreadTask).default([])
  },
  checkpoint: Checkpoint.nullish(),
  metadata: JsonObject.nullish(),
  created_at: z.string().nullish(),
  parent_checkpoint: Checkpoint.nullish(),
  interrupts: listOf(Interrupt),
  /**
   * Free-form, usually an object; passed on by reference. It is the last key, so that a reader of a large state gets
   * all other keys first.
   */
  values: z.unknown().optional(),
})
export type ThreadState = z.output<typeof ThreadState>

/** `values` is the latest state; `interrupts` are the open ones by task id. */
const ThreadRecord = z.object({
  thread_id: z.string(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  state_updated_at: z.string().nullish(),
  metadata: objectOrEmpty,
  config: JsonObject.nullish(),
  status: openEnum(THREAD_STATUSES).nullish(),
  values: z.unknown().optional(),
  interrupts: z.record(z.string(), z.array(Interrupt)).nullish(),
  ttl: z
    .object({ strategy: z.string().nullish(), ttl_minutes: z.number().nullish(), expires_at: z.string().nullish() })
    .nullish(),
  extracted: JsonObject.nullish(),
  error: z.unknown().optional(),
})
export const Thread = ThreadRecord.transform((thread) => {
  const status = restingStatus(thread)
  return status === thread.status ? thread : { ...thread, status }
})
export type Thread = z.output<typeof Thread>

/** Minutes to live, and what is deleted then. A bare number means `delete`. */
const Ttl = z.union([
  z.number().positive(),
  z.strictObject({ strategy: z.enum(['delete', 'keep_latest']).nullish(), ttl: z.number().positive() }),
])

export const CheckpointRequest = z.strictObject({
  thread_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_id: z.string().nullish(),
  checkpoint_map: JsonObject.nullish(),
})

/** A node to run with its own input. */
export const Send = z.strictObject({ node: z.string(), input: z.unknown() })
/** Resumes, updates or redirects a graph. `resume` is one interrupt's answer, or a map of answers by interrupt id. */
export const Command = z.strictObject({
  update: z.unknown().optional(),
  resume: z.unknown().optional(),
  goto: z.union([z.string(), Send, z.array(z.union([z.string(), Send]))]).nullish(),
})
export type Command = z.output<typeof Command>

const Superstep = z.strictObject({
  updates: z.array(z.strictObject({ values: z.unknown().optional(), command: Command.nullish(), as_node: z.string() })),
})

export const ThreadCreate = z.strictObject({
  thread_id: z.guid().nullish(),
  metadata: JsonObject.nullish(),
  if_exists: z.enum(['raise', 'do_nothing']).nullish(),
  ttl: Ttl.nullish(),
  /** Builds a history without running anything. */
  supersteps: z.array(Superstep).nullish(),
})
export type ThreadCreate = z.output<typeof ThreadCreate>

/** `metadata` is merged. */
export const ThreadPatch = z.strictObject({ metadata: JsonObject.nullish(), ttl: Ttl.nullish() })
export type ThreadPatch = z.output<typeof ThreadPatch>

const filters = {
  metadata: JsonObject.nullish(),
  values: JsonObject.nullish(),
  status: z.enum(THREAD_STATUSES).nullish(),
}

export const ThreadsSearch = z.strictObject({
  ids: z.array(z.string()).nullish(),
  ...filters,
  ...searchPage,
  ...sortBy('thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'),
  /** Must include `thread_id`; a record without it is rejected. */
  select: z.array(z.string()).nullish(),
  /** Alias to path, such as `values.messages[-1]`. */
  extract: z.record(z.string(), z.string()).nullish(),
})
export type ThreadsSearch = z.output<typeof ThreadsSearch>

export const ThreadsCount = z.strictObject(filters)
export const ThreadsPrune = z.strictObject({
  thread_ids: z.array(z.string()),
  strategy: z.enum(['delete', 'keep_latest']).nullish(),
})
export const ThreadQuery = z.strictObject({ include: queryCommaList().optional() })

export const ThreadStateUpdate = z.strictObject({
  values: z.union([JsonObject, z.array(z.unknown())]).nullish(),
  as_node: z.string().nullish(),
  checkpoint: CheckpointRequest.nullish(),
  checkpoint_id: z.string().nullish(),
})
export type ThreadStateUpdate = z.output<typeof ThreadStateUpdate>

/** Where the update was written. */
export const ThreadStateUpdated = z.object({ checkpoint: Checkpoint.nullish(), configurable: JsonObject.nullish() })
export const ThreadStatePatch = z.strictObject({ metadata: JsonObject })
/** Fields of a state; `values.KEY` is a single value of the graph. */
const stateFields = { select: z.array(z.string()).nullish() }
export const ThreadStateQuery = z.strictObject({
  subgraphs: queryBool().optional(),
  /** As in `stateFields`: repeated, or separated by commas. */
  select: queryCommaList().optional(),
})
export const StateAtCheckpoint = z.strictObject({
  checkpoint: CheckpointRequest,
  subgraphs: z.boolean().nullish(),
  ...stateFields,
})

export const ThreadHistoryQuery = z.strictObject({
  limit: queryInt(1, 1000).optional(),
  /** A checkpoint id; only older states are returned. */
  before: z.string().optional(),
})
export const ThreadHistorySearch = z.strictObject({
  limit: z.int().min(1).max(1000).nullish(),
  before: z.union([z.string(), JsonObject]).nullish(),
  metadata: JsonObject.nullish(),
  /** Its namespace selects a subgraph. */
  checkpoint: CheckpointRequest.nullish(),
  ...stateFields,
})
