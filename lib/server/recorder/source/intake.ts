import 'server-only'
import { type CancelAction, cancelOf } from '@/lib/contracts/agents/run-options'
import { redactEventText } from '@/lib/contracts/wire/redact'
import type { LogEntry } from '@/lib/stream/log'
import type { SseEvent } from '@/lib/stream/sse'
import { metrics } from '../../process/metrics'
import type { RecordingLog } from '../log/recording-log'

/** How the current stream continues the log: exactly, from the server's buffer, or from now on. */
export type Join = 'first' | 'replay' | 'late'
/** Events after `since` may be missing, unless the stream proves otherwise. */
type Break = { since: number; reason: string; isClean: boolean }

/** Most servers keep events for a replay no longer than this. */
export const REPLAY_MS = 110_000

/**
 * Puts a run's events into its log, each once and in order, from any number of streams. Repeated events are dropped; a
 * possible loss becomes a gap before the next event.
 */
export class Intake {
  /** Id of the last event taken; a replay resumes after it. */
  lastEventId = ''
  /** The same as a number; NaN if it is not numeric. */
  #lastNumber = Number.NaN
  taken = 0
  heardAt = Date.now()
  sawError = false
  /** What the last `error` event said. */
  errorText: string | undefined
  /** The newest values of the root graph, as their JSON text. */
  valuesText: string | undefined
  /** Status of the `end` event, if the server sends one. */
  endStatus: string | undefined
  /** Nothing is missing, and the log begins with the run. */
  isWhole = true
  /** The recording reached its size limit, so nothing more is taken. */
  isFull = false
  /** An `error` event said only that. Not an `end` event: servers that send none must not be expected to. */
  cancelled: CancelAction | undefined
  /** Names of events that count as taken but are not recorded. */
  hidden: readonly string[] = []
  /** The server replayed a run from its start although it was not asked to keep it. */
  wasReplayed = false
  readonly #log: RecordingLog
  readonly #maxBytes: number
  readonly #onIds: (thread: string | null, run: string | null) => void
  #join: Join = 'first'
  #break: Break | undefined
  #late: { state: string | undefined } | undefined
  /** Whether the server numbers its events consecutively, so that a gap shows. */
  #counts: boolean | undefined
  /** The server repeated the last event after the stream was opened. */
  #isRepeated = false
  #metadata: string | undefined
  /** The metadata of the newest attempt. */
  #newest: string | undefined

  constructor(log: RecordingLog, onIds: (thread: string | null, run: string | null) => void, maxBytes: number) {
    this.#log = log
    this.#maxBytes = maxBytes
    this.#onIds = onIds
  }

  get isBroken(): boolean {
    return this.#break !== undefined
  }

