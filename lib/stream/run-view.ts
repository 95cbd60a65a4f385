import type { RecordedFigures } from '@/lib/contracts/agents/run-row'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import { EntryLog } from './entry-log'
import { type Entries, TextEntries } from './entry-text'
import { isStartedHere, type LogEntry, type RecordingOutcome, type RecordingSummary } from './log'
import { messageText, type RunMessage } from './messages'
import { applyEvent, countEvents, errorText, isOnlyCounted, isOnlyInterrupt, type ModeState } from './modes'
import { pastSteps, readPast } from './past-steps'
import { openInterrupts } from './questions'
import { Steps } from './steps'
import { Transcript } from './transcript'

/**
 * A run derived from its log, outside React. `applyEntry` changes the view in constant time per entry and raises
 * `version`; large payloads are parsed when they are shown.
 */
export type RunView = ModeState & {
  version: number
  /** Last entry applied. */
  seq: number
  log: EntryLog
  phase: 'waiting' | 'streaming' | 'ended'
  outcome: RecordingOutcome | null
  /** The reason for the outcome, if it is not obvious. */
  reason: string | undefined
  startedAt: number | undefined
  lastAt: number | undefined
  endedAt: number | undefined
  /** Where output is missing, oldest first. */
  gaps: Extract<LogEntry, { kind: 'gap' | 'joined' }>[]
  final: Extract<LogEntry, { kind: 'final' }> | undefined
  /** Nodes left to run, from the final state. */
  next: string[]
  /** The newest thread state that was read separately from the stream, as JSON text. */
  state: StateText | undefined
  /** Last entry whose state was reconciled with the messages. */
  reconciledSeq: number
}

export type StateText = { seq: number; at: number; text: string }

/** An entry came that does not follow the last one. */
export class MissingEntryError extends RangeError {}

/** States up to this length are parsed to reconcile the messages; a larger one would block the page. */
const PARSE_LIMIT = 8 * 1024 * 1024
const DEFAULT_BUDGET = 96 * 1024 * 1024

export function createRunView({ budgetBytes = DEFAULT_BUDGET } = {}): RunView {
  return {
    version: 0,
    log: new EntryLog(budgetBytes),
    ...emptyState(),
  }
}

const emptyState = (): Omit<RunView, 'version' | 'log'> => ({
  seq: 0,
  phase: 'waiting',
  outcome: null,
  reason: undefined,
  startedAt: undefined,
  lastAt: undefined,
  endedAt: undefined,
  gaps: [],
  final: undefined,
  next: [],
  state: undefined,
  reconciledSeq: 0,
  run: { id: undefined, thread: undefined, attempt: 1 },
  attempts: [],
  transcript: new Transcript(),
  steps: new Steps(),
  values: new Map(),
  interrupts: new Map(),
  feedback: undefined,
  custom: undefined,
  error: undefined,
  endStatus: undefined,
  firstTokenAt: undefined,
  counters: new Map(),
  namespaces: new Map(),
})

/**
 * Applies the next entry; a repeated one changes nothing, and entry 1 restarts the view, because a crash can cut off a
 * log. Throws MissingEntryError if entries are missing.
 */
export function applyEntry(view: RunView, entry: LogEntry): void {
  if (!isNext(view, entry.seq)) return
  view.log.push(entry)
  tell(view, entry)
}

/** Entries between two checks of the remaining time. */
const STEP = 32
/** Events that are only counted are so cheap that many are applied together. */
const RUN = 512

/** Applies entries from index `from` on while `mayGoOn`; returns the index of the first one left. */
export function applyEntries(view: RunView, entries: Entries, from: number, mayGoOn: () => boolean): number {
  let index = from
  for (let step = 1; index < entries.length; step++) {
    if (step % STEP === 0 && !mayGoOn()) break
    const entry = entries.at(index) as LogEntry // within its length
    if (!(entries instanceof TextEntries)) applyEntry(view, entry)
    else if (isNext(view, entry.seq)) {
      if (entry.kind === 'event' && isOnlyCounted(entry.event)) {
        const end = entries.endOf(entry.event, index, RUN)
        view.startedAt ??= entry.at
        countEvents(view, entry.event, end - index - 1)
        index = end - 1
      }
      view.log.take(entries, index + 1)
      tell(view, entries.at(index) as LogEntry) // within its length
    }
    index++
  }
  return index
}

