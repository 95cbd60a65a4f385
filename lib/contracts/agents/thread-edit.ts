import type { JsonObject } from '../wire/fields'

/** A place in a thread's history; `ns` is the subgraph's namespace, empty for the graph itself. */
export type CheckpointPlace = { id: string; ns: string; map?: JsonObject }

/** A checkpoint without its values, which may be megabytes. */
export type HistoryRow = CheckpointPlace & {
  parent: string | null
  /** `input`, `loop`, `update`, `fork`, or a newer value. */
  source: string | null
  step: number | null
  /** The nodes that wrote it, if its parent tells. */
  by: string[]
  next: string[]
  tasks: HistoryTask[]
  /** Size of its values as JSON. */
  bytes: number
  at: string | null
  run: string | null
}
/** `ns`: namespace of its subgraph's history, if it has one. */
export type HistoryTask = { id: string; name: string; error: string | null; interrupts: number; ns: string | null }

/** Newest first. `last` is where the next page begins, null at the end. */
export type HistoryPage = { rows: HistoryRow[]; last: string | null }

/** Outcome for one of several threads. `nothing`: there was nothing to do. */
export type ThreadResult = { id: string; outcome: 'done' | 'nothing' | 'failed' | 'unknown'; reason?: string }

/** Most threads that can be changed at a time. */
export const MAX_THREADS = 500

/** Outcome of writing a state: a checkpoint, or a conflict because the thread has a newer one than the user saw. */
export type StateOutcome =
  | { kind: 'saved'; checkpoint: string | null; note?: string }
  | { kind: 'moved'; newest: string; message: string }

/** Outcome of writing metadata. `now` is JSON text of the current metadata if someone else changed the same keys. */
export type MetadataOutcome = { kind: 'saved'; note?: string } | { kind: 'conflict'; message: string; now: string }
