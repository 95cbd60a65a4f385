import 'server-only'
import { setImmediate } from 'node:timers/promises'
import type { RecordedFigures } from '@/lib/contracts/agents/run-row'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import type { RecordingOutcome, RecordingSummary } from '@/lib/stream/log'
import { interruptIds } from '@/lib/stream/questions'
import { applyEntry, createRunView, recordedFigures } from '@/lib/stream/run-view'
import { readMessage } from '@/lib/stream/wire/wire-message'
import { log } from '../process/log'
import { chunkAfter, decodeChunk } from './log/chunk'
import type { RecordingLog } from './log/recording-log'
import { readSegments } from './segments'
import type { Intake } from './source/intake'
import type { Asked } from './source/run-source'

/** What is known about a run after its stream ended. */
export type Facts = {
  /** The run's own status; undefined if it could not be read. */
  status: string | undefined
  /** The server does not have the run, or no longer. */
  isGone: boolean
  isStateless: boolean
  /** Our cancel was confirmed. */
  wasCancelled: boolean
  /** The server says that the run was cancelled, by anyone. */
  wasStopped: boolean
  /** The stream held an `error` event. */
  sawError: boolean
  /** Status of the `end` event, if the server sends one. */
  endStatus: string | undefined
  /** The stream was read to its end without a break. */
  isWhole: boolean
  /** The thread has an interrupt, or nodes left to run. */
  isWaiting: boolean
  /** The thread has an open interrupt. */
  isAsked: boolean
  /** The request asked to stop before or after nodes. */
  hasBreakpoints: boolean
}

/** From what the server says about the run and its thread's state, and what its stream held. */
export function factsOf(
  asked: Asked,
  stream: Intake,
  state: StateLike,
  known: Pick<Facts, 'isStateless' | 'hasBreakpoints' | 'wasCancelled'>,
): Facts {
  return {
    ...known,
    status: asked.kind === 'run' ? asked.status : undefined,
    isGone: asked.kind === 'gone',
    sawError: stream.sawError,
    endStatus: stream.cancelled === 'rollback' ? 'rollback' : stream.endStatus,
    wasStopped: stream.cancelled === 'interrupt' || isStoppedState(state),
    isWhole: stream.isWhole && !stream.isBroken,
    isWaiting: isWaitingState(state),
    isAsked: isAskingState(state),
  }
}

const KNOWN = new Set<string>(['success', 'error', 'timeout', 'interrupted'])

/**
 * Whether the server's data is consistent with a run stopped by us or by someone else. A run stopped within a node leaves
 * nodes to run, as a breakpoint does.
 */
export const mayBeCancelled = (facts: Facts): boolean => {
  const { status, isGone, isStateless, wasStopped, sawError, endStatus, isWaiting, isAsked, hasBreakpoints } = facts
  if (wasStopped) return true
  if (sawError || isAsked || (isWaiting && hasBreakpoints)) return false
  return (
    status === 'interrupted' ||
    status === 'error' ||
    (isGone && !isStateless) ||
    endStatus === 'interrupted' ||
    endStatus === 'rollback'
  )
}

/** How the run ended, with a reason where that is not obvious. */
export function outcomeOf(facts: Facts): { outcome: RecordingOutcome; reason?: string } {
  const { status, isGone, isStateless, wasCancelled, wasStopped, sawError, endStatus, isWhole, isWaiting } = facts
  // Some servers keep a rolled-back run as failed.
  if (endStatus === 'rollback' && status !== 'success')
    return { outcome: 'deleted', reason: 'The run was rolled back.' }
  // Servers disagree on the status of a cancelled run (interrupted, error, or deleted by a rollback), so a confirmed
  // cancel decides.
  if ((wasCancelled || wasStopped) && status !== 'success' && status !== 'timeout' && !sawError)
    return { outcome: 'cancelled' }
  // A run that stopped at a question or a breakpoint is `success` on some servers and `interrupted` on others; the thread
  // decides. A run that a newer one interrupted has nodes left too.
  const isStopped = facts.isAsked || (isWaiting && (facts.hasBreakpoints || status === 'success'))
  if (isStopped && !isStateless && (status === 'success' || status === 'interrupted')) return { outcome: 'waiting' }
  if (isStopped && status === 'success') return { outcome: 'interrupted' }
  if (status !== undefined && KNOWN.has(status)) return { outcome: status as RecordingOutcome }
  if (sawError) return { outcome: 'error' }
  if (endStatus !== undefined && KNOWN.has(endStatus)) return { outcome: endStatus as RecordingOutcome }
  if (isStateless && isWhole)
    return {
      outcome: 'success',
      reason: 'The server keeps no record of a stateless run; its stream ended without an error.',
    }
  if (isGone && !isStateless) return { outcome: 'deleted', reason: 'The server no longer has this run.' }
  return {
    outcome: 'unknown',
    reason: status ? `The server reports the run as ${status}.` : 'It is unknown how the run ended.',
  }
}