/** Whether the entry is the next one. */
function isNext(view: RunView, seq: number): boolean {
  if (seq === 1 && view.seq > 0) {
    view.log.clear()
    Object.assign(view, emptyState())
  }
  if (seq <= view.seq) return false
  if (seq !== view.seq + 1) throw new MissingEntryError(`Entry ${seq} cannot follow entry ${view.seq}.`)
  return true
}

/** Applies the final entry. */
function tell(view: RunView, entry: LogEntry): void {
  view.seq = entry.seq
  view.version++
  view.startedAt ??= entry.at
  view.lastAt = entry.at
  if (entry.kind === 'event') {
    view.phase = 'streaming'
    applyEvent(view, entry)
  } else if (entry.kind === 'final') applyFinal(view, entry)
  else {
    if (!isOfGapBefore(view, entry)) view.gaps.push(entry)
    applyState(view, entry.state, entry, false)
  }
}

/** Each entry that the store lost becomes a gap entry; one gap is enough. */
function isOfGapBefore({ log }: RunView, entry: LogEntry): boolean {
  const before = log.at(entry.seq - 1)
  return entry.kind === 'gap' && before?.kind === 'gap' && before.reason === entry.reason && entry.state === undefined
}

/** All known messages, in order. Parses the newest `values` at most once. */
export function messagesOf(view: RunView): readonly RunMessage[] {
  const latest = view.values.get('')
  if (latest && latest.seq > view.reconciledSeq && !view.final && latest.text.length <= PARSE_LIMIT) {
    view.reconciledSeq = latest.seq
    const origin = { namespace: [], node: undefined, attempt: view.run.attempt, seq: latest.seq, at: latest.at }
    view.transcript.reconcile(tryParse(latest.text), origin, false)
  }
  return view.transcript.messages
}

/**
 * The newest state of the root graph as its original JSON text: the stream's values, or a thread state
 * (`isThreadState`: with its values under `values`).
 */
export function latestValues(view: RunView): (StateText & { isThreadState: boolean }) | undefined {
  const streamed = view.values.get('')
  if (view.state && view.state.seq > (streamed?.seq ?? 0)) return { ...view.state, isThreadState: true }
  return streamed && { ...streamed, isThreadState: false }
}

/** The root graph's state at an entry, in the form of `latestValues`. Searches the log backwards. */
export function valuesAt(view: RunView, seq: number): ReturnType<typeof latestValues> {
  for (let at = Math.min(seq, view.log.last); at >= view.log.first; at--) {
    const entry = view.log.at(at)
    if (!entry) continue
    if (entry.kind !== 'event') {
      if (entry.state !== undefined) return { seq: at, at: entry.at, text: entry.state, isThreadState: true }
    } else if (entry.event === 'values' && !isOnlyInterrupt(entry.data))
      return { seq: at, at: entry.at, text: entry.data, isThreadState: false }
  }
  return undefined
}

/** The root graph's newest state as JSON text; undefined if the run left none. */
export function stateTextOf(view: RunView): string | undefined {
  const latest = latestValues(view)
  if (!latest) return undefined
  try {
    const value = parseJson(latest.text)
    return printJson(latest.isThreadState && isRecord(value) ? (value.values ?? null) : value)
  } catch {
    return undefined
  }
}

/**
 * The last thing that the root graph's AI said, else the state. A run that did not succeed may have said nothing; then what
 * its thread had before is not its output.
 */
export function outputOf(view: RunView): string {
  const said = messagesOf(view).filter(
    ({ role, namespace, isRemoved, firstSeq }) =>
      role === 'ai' && namespace.length === 0 && !isRemoved && (firstSeq > 0 || view.outcome === 'success'),
  )
  return said.map(messageText).findLast((text) => text.trim() !== '') ?? stateTextOf(view) ?? ''
}

/**
 * Milliseconds from the press of the button, as the console received it, to a model's first token; at most the duration, which
 * begins when the request has reached the agent server. Undefined for a run that was started elsewhere: when its tokens came
 * is then not known.
 */
export function timeToFirstToken(view: RunView, summary: RecordingSummary): number | undefined {
  if (view.firstTokenAt === undefined || !isStartedHere(summary)) return undefined
  const { beganAt, startedAt, endedAt } = view.final ?? {}
  // After the end, the summary's start is by the server's clock.
  const after = Math.max(0, view.firstTokenAt - (beganAt ?? Date.parse(summary.startedAt)))
  return startedAt === undefined || endedAt === undefined ? after : Math.min(after, endedAt - startedAt)
}

