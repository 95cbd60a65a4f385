import type { JsonObject } from '../wire/fields'

/** Where in a thread's history something is; `ns` is the subgraph's, empty for the graph itself. */
export type CheckpointPlace = { id: string; ns: string; map?: JsonObject }

/** A checkpoint without its values, which may be megabytes. */
export type HistoryRow = CheckpointPlace & {
  parent: string | null
  /** `input`, `loop`, `update`, `fork`, or what a newer server says. */
  source: string | null
  step: number | null
  /** The nodes that wrote it, as far as its parent tells. */
  by: string[]
  next: string[]
  tasks: HistoryTask[]
  /** Of its values as JSON. */
  bytes: number
  at: string | null
  run: string | null
}
/** `ns`: where its subgraph has its history, for one that has. */
export type HistoryTask = { id: string; name: string; error: string | null; interrupts: number; ns: string | null }

/** Newest first; `last` is where the next page begins, null at the end. */
export type HistoryPage = { rows: HistoryRow[]; last: string | null }

/** What became of one of several threads. `nothing`: there was nothing to do. */
export type ThreadResult = { id: string; outcome: 'done' | 'nothing' | 'failed' | 'unknown'; reason?: string }

/** Threads changed at once, at most. */
export const MAX_THREADS = 500

/** What came of writing a state: a checkpoint, or nothing since the thread has one that the person did not see. */
export type StateOutcome =
  | { kind: 'saved'; checkpoint: string | null; note?: string }
  | { kind: 'moved'; newest: string; message: string }

/** What came of writing metadata; `now` is JSON text of what is there, where somebody else changed the same keys. */
export type MetadataOutcome = { kind: 'saved'; note?: string } | { kind: 'conflict'; message: string; now: string }