  /** Restores its state from the entries that the log already has. */
  recall(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      this.heardAt = entry.at
      if (entry.kind !== 'event') this.isWhole = false
      else {
        if (entry.id !== undefined) this.#count(entry.id, numberOf(entry.id), this.#isNextAttempt(entry))
        this.#note(entry)
      }
    }
  }

  take(events: readonly SseEvent[]): void {
    const at = Date.now()
    const before = this.taken
    for (const event of events) {
      if (this.isFull || !this.#admit(event)) continue
      const { event: name, id } = event
      if (this.hidden.length > 0 && this.hidden.includes(name.split('|', 1)[0] ?? name)) continue
      // Stored as it came, except that echoed credentials are redacted, because recordings are shown.
      const data = redactEventText(name, event.data)
      this.#log.append(
        id === undefined ? { at, kind: 'event', event: name, data } : { at, kind: 'event', event: name, id, data },
      )
      this.#note(event)
      if (this.#log.totalBytes > this.#maxBytes) {
        const megabytes = Math.round(this.#maxBytes / 1024 / 1024)
        this.fill(`The recording reached its limit of ${megabytes} MB and was stopped; the run continues.`)
      }
    }
    metrics().eventsReceived.inc(this.taken - before)
    this.#log.sealDue()
    this.heardAt = at
  }

  /** The run began before this log, which starts with `state` unless the server replays from the start. */
  expectLate(state: string | undefined): void {
    this.#late = { state }
  }

  /** The stream began in the middle, or nothing came in time. */
  beginLate(): void {
    if (!this.#late) return
    const { state } = this.#late
    this.#late = undefined
    this.isWhole = false
    this.#log.append({ at: Date.now(), kind: 'joined', ...(state !== undefined && { state }) })
  }

  /** The stream ended before the run, cleanly if the server chose to end it. The first reason counts. */
  interrupt(reason: string, isClean: boolean, since = this.heardAt): void {
    this.#break ??= { since, reason, isClean }
  }

  rejoin(join: Join): void {
    this.#join = join
    this.#isRepeated = false
  }

  /**
   * Where a replay should start, '' if unknown. For a finished run it includes the last event, which shows whether the
   * server keeps events.
   */
  replayFrom(wasOver: boolean): string {
    return wasOver && this.#counts ? String(this.#lastNumber - 1) : this.lastEventId
  }

  /**
   * The server closed a stream without new events. After a replay that means nothing is missing, unless the run was
   * over and the break was not clean.
   */
  closed(wasOver: boolean): void {
    if (this.#join === 'replay' && (this.#break?.isClean || !wasOver || this.#isRepeated)) this.#break = undefined
    // Nothing follows that the last events could share a frame with.
    this.#log.seal()
  }

  /** Writes a gap if events may be missing. */
  recordGap(state?: string): void {
    if (!this.#break) return
    const { since, reason } = this.#break
    this.#break = undefined
    this.isWhole = false
    this.#log.append({ at: Date.now(), kind: 'gap', since, reason, ...(state !== undefined && { state }) })
  }

  /** Stops taking events, and records why. */
  fill(reason: string): void {
    if (this.isFull) return
    this.#break = { since: this.heardAt, reason, isClean: false }
    this.recordGap()
    this.isFull = true
  }

  /** Whether the event belongs in the log; writes a gap first if events are missing before it. */
  #admit(event: SseEvent): boolean {
    if (this.#isToldAnew(event)) {
      // Numbers start again, and nothing tells how much of the previous attempt was lost.
      this.lastEventId = ''
      this.#lastNumber = Number.NaN
      this.#counts = undefined
      this.#join = 'late'
      this.interrupt('The server restarted the run.', true)
    }
    const number = numberOf(event.id)
    const step = number - this.#lastNumber
    if (this.#join !== 'first') {
      // Some servers begin each stream with it; older ones repeat the event that they resume from.
      if (event.event === 'metadata' && event.data === this.#metadata) return false
      if (event.id !== undefined && event.id === this.lastEventId) this.#isRepeated = true
      if (event.id !== undefined && (event.id === this.lastEventId || (this.#counts && step <= 0))) return false
    }
    if (this.#late) {
      if (event.event === 'metadata') this.wasReplayed = true
      else this.beginLate()
      this.#late = undefined
    }
    if (this.#break) {
      // The ids of a later attempt may begin higher, so they do not show a loss.
      const isNumbered = this.#counts && !this.#isNextAttempt(event)
      const isExact = this.#join === 'replay' && (isNumbered ? step === 1 : Date.now() - this.#break.since < REPLAY_MS)
      if (isExact) this.#break = undefined
      else this.recordGap()
    }
    if (event.id !== undefined) this.#count(event.id, number, this.#isNextAttempt(event))
    return true
  }

  /** A server that restarted without its events starts the next attempt with number one again. */
  #isToldAnew(event: SseEvent): boolean {
    if (this.#join === 'first' || !this.#isNextAttempt(event)) return false
    return event.id === undefined ? this.isBroken : this.#counts !== false && numberOf(event.id) <= this.#lastNumber
  }

  #isNextAttempt({ event, data }: Pick<SseEvent, 'event' | 'data'>): boolean {
    return event === 'metadata' && attemptOf(data) > attemptOf(this.#newest)
  }

  #count(id: string, number: number, isNextAttempt: boolean): void {
    const step = number - this.#lastNumber
    if (this.lastEventId !== '' && !(isNextAttempt && step > 0)) this.#counts = this.#counts !== false && step === 1
    this.lastEventId = id
    this.#lastNumber = number
  }

  #note({ event, data }: Pick<SseEvent, 'event' | 'data'>): void {
    this.taken++
    if (event === 'error' || event.startsWith('error|')) {
      const cancelled = cancelOf({ error: valueAt(data, 'error'), message: valueAt(data, 'message') })
      if (cancelled) this.cancelled = cancelled
      else {
        this.sawError = true
        this.errorText = textAt(data, 'message') ?? textAt(data, 'error')
      }
    } else if (event === 'values') this.valuesText = data
    else if (event === 'end') this.endStatus = textAt(data, 'status') ?? 'ended'
    else if (event === 'metadata') {
      this.#metadata ??= data
      this.#newest = data
      // A retried run only fails if its last attempt does.
      this.sawError = false
      this.errorText = undefined
      this.#onIds(textAt(data, 'thread_id') ?? null, textAt(data, 'run_id') ?? null)
    }
  }
}

const MOST_DIGITS = 15

/** Reads digits itself, because this runs for each event of a burst. */
function numberOf(id: string | undefined): number {
  if (!id || id.length > MOST_DIGITS) return Number.NaN
  let number = 0
  for (let index = 0; index < id.length; index++) {
    const digit = id.charCodeAt(index) - ZERO_CODE
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}
const ZERO_CODE = 48

function valueAt(data: string, key: string): unknown {
  try {
    return (JSON.parse(data) as Record<string, unknown> | null)?.[key]
  } catch {
    return undefined
  }
}
function textAt(data: string, key: string): string | undefined {
  const value = valueAt(data, key)
  return typeof value === 'string' ? value : undefined
}
function attemptOf(metadata: string | undefined): number {
  const value = metadata && valueAt(metadata, 'attempt')
  return typeof value === 'number' ? value : 1
}
