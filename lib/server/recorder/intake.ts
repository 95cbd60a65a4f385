import 'server-only'
import { redactEventText } from '@/lib/contracts/wire/redact'
import type { LogEntry } from '@/lib/stream/log'
import type { SseEvent } from '@/lib/stream/sse'
import type { RecordingLog } from './recording-log'
import { LIMITS } from './timing'

/** How the stream being read continues the log: exactly, from the server's buffer; or from now on. */
export type Join = 'first' | 'replay' | 'late'
/** Events after `since` may be missing, as long as nothing shows otherwise. */
type Break = { since: number; reason: string; isClean: boolean }

/** Longer than this most servers do not keep events for a replay. */
export const REPLAY_MS = 110_000

/**
 * Puts a run's events into its log, each once and in order, whatever number of streams brings them: what a server repeats
 * after a break is left out, what may be missing is marked before the next event.
 */
export class Intake {
  /** Of the last event taken: where to go on from. */
  lastEventId = ''
  /** The same as a number; NaN where it is none. */
  #lastNumber = Number.NaN
  /** Events taken so far. */
  taken = 0
  heardAt = Date.now()
  sawError = false
  /** Of the `end` event, where the server sends one. */
  endStatus: string | undefined
  /** Nothing is missing and the log begins with the run. */
  isWhole = true
  /** The recording has reached its limit: nothing more is taken. */
  isFull = false
  /** The server replayed a run from its start that it was not asked to keep. */
  wasReplayed = false
  readonly #log: RecordingLog
  readonly #onIds: (thread: string | null, run: string | null) => void
  #join: Join = 'first'
  #break: Break | undefined
  #late: { state: string | undefined } | undefined
  /** The server numbers its events one by one, as far as seen: then a hole shows. */
  #counts: boolean | undefined
  /** The server has sent the last event again since the stream was opened. */
  #isRepeated = false
  #metadata: string | undefined
  /** The metadata of the newest attempt. */
  #newest: string | undefined

  constructor(log: RecordingLog, onIds: (thread: string | null, run: string | null) => void) {
    this.#log = log
    this.#onIds = onIds
  }

  get isBroken(): boolean {
    return this.#break !== undefined
  }

  /** Takes note of what the log already says, in order. */
  recall(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      this.heardAt = entry.at
      if (entry.kind !== 'event') this.isWhole = false
      else {
        if (entry.id !== undefined) this.#count(entry.id, numberOf(entry.id))
        this.#note(entry)
      }
    }
  }

  take(events: readonly SseEvent[]): void {
    const at = Date.now()
    for (const event of events) {
      if (this.isFull || !this.#admit(event)) continue
      const { event: name, id } = event
      // As it came, but for credentials that the server echoes: what is recorded is shown.
      const data = redactEventText(name, event.data)
      this.#log.append(
        id === undefined ? { at, kind: 'event', event: name, data } : { at, kind: 'event', event: name, id, data },
      )
      this.#note(event)
      if (this.#log.totalBytes > LIMITS.recordingBytes) {
        const megabytes = Math.round(LIMITS.recordingBytes / 1024 / 1024)
        this.fill(`The recording reached its limit of ${megabytes} MB and was stopped; the run goes on.`)
      }
    }
    this.#log.sealDue()
    this.heardAt = at
  }

  /** The run was under way before this log: it begins with `state`, unless the server replays it from its start. */
  expectLate(state: string | undefined): void {
    this.#late = { state }
  }

  /** Something from the middle came, or nothing in time. */
  beginLate(): void {
    if (!this.#late) return
    const { state } = this.#late
    this.#late = undefined
    this.isWhole = false
    this.#log.append({ at: Date.now(), kind: 'joined', ...(state !== undefined && { state }) })
  }

  /** The stream is over before the run. A clean end is the server's own doing. The first reason is the one that counts. */
  interrupt(reason: string, isClean: boolean, since = this.heardAt): void {
    this.#break ??= { since, reason, isClean }
  }

  rejoin(join: Join): void {
    this.#join = join
    this.#isRepeated = false
  }

  /** What to ask a replay of, '' for unknown. Of a run that is over the last event once more: it shows that the server keeps them. */
  replayFrom(wasOver: boolean): string {
    return wasOver && this.#counts ? String(this.#lastNumber - 1) : this.lastEventId
  }

  /**
   * The server has closed a stream that brought nothing new. After a replay that shows that nothing was missing; only
   * where the run was over before it and the break was rough may it mean that the server kept nothing.
   */
  closed(wasOver: boolean): void {
    if (this.#join === 'replay' && (this.#break?.isClean || !wasOver || this.#isRepeated)) this.#break = undefined
  }

  /** Marks what may be missing, if anything may. */
  mark(state?: string): void {
    if (!this.#break) return
    const { since, reason } = this.#break
    this.#break = undefined
    this.isWhole = false
    this.#log.append({ at: Date.now(), kind: 'gap', since, reason, ...(state !== undefined && { state }) })
  }

  /** Takes nothing more, and says why. */
  fill(reason: string): void {
    if (this.isFull) return
    this.#break = { since: this.heardAt, reason, isClean: false }
    this.mark()
    this.isFull = true
  }

  /** Whether the event belongs into the log here; marks what is missing before it. */
  #admit(event: SseEvent): boolean {
    if (this.#isToldAnew(event)) {
      // Its numbers begin again, and nothing says how much of the attempt before was sent in vain.
      this.lastEventId = ''
      this.#lastNumber = Number.NaN
      this.#counts = undefined
      this.#join = 'late'
      this.interrupt('The server restarted the run.', true)
    }
    const number = numberOf(event.id)
    const step = number - this.#lastNumber
    if (this.#join !== 'first') {
      // Some servers begin each stream with it, older ones repeat the event that they were asked to go on from.
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
      const isExact =
        this.#join === 'replay' && (this.#counts ? step === 1 : Date.now() - this.#break.since < REPLAY_MS)
      if (isExact) this.#break = undefined
      else this.mark()
    }
    if (event.id !== undefined) this.#count(event.id, number)
    return true
  }

  /** A server that restarted and kept nothing begins the next attempt with its first number, which we have had. */
  #isToldAnew({ event, id, data }: SseEvent): boolean {
    if (this.#join === 'first' || event !== 'metadata' || attemptOf(data) <= attemptOf(this.#newest)) return false
    return id === undefined ? this.isBroken : this.#counts === true && numberOf(id) <= this.#lastNumber
  }

  #count(id: string, number: number): void {
    if (this.lastEventId !== '') this.#counts = this.#counts !== false && number - this.#lastNumber === 1
    this.lastEventId = id
    this.#lastNumber = number
  }

  #note({ event, data }: Pick<SseEvent, 'event' | 'data'>): void {
    this.taken++
    if (event === 'error' || event.startsWith('error|')) this.sawError = true
    else if (event === 'end') this.endStatus = textAt(data, 'status') ?? 'ended'
    else if (event === 'metadata') {
      this.#metadata ??= data
      this.#newest = data
      // A retried run fails only if its last attempt does.
      this.sawError = false
      this.#onIds(textAt(data, 'thread_id') ?? null, textAt(data, 'run_id') ?? null)
    }
  }
}

const numberOf = (id: string | undefined): number =>
  id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN

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
