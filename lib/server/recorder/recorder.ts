import 'server-only'
import type { LogEntry } from '@/lib/stream/log'
import type { SseEvent } from '@/lib/stream/sse'
import type { OpenStream } from '../call'
import { log } from '../log'
import type { NewEntry } from './chunk'
import { drain, type Ending } from './drain'
import type { ActiveRecorder, Hub } from './hub'
import { isWaitingState, outcomeOf } from './outcome'
import type { RecordingLog } from './recording-log'
import { type Asked, asAppError, askRun, isOver, openRun, type RunPlace, readState } from './run-source'
import { compactSegments, findRecording, type RecordingRow, updateRecording } from './store'
import { LIMITS, TIMING } from './timing'

/** A break that nothing has healed yet: events after `since` may be missing. */
type Break = { since: number; reason: string /** The server itself closed the stream. */; isClean: boolean }
/** How the stream being read continues the log: exactly, from the server's buffer; or from now on. */
type Join = 'first' | 'replay' | 'late'

/** Longer than this most servers do not keep events for a replay. */
const REPLAY_MS = 110_000

/**
 * Follows one run to its end and writes its log: the only reader that the upstream sees, however many watch. Whatever
 * the stream did, the end is what the server says of run and thread afterwards.
 */
export class Recorder implements ActiveRecorder {
  readonly place: RunPlace
  /** Resolves when the run's id is known, or the recording is over. */
  readonly named: Promise<void>
  readonly #hub: Hub
  readonly #log: RecordingLog
  readonly #startedAt = Date.now()
  readonly #stop = new AbortController()
  #why: 'shutdown' | 'lost' | undefined
  #done: Promise<void> = Promise.resolve()
  #isNamed: () => void = () => {}
  #wake: () => void = () => {}
  #isResumable: boolean
  #lastEventId: string
  /** The server numbers its events one by one, as far as seen: then a hole shows. */
  #counts: boolean | undefined
  #metadata: string | undefined
  #heardAt = Date.now()
  #taken = 0
  #break: Break | undefined
  #join: Join = 'first'
  #late: { state: string | undefined } | undefined
  #sawError = false
  #endStatus: string | undefined
  #isFull = false
  #isWhole = true
  #updates: Promise<void> = Promise.resolve()

