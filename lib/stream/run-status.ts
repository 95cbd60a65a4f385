import type { RunRowStatus } from '@/lib/contracts/agents/run-row'
import { entryOf } from '@/lib/json/guards'
import type { RecordingOutcome, RecordingSummary } from './log'
import type { RunView } from './run-view'

type Tone = 'ok' | 'progress' | 'warn' | 'error' | 'unknown'
type Status = { tone: Tone; label: string; detail?: string }
export type RunStatus = Status & { isOver: boolean }

/** Why a run's assistant version is unknown. */
export const VERSION_UNKNOWN =
  'The server does not report the assistant version. It is known only for runs started from this console.'

const OUTCOMES: Record<RecordingOutcome, Status> = {
  success: { tone: 'ok', label: 'Finished' },
  error: { tone: 'error', label: 'Failed' },
  timeout: { tone: 'error', label: 'Timed out' },
  waiting: {
    tone: 'warn',
    label: 'Needs input',
    detail: 'The graph asked a question or stopped before a node, and continues when it is told to.',
  },
  continued: {
    tone: 'ok',
    label: 'Continued',
    detail: 'The graph asked a question or stopped before a node, and the thread has continued since.',
  },
  interrupted: {
    tone: 'warn',
    label: 'Interrupted',
    detail:
      'Stopped early: by a newer run or another program, or at a question or breakpoint for which no thread was kept.',
  },
  cancelled: { tone: 'warn', label: 'Cancelled' },
  deleted: {
    tone: 'warn',
    label: 'Removed',
    detail: 'The run was rolled back, or the agent server no longer has it.',
  },
  unknown: {
    tone: 'unknown',
    label: 'Unknown',
    detail: 'Nothing tells how it ended: the console stopped following it, or its trace has no end.',
  },
}

type Known = {
  phase: RecordingSummary['phase']
  outcome: RecordingOutcome | null
  isStateless?: boolean
  isCancelling?: boolean
  /** The log of its recording, which lists do not read. */
  view?: Pick<RunView, 'interrupts' | 'endStatus' | 'final'>
}

const UNANSWERABLE = 'The graph asked a question, which can’t be answered: the run kept no thread.'
const ROLLED_BACK = 'Rolled back: it was stopped, and its changes were removed.'
const GONE = 'The agent server no longer has this run.'

type Phase = RecordingSummary['phase']

/**
 * The phase to show. A page may hear that a run has ended before it has read how, and then it is still shown as running.
 * `told`: what the live channel said last.
 */
export function shownPhase(summary: Phase, told: Phase | undefined, hasFinal: boolean): Phase {
  if (hasFinal || summary === 'ended') return 'ended'
  return told === 'ended' ? 'live' : (told ?? summary)
}

/** A run's status. Shows "Cancelling…" until the server confirms the end. */
export function runStatus({ phase, outcome, isCancelling, ...known }: Known): RunStatus {
  if (outcome || phase === 'ended') return { ...endOf(outcome ?? 'unknown', known), isOver: true }
  if (isCancelling)
    return {
      tone: 'progress',
      label: 'Cancelling…',
      detail: 'Waiting for the server to confirm.',
      isOver: false,
    }
  if (phase === 'starting') return { tone: 'progress', label: 'Starting', isOver: false }
  if (phase === 'reconnecting')
    return {
      tone: 'warn',
      label: 'Running',
      detail: 'The console lost the stream and is reconnecting.',
      isOver: false,
    }
  return { tone: 'progress', label: 'Running', isOver: false }
}

/** The label is that of lists, except for questions that only the log knows; the detail may tell more. */
function endOf(outcome: RecordingOutcome, { view, isStateless }: Pick<Known, 'view' | 'isStateless'>): Status {
  const told = OUTCOMES[outcome]
  if (view && view.interrupts.size > 0 && (outcome === 'success' || outcome === 'interrupted'))
    return isStateless ? { ...told, detail: UNANSWERABLE } : OUTCOMES.waiting
  if (view?.final && outcome === 'deleted')
    return { ...told, detail: view.endStatus === 'rollback' ? ROLLED_BACK : `${GONE} ${lastKnown(view)}` }
  return told
}

const lastKnown = ({ endStatus }: Pick<RunView, 'endStatus'>): string =>
  endStatus === undefined ? 'It was in progress when last seen.' : 'Its stream ended without telling how it went.'

/** The status of a row in a list, where the server may be the only source. Unknown statuses are shown as received. */
export function rowStatus(status: RunRowStatus): RunStatus {
  if (status === 'pending')
    return {
      tone: 'progress',
      label: 'Queued',
      detail: 'Starts when the server is free, or when the thread’s earlier run has ended.',
      isOver: false,
    }
  if (status === 'starting') return runStatus({ phase: 'starting', outcome: null })
  if (status === 'reconnecting') return runStatus({ phase: 'reconnecting', outcome: null })
  if (status === 'running') return runStatus({ phase: 'live', outcome: null })
  return isOutcome(status)
    ? runStatus({ phase: 'ended', outcome: status })
    : { tone: 'unknown', label: status, isOver: true }
}

const THREADS: Record<string, { tone: Tone | 'neutral'; label: string; detail: string }> = {
  idle: { tone: 'neutral', label: 'Idle', detail: 'No run in progress.' },
  busy: { tone: 'progress', label: 'Busy', detail: 'A run is running or queued.' },
  interrupted: {
    tone: 'warn',
    label: 'Needs input',
    detail: 'The graph asked a question or stopped before a node.',
  },
  error: { tone: 'error', label: 'Failed', detail: 'Its last run failed.' },
}

/** A thread's status. An unknown one is shown as received. */
export const threadStatus = (
  status: string | null | undefined,
): { tone: Tone | 'neutral'; label: string; detail?: string } =>
  entryOf(THREADS, status ?? '') ?? { tone: 'unknown', label: status ?? 'Unknown' }

/**
 * What a server says of a thread: `interrupts` are the open questions by task, if it lists them, `active` the ids of a busy
 * one's runs in progress, if they were read.
 */
export type ThreadNow = {
  status?: string | null | undefined
  interrupts?: Record<string, readonly { id?: string | null | undefined }[]> | null | undefined
  active?: readonly string[] | undefined
}
/** A run that has stopped at questions. */
type Asker = { run: string | null; questions: readonly string[] }

/**
 * Whether a thread has gone on since a run stopped at its questions, also by an answer that failed. Ids of questions decide
 * where it asks again, or no more because its state was changed by hand. A thread that is busy with that run is about to
 * stop at the question: the server's record lags behind.
 */
export function hasGoneOn({ run, questions }: Asker, { status, interrupts, active = [] }: ThreadNow): boolean {
  if (status === 'idle' || status === 'error') return true
  if (status === 'busy') return run !== null && active.some((id) => id !== run)
  if (questions.length === 0 || !interrupts) return false
  return !Object.values(interrupts).some((list) => list.some(({ id }) => !id || questions.includes(id)))
}

const isOutcome = (status: string): status is RecordingOutcome => Object.hasOwn(OUTCOMES, status)
