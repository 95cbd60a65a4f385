import type { ErrorView } from '@/lib/errors'

/** Outcome for one of several deployments to delete. */
export type BulkResult = {
  id: string
  /** `deleting`: accepted, its resources are being removed. `unknown`: sent, but the outcome could not be read. */
  outcome: 'deleted' | 'deleting' | 'failed' | 'unknown'
  /** The reason, if it failed or is unknown. */
  reason?: string
}

/** Most deployments that can be deleted at a time. */
export const MAX_BULK = 500

/** Most threads that can be answered at a time. */
export const MAX_ANSWERED = 50

/** Outcome for one of several threads answered together. */
export type AnsweredThread = {
  /** `${deployment} ${thread}`. */
  id: string
  /**
   * `passed`: the interrupt is no longer open, so nothing was sent. `unknown`: sent, but the outcome could not be read.
   * `queued`: waits for a free stream, and nothing was sent yet; it must be asked for again.
   */
  outcome: 'answered' | 'passed' | 'failed' | 'unknown' | 'queued'
  reason?: string
  /** Its place, if queued. Absent behind another thread of the same request. */
  queue?: NonNullable<ErrorView['queue']>
  retryAfterMs?: number
  /** The recording of the resumed run. */
  run?: string
}