  constructor(hub: Hub, row: RecordingRow, held: RecordingLog, lastEventId = '') {
    this.#hub = hub
    this.#log = held
    this.place = {
      workspace: row.workspace,
      deployment: row.deployment,
      thread: row.thread,
      run: row.run,
      isStateless: row.isStateless,
    }
    this.#isResumable = row.isResumable
    this.#lastEventId = lastEventId
    this.named = new Promise((resolve) => {
      this.#isNamed = resolve
    })
    if (row.run) this.#isNamed()
    held.onChunk = ({ first, last }, body) =>
      hub.writer.add({ recording: row.id, first, last, body, lastEventId: this.#lastEventId || null })
    hub.recorders.set(row.id, this)
    hub.hold(held)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Follows the run from an open stream. `late`: a run that others started; unless it is replayed from its start, the log begins with that state. */
  begin(opened: OpenStream, late?: { state: string | undefined; isWaiting: boolean }): void {
    if (late) this.#late = { state: late.state }
    if (late && !late.isWaiting) setTimeout(() => this.#beginLate(), TIMING.joinMs).unref()
    this.#run(opened)
  }

  /** Takes note of what the log already says, in order, before `resume`. */
  recall(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      if (entry.kind !== 'event') this.#isWhole = false
      else {
        if (entry.id !== undefined) this.#count(entry.id)
        this.#note(entry)
      }
    }
  }

  /** Goes on with a recording whose instance died or stopped at `since`. */
  resume(since: number): void {
    this.#break = { since, reason: 'The console was stopped or lost its database.', isClean: false }
    this.#heardAt = since
    this.#run(undefined)
  }

  poke(): void {
    this.#wake()
  }

  async stop(why: 'shutdown' | 'lost'): Promise<void> {
    this.#why ??= why
    this.#stop.abort(new Error(`The recorder was stopped (${why}).`))
    this.#wake()
    await this.#done
  }

  /** Undoes a recorder that never began. */
  discard(): void {
    this.#why = 'lost'
    this.#stop.abort(new Error('The recording never began.'))
    this.#hub.recorders.delete(this.#log.id)
    this.#hub.release(this.#log.id)
    this.#isNamed()
  }

  /** The run's ids, from a header or the first event. */
  name(thread: string | null, run: string | null): void {
    const isNew = (run && run !== this.place.run) || (thread && !this.place.thread)
    this.place.thread ??= thread
    this.place.run ??= run
    if (!isNew) return
    this.#update({ thread: this.place.thread, run: this.place.run, phase: this.#log.phase })
    if (this.place.run) this.#isNamed()
  }

  #run(opened: OpenStream | undefined): void {
    this.#done = this.#follow(opened)
      .then(async (isFinished) => {
        if (!isFinished) await this.#giveUp()
      })
      .catch((error: unknown) => log.error('recorder.failed', { recording: this.#log.id, error }))
      .finally(() => {
        this.#hub.recorders.delete(this.#log.id)
        this.#log.onChunk = undefined
        this.#isNamed()
        this.#hub.changed()
      })
  }

  /** True when the log got its end entry. */
  async #follow(opened: OpenStream | undefined): Promise<boolean> {
    let stream = opened
    let isRest = false
    for (let tries = 0; ; tries++) {
      const before = this.#taken
      if (stream) {
        const ending = await this.#read(stream, isRest)
        if (ending.how === 'stopped') return false
        if (this.#taken > before) tries = 0
      }
      const asked =
        this.#endStatus === undefined ? await this.#settled(stream !== undefined && !this.#break) : undefined
      if (this.#stop.signal.aborted) return false
      // Of a run that is over the rest is asked for until nothing more comes.
      if (this.#isAtEnd(asked, isRest && this.#taken === before && stream !== undefined))
        return await this.#finish(asked)
      stream = undefined
      this.#setPhase(this.#isFull ? 'live' : 'reconnecting')
      await this.#pause(Math.min(TIMING.retryFirstMs * 2 ** Math.min(tries, 10), TIMING.retryMaxMs), asked)
      if (this.#stop.signal.aborted) return false
      isRest = asked !== undefined && isOver(asked)
      if (!this.#isFull) stream = await this.#rejoin()
    }
  }

  /** `isRest`: the run was over when the stream was opened. */
  async #read({ body }: OpenStream, isRest: boolean): Promise<Ending> {
    this.#setPhase('live')
    const ending = await drain(body, {
      signal: this.#stop.signal,
      room: () => this.#hub.writer.room(),
      isRunOver: async () => isOver(await askRun(this.place, this.#stop.signal)),
      onEvents: (events) => this.#take(events),
    })
    if (ending.how === 'broken') this.#break ??= { since: this.#heardAt, reason: ending.reason, isClean: false }
    else if (ending.how === 'refused') this.#full(ending.reason)
    // A replay that brought nothing before the server closed it shows that nothing was missing. Only where the run was over
    // already and the break was rough may it mean that the server kept nothing.
    else if (ending.how === 'closed' && this.#join === 'replay' && (this.#break?.isClean || !isRest))
      this.#break = undefined
    return ending
  }

  #take(events: readonly SseEvent[]): void {
    const at = Date.now()
    for (const event of events) {
      if (this.#isFull || !this.#admit(event)) continue
      // As it came: `openStream` has taken echoed credentials out already.
      const { event: name, id, data } = event
      this.#log.append({ at, kind: 'event', event: name, ...(id !== undefined && { id }), data })
      this.#note(event)
      if (this.#log.totalBytes > LIMITS.recordingBytes)
        this.#full(
          `The recording reached its limit of ${Math.round(LIMITS.recordingBytes / 1024 / 1024)} MB and was stopped; the run goes on.`,
        )
    }
    this.#heardAt = at
  }

  /** Whether the event belongs into the log here; marks what is missing before it. */
  #admit(event: SseEvent): boolean {
    const step = numberOf(event.id) - numberOf(this.#lastEventId)
    if (this.#join !== 'first') {
      // Some servers begin each stream with it, older ones repeat the event that they were asked to go on from.
      if (event.event === 'metadata' && event.data === this.#metadata) return false
      if (event.id !== undefined && (event.id === this.#lastEventId || (this.#counts && step <= 0))) return false
    }
    if (this.#late) {
      if (event.event === 'metadata') this.#isResumable = true
      else this.#beginLate()
      this.#late = undefined
    }
    if (this.#break) {
      const isExact =
        this.#join === 'replay' && (this.#counts ? step === 1 : Date.now() - this.#break.since < REPLAY_MS)
      if (isExact) this.#break = undefined
      else this.#mark(undefined)
    }
    if (event.id !== undefined) this.#count(event.id)
    return true
  }

  #count(id: string): void {
    if (this.#lastEventId !== '')
      this.#counts = this.#counts !== false && numberOf(id) - numberOf(this.#lastEventId) === 1
    this.#lastEventId = id
  }

  #note({ event, data }: Pick<SseEvent, 'event' | 'data'>): void {
    this.#taken++
    if (event === 'error' || event.startsWith('error|')) this.#sawError = true
    else if (event === 'end') this.#endStatus = textAt(data, 'status') ?? 'ended'
    else if (event === 'metadata') {
      this.#metadata ??= data
      this.name(textAt(data, 'thread_id') ?? null, textAt(data, 'run_id') ?? null)
    }
  }

  /** Nothing came before the time was up, or something from the middle: the run was under way when we joined. */
  #beginLate(): void {
    if (!this.#late || this.#stop.signal.aborted) return
    this.#log.append({
      at: Date.now(),
      kind: 'joined',
      ...(this.#late.state !== undefined && { state: this.#late.state }),
    })
    this.#isWhole = false
    this.#late = undefined
  }

  #mark(state: string | undefined): void {
    if (!this.#break) return
    const { since, reason } = this.#break
    this.#break = undefined
    this.#isWhole = false
    this.#log.append({ at: Date.now(), kind: 'gap', since, reason, ...(state !== undefined && { state }) })
  }
  #full(reason: string): void {
    if (this.#isFull) return
    this.#break = { since: this.#heardAt, reason, isClean: false }
    this.#mark(undefined)
    this.#isFull = true
  }

  /** What the run's status is once a cleanly closed stream has had time to show in it. */
  async #settled(isClean: boolean): Promise<Asked> {
    let asked: Asked = { kind: 'unaskable' }
    for (const wait of isClean ? TIMING.settleMs : [0]) {
      if (wait > 0) await this.#pause(wait)
      asked = await askRun(this.place, this.#stop.signal)
      if (asked.kind !== 'run' || isOver(asked)) break
    }
    return asked
  }

  #isAtEnd(asked: Asked | undefined, isRestEmpty: boolean): boolean {
    if (asked === undefined || asked.kind === 'gone') return true
    if (
      Date.now() - this.#startedAt > TIMING.longestMs ||
      Date.now() - this.#heardAt > TIMING.giveUpMs * (isOver(asked) ? 0.1 : 1)
    ) {
      if (asked.kind !== 'run' || isOver(asked)) return true
    }
    if (asked.kind === 'failed') return false
    const hasMore =
      this.#break !== undefined && this.#isResumable && !this.#isFull && this.place.run !== null && !isRestEmpty
    return !hasMore && (asked.kind === 'unaskable' || isOver(asked))
  }

  /** Opens the run's stream again, from where the log ends if the server kept the rest. Undefined where that failed. */
  async #rejoin(): Promise<OpenStream | undefined> {
    this.#break ??= {
      since: this.#heardAt,
      reason: 'The server closed the stream while the run went on.',
      isClean: true,
    }
    const lastEventId = this.#isResumable ? this.#lastEventId || (this.#log.last === 0 ? '-1' : undefined) : undefined
    try {
      const stream = await openRun(this.place, { lastEventId, signal: this.#stop.signal })
      this.#join = lastEventId === undefined ? 'late' : 'replay'
      if (lastEventId === undefined && this.#log.last > 0)
        this.#mark((await readState(this.place, this.#stop.signal)).text)
      return stream
    } catch (error) {
      const { view } = asAppError(error)
      // The server has no stream of it any more: only the end is left to tell.
      if (view.code === 'not_found' || view.code === 'unsupported') this.#isResumable = false
      if (view.retryAfterMs) await this.#pause(Math.min(view.retryAfterMs, TIMING.giveUpMs))
      return undefined
    }
  }

  async #finish(last: Asked | undefined): Promise<boolean> {
    // After an `end` event the record may still be a moment behind.
    const asked = last ?? (await this.#settled(true))
    const { text: state, value, reason: stateReason } = await readState(this.place, this.#stop.signal)
    if (this.#stop.signal.aborted) return false
    this.#beginLate()
    this.#mark(undefined)
    const row = await this.#insist(() => findRecording(this.#log.id))
    if (this.#stop.signal.aborted) return false
    const { outcome, reason } = outcomeOf({
      status: asked.kind === 'run' ? asked.status : undefined,
      isGone: asked.kind === 'gone',
      isStateless: this.place.isStateless,
      wasCancelled: Boolean(row?.cancelledAt),
      sawError: this.#sawError,
      endStatus: this.#endStatus,
      isWhole: this.#isWhole,
      isWaiting: isWaitingState(value),
    })
    const why = [reason, asked.kind === 'failed' ? asked.error.message : undefined, stateReason]
      .filter(Boolean)
      .join(' ')
    const entry: NewEntry = {
      at: Date.now(),
      kind: 'final',
      outcome,
      ...(asked.kind === 'run' && { run: asked.text }),
      ...(state !== undefined && { state }),
      ...(why && { reason: why }),
    }
    this.#log.append(entry)
    this.#log.end = { outcome, endedAt: new Date(entry.at).toISOString() }
    this.#log.phase = 'ended' // told together with the entry
    this.#log.seal()
    await Promise.all([this.#hub.writer.flushed(this.#log.id), this.#updates])
    const end = {
      phase: 'ended',
      outcome,
      endedAt: new Date(entry.at),
      entries: this.#log.last,
      bytes: this.#log.totalBytes,
      owner: null,
    } as const
    await this.#insist(() => updateRecording(this.#log.id, end, { instance: this.#hub.instance, isOwner: true }))
    await compactSegments(this.#log.id).catch((error: unknown) =>
      log.warn('recorder.not_compacted', { recording: this.#log.id, error }),
    )
    return true
  }

  /** Leaves the recording to another instance, with all that was shown of it in the store. */
  async #giveUp(): Promise<void> {
    if (this.#why !== 'shutdown') return this.#hub.release(this.#log.id)
    this.#log.seal()
    await Promise.all([this.#hub.writer.flushed(this.#log.id), this.#updates])
    const left = { owner: null, entries: this.#log.last, bytes: this.#log.totalBytes, phase: 'reconnecting' } as const
    await updateRecording(this.#log.id, left, { instance: this.#hub.instance, isOwner: true })
    this.#hub.release(this.#log.id)
  }

  #setPhase(phase: 'live' | 'reconnecting'): void {
    if (this.#log.phase === phase) return
    this.#log.setPhase(phase)
    this.#update({ phase })
  }

  /** In the background, but one after the other. */
  #update(patch: Parameters<typeof updateRecording>[1]): void {
    this.#updates = this.#updates
      .then(() => updateRecording(this.#log.id, patch, { instance: this.#hub.instance, isOwner: true }))
      .then(() => this.#hub.changed())
      .catch((error: unknown) => log.warn('recorder.row_not_updated', { recording: this.#log.id, error }))
  }

  /** The store may be away for a while; what it must learn waits for it. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; !this.#stop.signal.aborted; tries++) {
      try {
        return await work()
      } catch (error) {
        log.warn('recorder.store_away', { recording: this.#log.id, error })
        await this.#pause(Math.min(TIMING.retryFirstMs * 2 ** Math.min(tries, 10), TIMING.retryMaxMs))
      }
    }
    return undefined
  }

  /** Waits, but not beyond a poke or the stop. `failed`: the upstream may have said how long. */
  #pause(ms: number, asked?: Asked): Promise<void> {
    const wait =
      asked?.kind === 'failed' && asked.error.view.retryAfterMs
        ? Math.max(ms, Math.min(asked.error.view.retryAfterMs, TIMING.giveUpMs))
        : ms
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (this.#stop.signal.aborted) this.#wake()
    })
  }
}

const numberOf = (id: string | undefined): number =>
  id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN

function textAt(data: string, key: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(data) as Record<string, unknown> | null)?.[key]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
