import 'server-only'
import type { RecordingOutcome } from '@/lib/stream/log'

/** What is known of a run once its stream is over. */
export type Facts = {
  /** The run's own status; undefined where it could not be read. */
  status: string | undefined
  /** The server has no such run (any more). */
  isGone: boolean
  isStateless: boolean
  /** A cancel of ours was confirmed. */
  wasCancelled: boolean
  /** The stream held an `error` event. */
  sawError: boolean
  /** Of the `end` event, where the server sends one. */
  endStatus: string | undefined
  /** The stream was followed to its end without a break. */
  isWhole: boolean
  /** The thread waits for a person, or has nodes left to run. */
  isWaiting: boolean
  /** The thread has an open question to a person. */
  isAsked: boolean
}

const KNOWN = new Set<string>(['success', 'error', 'timeout', 'interrupted'])

/** The run was stopped from outside, as far as the server tells: by us, or by somebody else. */
export const mayBeCancelled = ({ status, isGone, isStateless, sawError, endStatus, isWaiting }: Facts): boolean =>
  !sawError &&
  !isWaiting &&
  (status === 'interrupted' ||
    status === 'error' ||
    (isGone && !isStateless) ||
    endStatus === 'interrupted' ||
    endStatus === 'rollback')

/** How the run ended, and why we say so where that is not plain. */
export function outcomeOf(facts: Facts): { outcome: RecordingOutcome; reason?: string } {
  const { status, isGone, isStateless, wasCancelled, sawError, endStatus, isWhole, isWaiting, isAsked } = facts
  // Servers disagree on a cancelled run (interrupted, error, deleted by a rollback): we asked for it and it was confirmed.
  if (wasCancelled && status !== 'success' && status !== 'timeout' && !sawError) return { outcome: 'cancelled' }
  // A run that stopped at a question is `success` on some servers and `interrupted` on others; the thread tells.
  if (isAsked && (status === 'success' || status === 'interrupted')) return { outcome: 'waiting' }
  if (status === 'success' && isWaiting) return { outcome: 'interrupted' }
  if (status !== undefined && KNOWN.has(status)) return { outcome: status as RecordingOutcome }
  if (sawError) return { outcome: 'error' }
  if (endStatus === 'rollback') return { outcome: 'deleted', reason: 'The run was rolled back.' }
  if (endStatus !== undefined && KNOWN.has(endStatus)) return { outcome: endStatus as RecordingOutcome }
  if (isStateless && isWhole)
    return {
      outcome: 'success',
      reason: 'The server keeps no record of a stateless run; its stream ended without an error.',
    }
  if (isGone && !isStateless) return { outcome: 'deleted', reason: 'The server has no such run any more.' }
  return {
    outcome: 'unknown',
    reason: status ? `The server says the run is ${status}.` : 'How the run ended could not be learned.',
  }
}

type StateLike = { next?: unknown; interrupts?: unknown; tasks?: unknown } | undefined
const some = (list: unknown) => Array.isArray(list) && list.length > 0

/** Whether a thread state waits for a person or has nodes left. */
export const isWaitingState = (state: StateLike): boolean => some(state?.next) || isAskingState(state)

/** Whether a thread state has an open question to a person. */
export function isAskingState(state: StateLike): boolean {
  const tasks = Array.isArray(state?.tasks) ? state.tasks : []
  return some(state?.interrupts) || tasks.some((task: { interrupts?: unknown } | null) => some(task?.interrupts))
}
