import type { RunRowStatus } from '@/lib/contracts/agents/run-row'
import type { RecordingOutcome, RecordingSummary } from '@/lib/stream/log'

type Tone = 'ok' | 'progress' | 'warn' | 'error' | 'unknown'
export type RunStatus = { tone: Tone; label: string; detail?: string; isOver: boolean }

/** Why a run's version of its assistant is not there. */
export const VERSION_UNKNOWN =
  'Servers do not tell of a run which version of its assistant it was made from. It is known for runs that were started here, unless the assistant was changed at that very moment.'

const OUTCOMES: Record<RecordingOutcome, Omit<RunStatus, 'isOver'>> = {
  success: { tone: 'ok', label: 'Finished' },
  error: { tone: 'error', label: 'Failed' },
  timeout: { tone: 'error', label: 'Timed out' },
  waiting: {
    tone: 'warn',
    label: 'Waiting for a person',
    detail: 'The graph asked a question and goes on when it is answered.',
  },
  interrupted: {
    tone: 'warn',
    label: 'Interrupted',
    detail: 'It stopped before its end: at a breakpoint, or by a newer run or another program.',
  },
  cancelled: { tone: 'warn', label: 'Cancelled' },
  deleted: { tone: 'warn', label: 'Rolled back', detail: 'It was stopped and what it did was removed.' },
  unknown: { tone: 'unknown', label: 'Unknown', detail: 'The console stopped following it before its end was known.' },
}

type Known = {
  phase: RecordingSummary['phase']
  outcome: RecordingOutcome | null
  isWaitingForHuman?: boolean
  isCancelling?: boolean
}

/** A run's state in a word. Cancelling is said until the server has confirmed the end. */
export function runStatus({ phase, outcome, isWaitingForHuman, isCancelling }: Known): RunStatus {
  if (outcome || phase === 'ended') {
    const isPaused = isWaitingForHuman && (outcome === 'success' || outcome === 'interrupted')
    return { ...OUTCOMES[isPaused ? 'waiting' : (outcome ?? 'unknown')], isOver: true }
  }
  if (isCancelling)
    return {
      tone: 'progress',
      label: 'Cancelling…',
      detail: 'The server was asked to stop it and has not confirmed yet.',
      isOver: false,
    }
  if (phase === 'starting') return { tone: 'progress', label: 'Starting', isOver: false }
  if (phase === 'reconnecting')
    return {
      tone: 'warn',
      label: 'Running',
      detail: 'The console lost the stream and is connecting to it again.',
      isOver: false,
    }
  return { tone: 'progress', label: 'Running', isOver: false }
}

/** The same for a row of a list, of which only the server may know. A word that is new is shown as it came. */
export function rowStatus(status: RunRowStatus): RunStatus {
  if (status === 'pending')
    return {
      tone: 'progress',
      label: 'Waiting its turn',
      detail: 'The server has taken it and begins when it is free, or when the thread’s earlier run has ended.',
      isOver: false,
    }
  if (status === 'starting') return runStatus({ phase: 'starting', outcome: null })
  if (status === 'reconnecting') return runStatus({ phase: 'reconnecting', outcome: null })
  if (status === 'running') return runStatus({ phase: 'live', outcome: null })
  return isOutcome(status)
    ? runStatus({ phase: 'ended', outcome: status })
    : { tone: 'unknown', label: status, isOver: true }
}

const isOutcome = (status: string): status is RecordingOutcome => Object.hasOwn(OUTCOMES, status)
