import { z } from 'zod'
import { JsonObject, objectOrEmpty, openEnum, queryBool, queryInt, queryList } from '../wire/fields'
import { RUN_STATUSES } from '../wire/state'
import { STREAM_MODE_NAMES } from '../wire/stream-modes'
import {
  CANCEL_ACTIONS,
  DURABILITIES,
  IF_NOT_EXISTS,
  MULTITASK_STRATEGIES,
  ON_COMPLETION,
  ON_DISCONNECT,
} from './run-options'
import { CheckpointRequest, Command } from './threads'

/** `kwargs` is the complete request that started it. */
export const Run = z.object({
  run_id: z.string(),
  thread_id: z.string().nullish(),
  assistant_id: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  status: openEnum(RUN_STATUSES),
  metadata: objectOrEmpty,
  kwargs: JsonObject.nullish(),
  multitask_strategy: openEnum(MULTITASK_STRATEGIES).nullish(),
  cancel_reason: z.string().nullish(),
})
export type Run = z.output<typeof Run>

/** Breakpoints: all nodes, or the named ones. */
export const Breakpoints = z.union([z.literal('*'), z.array(z.string())])
export const StreamModes = z.union([z.enum(STREAM_MODE_NAMES), z.array(z.enum(STREAM_MODE_NAMES))])

export const RunConfig = z.looseObject({
  tags: z.array(z.string()).nullish(),
  recursion_limit: z.int().min(1).nullish(),
  configurable: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
})

/** Fields of runs and crons. There are no defaults, because absent fields are the server's choice. */
export const runFields = {
  /** An assistant's id, or a graph's name for its default assistant. */
  assistant_id: z.string().min(1),
  input: z.unknown().optional(),
  metadata: JsonObject.nullish(),
  config: RunConfig.nullish(),
  context: JsonObject.nullish(),
  /** Called at the end; a URL, or a path on the server itself. */
  webhook: z.string().nullish(),
  interrupt_before: Breakpoints.nullish(),
  interrupt_after: Breakpoints.nullish(),
  stream_mode: StreamModes.nullish(),
  stream_subgraphs: z.boolean().nullish(),
  /** Keeps events, so that a reader that lost its connection can get what it missed. */
  stream_resumable: z.boolean().nullish(),
  multitask_strategy: z.enum(MULTITASK_STRATEGIES).nullish(),
  durability: z.enum(DURABILITIES).nullish(),
  /** Deprecated form of `durability`. */
  checkpoint_during: z.boolean().nullish(),
}

const createFields = {
  ...runFields,
  command: Command.nullish(),
  /** Checkpoint to start from, for forks. */
  checkpoint: CheckpointRequest.nullish(),
  checkpoint_id: z.string().nullish(),
  feedback_keys: z.array(z.string()).nullish(),
  if_not_exists: z.enum(IF_NOT_EXISTS).nullish(),
  after_seconds: z.number().min(0).nullish(),
  on_disconnect: z.enum(ON_DISCONNECT).nullish(),
  langsmith_tracer: z.strictObject({ project_name: z.string().nullish(), example_id: z.string().nullish() }).nullish(),
  /** The answer must match an open interrupt. */
  strict_resume: z.boolean().nullish(),
}

/** A run on a thread. */
export const RunCreate = z.strictObject({
  ...createFields,
  // It only applies to stateless runs. Clients send it here too, even with values that no server has.
  on_completion: z.enum(ON_COMPLETION).nullish().catch(undefined),
})
export type RunCreate = z.output<typeof RunCreate>

/** The part of a request that configures a run, whatever its input. */
export const RunConfiguration = RunCreate.pick({
  ...{ context: true, metadata: true },
  ...{ interrupt_before: true, interrupt_after: true, durability: true },
}).extend({ config: z.strictObject(RunConfig.shape).nullish() })
export type RunConfiguration = z.output<typeof RunConfiguration>

/** A run without a thread of its own. Its record still names a temporary one. */
export const StatelessRunCreate = z.strictObject({ ...createFields, on_completion: z.enum(ON_COMPLETION).nullish() })
export type StatelessRunCreate = z.output<typeof StatelessRunCreate>

/** Several stateless runs. The SDK also sends the assistant's id in its own spelling. */
export const RunBatchCreate = z.array(StatelessRunCreate.extend({ assistantId: z.string().optional() })).min(1)

export const RunStreamQuery = z.strictObject({ namespace: queryList().optional() })

/** `limit` defaults to 10. */
export const ListRunsQuery = z.strictObject({
  limit: queryInt(1, 1000).optional(),
  offset: queryInt(0).optional(),
  status: z.string().optional(),
  select: queryList().optional(),
})
export type ListRunsQuery = z.output<typeof ListRunsQuery>

/** Omit `wait` to not wait: some servers take any value for true, even false. */
export const CancelRunQuery = z.strictObject({
  wait: queryBool().optional(),
  action: z.enum(CANCEL_ACTIONS).optional(),
  reason: z.string().optional(),
})

/** Selects runs: all with a status, or some of a thread. */
export const RunsCancel = z.strictObject({
  status: z.enum(['pending', 'running', 'all']).nullish(),
  thread_id: z.string().nullish(),
  run_ids: z.array(z.string()).nullish(),
})
export const RunsCancelQuery = z.strictObject({ action: z.enum(CANCEL_ACTIONS).optional() })

export const JoinRunQuery = z.strictObject({ cancel_on_disconnect: queryBool().optional() })
export const JoinStreamQuery = z.strictObject({
  stream_mode: queryList().optional(),
  cancel_on_disconnect: queryBool().optional(),
  namespace: queryList().optional(),
  checkpoint_id: z.string().optional(),
})

export const THREAD_STREAM_MODES = ['lifecycle', 'run_modes', 'state_update'] as const
/** Servers and clients disagree on the parameter's name, so both are accepted. */
export const ThreadStreamQuery = z.strictObject({
  stream_mode: queryList().optional(),
  stream_modes: queryList().optional(),
})
