/**
 * One entry of a recording; `seq` counts from 1 without gaps, `at` is the receive time in epoch ms. `event`: a
 * server-sent event with its raw text. `joined`: the recording began after the run, at `state`. `gap`: events may be
 * missing since `since`. `final`: the last entry, with the server's own account of run and thread.
 */
export type LogEntry =
  | { seq: number; at: number; kind: 'event'; event: string; id?: string; data: string }
  | { seq: number; at: number; kind: 'joined'; state?: string }
  | { seq: number; at: number; kind: 'gap'; since: number; reason: string; state?: string }
  | {
      seq: number
      at: number
      kind: 'final'
      outcome: RecordingOutcome
      run?: string
      state?: string
      reason?: string
      /** When the run began and ended (`endedTimes`); older recordings lack them. */
      startedAt?: number
      endedAt?: number
      /** When the console received the request, by its own clock, as all times of entries; older recordings lack it. */
      beganAt?: number
      /** Of a run that was recorded after its end: its thread's checkpoints as JSON text of `PastCheckpoint[]`. */
      history?: string
    }

/**
 * How a recorded run ended: the run's own status, or why the console stopped following it. `waiting`: it stopped at an
 * interrupt or a breakpoint; `continued`: it did, and its thread has gone on since, which no log knows; `interrupted`: it
 * stopped early for another reason.
 */
export type RecordingOutcome =
  | 'success'
  | 'error'
  | 'timeout'
  | 'waiting'
  | 'continued'
  | 'interrupted'
  | 'cancelled'
  | 'deleted'
  | 'unknown'

/** Metadata key of a run that the console started: the id of its recording. */
export const RECORDING_KEY = 'pilothouse_recording'

/** Whether the console started the run itself, so that its log has the run's own times. */
export const isStartedHere = ({ id, request }: Pick<RecordingSummary, 'id' | 'request'>): boolean =>
  request.includes(`"${RECORDING_KEY}":"${id}"`)

/** The console's record of a recording, without its log. */
export type RecordingSummary = {
  id: string
  workspace: string
  deployment: string
  thread: string | null
  run: string | null
  /** Assistant id or graph name from the run request. */
  assistant: string
  /** The assistant's version when the run started; null or absent if unknown. */
  assistantVersion?: number | null
  phase: 'starting' | 'live' | 'reconnecting' | 'ended'
  outcome: RecordingOutcome | null
  startedBy: string
  startedAt: string
  endedAt: string | null
  entries: number
  bytes: number
  /** The run request's body as JSON text, with header values redacted. */
  request: string
  isStateless: boolean
}
