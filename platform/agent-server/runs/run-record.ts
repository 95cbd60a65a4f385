import type { RunCreate } from '@/lib/contracts/agents/runs'
import { RUN_STATUSES_IN_PROGRESS } from '@/lib/contracts/wire/state'
import type { RunError } from '../kernel/errors'
import { fromText } from '../kernel/numbers'
import { takeTurns } from '../kernel/serde'
import { iso, type Query } from '../persistence/db'
import { loadChunks } from '../persistence/value-chunks'
import type { RunPlan } from './run-request'

type Json = Record<string, unknown>
export type CancelAction = 'interrupt' | 'rollback'

export type RunRow = {
  run_id: string
  thread_id: string
  assistant_id: string
  graph_id: string
  status: string
  metadata: Json
  kwargs: RunCreate
  /** Names of the pieces of a large input, which kwargs omits. */
  input_pieces: Buffer | null
  plan: RunPlan
  multitask_strategy: string
  is_resumable: boolean
  is_watched: boolean
  /** Its number in the thread, from 1. */
  ordinal: number
  error: RunError | null
  creator: number
  owner: number | null
  attempt: number
  crashes: number
  cancel: CancelAction | null
  /** When it was first claimed; null while pending. */
  started_at: Date | null
  created_at: Date
  updated_at: Date
}

export const RUN_COLUMNS =
  'run_id, thread_id, assistant_id, graph_id, status, metadata, kwargs, input_pieces, plan, multitask_strategy, is_resumable, is_watched, ordinal, error, creator, owner, attempt, crashes, cancel, started_at, created_at, updated_at'

export const runOut = (row: RunRow) => ({
  run_id: row.run_id,
  thread_id: row.thread_id,
  assistant_id: row.assistant_id,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  status: row.status,
  metadata: row.metadata,
  kwargs: row.kwargs,
  multitask_strategy: row.multitask_strategy,
})

/** The run with its input, reassembled if it is large. */
export async function withInput(
  query: Query,
  row: RunRow,
  parse: (text: string) => unknown = fromText,
): Promise<RunRow> {
  if (!row.input_pieces) return row
  const text = await loadChunks(query, row.thread_id, row.input_pieces)
  await takeTurns(text.length)
  return { ...row, kwargs: { ...row.kwargs, input: parse(text) as RunCreate['input'] }, input_pieces: null }
}

export const isInProgress = (status: string): boolean =>
  (RUN_STATUSES_IN_PROGRESS as readonly string[]).includes(status)

/** Run metadata: the task of another agent that a run continues. A task has the id of its first run. */
export const TASK_KEY = 'a2a_task_id'
