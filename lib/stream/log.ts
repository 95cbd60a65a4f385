/**
 * One entry of a recording. `seq` counts from 1 without gaps; `at` is the server's receive time in epoch milliseconds.
 * - `event`: a server-sent event as it came; `data` is its raw text (JSON, but never parsed and printed again: numbers stay what they were).
 * - `joined`: the recording began after the run did; earlier output is missing. `state` is the thread state at that moment as JSON text.
 * - `gap`: the upstream broke and events may be missing since `since` (epoch ms); `state` as above where it could be read.
 * - `final`: the last entry. What the server says of run and thread afterwards is the truth, whatever the stream said.
 */
export type LogEntry =
  | { seq: number; at: number; kind: 'event'; event: string; id?: string; data: string }
  | { seq: number; at: number; kind: 'joined'; state?: string }
  | { seq: number; at: number; kind: 'gap'; since: number; reason: string; state?: string }
  | { seq: number; at: number; kind: 'final'; outcome: RecordingOutcome; run?: string; state?: string; reason?: string }

/**
 * How a recorded run ended: the run's own status, or why the console stopped following it. `waiting`: it stopped at a
 * question to a person; `interrupted`: it stopped before its end for another reason.
 */
export type RecordingOutcome =
  | 'success'
  | 'error'
  | 'timeout'
  | 'waiting'
  | 'interrupted'
  | 'cancelled'
  | 'deleted'
  | 'unknown'

/** What the console keeps of a recording in addition to its log. */
export type RecordingSummary = {
  id: string
  workspace: string
  deployment: string
  thread: string | null
  run: string | null
  /** Assistant id or graph name, as the run was started with it. */
  assistant: string
  /** The assistant's version that the run was made from; null or absent where that is not known. */
  assistantVersion?: number | null
  phase: 'starting' | 'live' | 'reconnecting' | 'ended'
  outcome: RecordingOutcome | null
  startedBy: string
  startedAt: string
  endedAt: string | null
  entries: number
  bytes: number
  /** The run request as sent (its body), JSON text; header values redacted. */
  request: string
  isStateless: boolean
}