/** What a recording tells of what the run's models took; of an ended run, nothing before its log is read to the end. */
export const recordedFigures = (view: RunView, summary: RecordingSummary): RecordedFigures =>
  summary.phase === 'ended' && !view.final
    ? {}
    : { firstTokenMs: timeToFirstToken(view, summary), usage: view.transcript.usage }

/** What became of steps that nothing ended before the run did. */
const STEPS_LEFT: { [outcome in RecordingOutcome]?: 'done' | 'error' | 'unknown' } = {
  ...{ success: 'done', error: 'error', unknown: 'unknown' },
}

/** No more entries will come, and the end of the run is not among them, so nobody knows how its open steps went on. */
export function endEarly(view: RunView): void {
  if (view.phase === 'ended') return
  view.phase = 'ended'
  view.steps.finishAll(view.lastAt ?? 0, view.seq, 'unknown')
  view.version++
}

function applyFinal(view: RunView, entry: Extract<LogEntry, { kind: 'final' }>): void {
  view.final = entry
  view.phase = 'ended'
  view.outcome = entry.outcome
  view.reason = entry.reason
  view.endedAt = entry.at
  applyHistory(view, entry)
  view.steps.finishAll(entry.at, entry.seq, STEPS_LEFT[entry.outcome] ?? 'interrupted')
  const state = applyState(view, entry.state, entry, true)
  // After another outcome, an open question may be an older one.
  const stopped = entry.outcome === 'waiting' || entry.outcome === 'error' ? stoppedTasks(state) : []
  view.steps.keepFailed(new Set(stopped.flatMap(({ task, error }) => (task && error !== undefined ? [task] : []))))
  for (const { name, task, error } of stopped) {
    // The stream of a run that was joined late may lack its error.
    if (error !== undefined)
      view.error ??= { name: 'Error', message: error, namespace: [], seq: entry.seq, at: entry.at }
    view.steps.left(name, task, entry, error === undefined ? 'interrupted' : 'error', error)
  }
}

/** The steps of a run whose stream told none. */
function applyHistory({ steps }: RunView, entry: Extract<LogEntry, { kind: 'final' }>): void {
  const { history, outcome, seq, at, startedAt = at, endedAt = at } = entry
  const past = history === undefined || steps.tracks.size > 0 ? undefined : readPast(history)
  if (past) steps.recount(pastSteps(past, { outcome, startedAt, endedAt }), seq)
}

/** Applies a thread state read separately from the stream. The final one replaces the known messages and interrupts. */
function applyState(
  view: RunView,
  text: string | undefined,
  { seq, at }: LogEntry,
  isFinal: boolean,
): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  view.state = { seq, at, text }
  const state = text.length > PARSE_LIMIT ? undefined : tryParse(text)
  if (!isRecord(state)) return undefined
  view.reconciledSeq = seq
  const origin = { namespace: [], node: undefined, attempt: view.run.attempt, seq, at }
  view.transcript.reconcile(state.values, origin, isFinal)
  if (!isFinal) return state
  view.next = Array.isArray(state.next) ? state.next.filter((one) => typeof one === 'string') : []
  const seen = new Map(view.interrupts)
  view.interrupts.clear()
  for (const one of openInterrupts(text, state)) {
    // The stream knows where and when it was asked; the state has its exact value and shows that it is still open.
    const { namespace, seq: askedSeq, at: askedAt } = seen.get(one.id) ?? { namespace: one.namespace, seq, at }
    view.interrupts.set(one.id, { ...one, namespace, seq: askedSeq, at: askedAt })
  }
  return state
}

/** The tasks of a state that asked or failed. A node that is only next may not have begun. */
function stoppedTasks(
  state: Record<string, unknown> | undefined,
): { name: string; task: string | undefined; error?: string }[] {
  const tasks = Array.isArray(state?.tasks) ? state.tasks.filter(isRecord) : []
  return tasks.flatMap(({ name, id, error, interrupts }) => {
    if (typeof name !== 'string') return []
    const task = typeof id === 'string' ? id : undefined
    if (error !== undefined && error !== null) return [{ name, task, error: errorText(error) }]
    return Array.isArray(interrupts) && interrupts.length > 0 ? [{ name, task }] : []
  })
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