type StateLike = { next?: unknown; interrupts?: unknown; tasks?: unknown } | undefined
const some = (list: unknown) => Array.isArray(list) && list.length > 0

/** Whether a thread state has an interrupt or nodes left to run. */
export const isWaitingState = (state: StateLike): boolean => some(state?.next) || isAskingState(state)

/** Whether a task of a thread state was cut off by a cancel, as Python servers note it. */
export const isStoppedState = (state: StateLike): boolean =>
  tasksOf(state).some((task) => /^(CancelledError|UserInterrupt)\b/.test(String(task?.error)))

const MOST_ERROR = 2_000

/** Why a run failed, as it is stored: what its stream told, else its thread's tasks. Null if neither did. */
export function errorOf(outcome: RecordingOutcome, told: string | undefined, state: StateLike): string | null {
  if (outcome !== 'error') return null
  const error = told ?? tasksOf(state).find((task) => task?.error)?.error
  const text = isRecord(error) ? error.message : error
  // PostgreSQL stores no NUL.
  return (typeof text === 'string' && text.replaceAll('\0', '').trim().slice(0, MOST_ERROR)) || null
}

const MOST_OUTPUT = 4_000
/** Printing a larger state would block the recorder. */
const MOST_PRINTED = 1_000_000

/**
 * What a run said last, else the values that it left, as they are searched: from its thread's state, or from the values in its
 * stream. Null if there are none. `size`: length of the state as text.
 */
export function outputOf(values: unknown, size: number): string | null {
  if (!isRecord(values)) return null
  const messages = Array.isArray(values.messages) ? values.messages : []
  const said = messages.map((one) => readMessage(one)).findLast((one) => one?.role === 'ai' && spoken(one) !== '')
  const text = said ? spoken(said) : messages.length === 0 && size <= MOST_PRINTED ? printJson(values) : ''
  return text.replaceAll('\0', '').slice(0, MOST_OUTPUT) || null
}

/** Values of a stream; undefined if they are too large to be read at once, or no JSON. */
export function readValues(text: string | undefined): unknown {
  if (text === undefined || text.length > MOST_READ) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
const MOST_READ = 8_000_000

const spoken = ({ parts }: NonNullable<ReturnType<typeof readMessage>>): string =>
  parts
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('')
    .trim()

/** What the row of an ended recording says about its output and its questions. `text`: the state as text. */
export function resultOf(
  outcome: RecordingOutcome,
  stream: Intake,
  state: Record<string, unknown> | undefined,
  text: string | undefined,
) {
  return {
    output: state
      ? outputOf(state.values, text?.length ?? Number.POSITIVE_INFINITY)
      : outputOf(readValues(stream.valuesText), stream.valuesText?.length ?? 0),
    ...(state && outcome === 'waiting' && { questions: interruptIds(state) }),
  }
}

const FIGURES_BYTES = 16 * 1024 * 1024
const PAGE_BYTES = 256 * 1024

/**
 * What the models of a run took, as the page of the run derives it from its log. Null if the log is too long for that or cannot
 * be read: the end of the run must still be stored.
 */
export async function figuresOf(held: RecordingLog, summary: RecordingSummary): Promise<RecordedFigures | null> {
  if (held.totalBytes > FIGURES_BYTES) return null
  const view = createRunView({ budgetBytes: 0 })
  try {
    for (;;) {
      const chunks = held.read(view.seq, PAGE_BYTES) ?? (await readSegments(held.id, view.seq, PAGE_BYTES))
      if (chunks.length === 0) return recordedFigures(view, summary)
      for (const chunk of chunks) {
        const bytes = chunkAfter(chunk, view.seq)
        if (bytes) for (const entry of decodeChunk({ ...chunk, bytes })) applyEntry(view, entry)
        // Other runs go on meanwhile.
        await setImmediate()
      }
    }
  } catch (error) {
    log.warn('recorder.figures_unknown', { recording: held.id, error })
    return null
  }
}

/** Whether a thread state has an open interrupt. */
export const isAskingState = (state: StateLike): boolean =>
  some(state?.interrupts) || tasksOf(state).some((task) => some(task?.interrupts))

function tasksOf(state: StateLike): ({ interrupts?: unknown; error?: unknown } | null)[] {
  return Array.isArray(state?.tasks) ? state.tasks : []
}
