import 'server-only'
import { printJson } from '@/lib/json/lossless'
import type { LogEntry } from '@/lib/stream/log'
import { endedTimes } from '@/lib/stream/run-times'
import { log } from '../process/log'
import { outside } from '../process/outside'
import type { OpenStream } from '../upstream/call'
import type { ActiveRecorder } from './active-recorder'
import type { Hub } from './hub'
import type { RecordingLog } from './log/recording-log'
import { type RecorderTiming, retryMs } from './log/timing'
import { errorOf, factsOf, figuresOf, mayBeCancelled, outcomeOf, resultOf } from './outcome'
import { packSegments } from './packed/pack'
import { RowUpdates } from './row-updates'
import { drain, type Ending } from './source/drain'
import { Intake } from './source/intake'
import { readPastCheckpoints } from './source/past-checkpoints'
import {
  type Asked,
  asAppError,
  askRun,
  isOver,
  isOverStatus,
  openRun,
  type RunPlace,
  readState,
  readThreadError,
} from './source/run-source'
import { findRecording, type RecordingRow, summaryOf } from './store'

/**
 * Follows one run to its end and writes its log, as the only reader upstream however many watch. The outcome is what
 * the server says about run and thread afterwards.
 */
export class Recorder implements ActiveRecorder {
  readonly place: RunPlace
  /** Resolves when the run's id is known, or the recording is over. */
  readonly named: Promise<void>
  readonly #hub: Hub
  readonly #timing: RecorderTiming
  readonly #log: RecordingLog
  readonly #intake: Intake
  readonly #row: RowUpdates
  /** When this instance began to follow the run. */
  readonly #startedAt = Date.now()
  /** When the run began, as far as the console knows. */
  readonly #began: number
  readonly #stop = new AbortController()
  readonly #hasBreakpoints: boolean
  /** The run had ended before anybody followed it. */
  #wasOver = false
  #isResumable: boolean
  #why: 'shutdown' | 'lost' | undefined
  #done: Promise<void> = Promise.resolve()
  #isNamed: () => void = () => {}
  #wake: () => void = () => {}

  constructor(hub: Hub, row: RecordingRow, held: RecordingLog) {
    const { id, workspace, deployment: deploymentId, thread, run, isStateless } = row
    this.#hub = hub
    this.#timing = hub.settings.timing
    this.#log = held
    this.place = { workspace, deploymentId, thread, run, isStateless }
    this.#isResumable = row.isResumable
    this.#hasBreakpoints = /"interrupt_(before|after)":(?!null|\[\])/.test(row.request)
    this.#began = row.startedAt.getTime()
    this.named = new Promise((resolve) => {
      this.#isNamed = resolve
    })
    if (run) this.#isNamed()
    this.#intake = new Intake(held, (thread, run) => this.name(thread, run), hub.settings.recordingBytes)
    this.#row = new RowUpdates(id, hub.instance, {
      isEnded: () => held.phase === 'ended',
      written: () => hub.changed(),
      lost: () => void this.stop('lost'),
      stopped: this.signal,
    })
    hub.writer.accept(id)
    held.onChunk = (chunk) => hub.add(held, chunk, this.#intake.lastEventId || null)
    hub.recorders.set(id, this)
    hub.hold(held)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /**
   * Follows the run from an open stream. `late`: someone else started it, and the log begins with that state unless the
   * run is replayed.
   */
  begin(opened: OpenStream, late?: { state: string | undefined; status: string }): void {
    if (late) this.#intake.expectLate(late.state)
    this.#wasOver = late !== undefined && isOverStatus(late.status)
    if (late && late.status !== 'pending')
      setTimeout(() => this.signal.aborted || this.#intake.beginLate(), this.#timing.joinMs).unref()
    this.#run(opened)
  }

  /** Restores its state from the next entries of a log that it continues. */
  recall(entries: readonly LogEntry[]): void {
    this.#intake.recall(entries)
  }

  /** Continues a recording that nobody recorded `since`, after `recall` of its entries and after `first`. */
  resume(since: number, first?: () => Promise<void>): void {
    if (this.#intake.endStatus === undefined)
      this.#intake.interrupt('The console was stopped or lost its database.', false, since)
    this.#run(undefined, first?.())
  }

  /** Leaves events out that were only asked for to work around a defect of the server. A take-over no longer knows them. */
  hide(eventNames: readonly string[]): void {
    this.#intake.hidden = eventNames
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

  /** Removes a recorder that never began. */
  discard(): void {
    this.#why = 'lost'
    this.#stop.abort(new Error('The recording never started.'))
    this.#hub.recorders.delete(this.#log.id)
    this.#hub.release(this.#log.id)
    this.#isNamed()
  }

  /** Sets the run's ids, from a header or the first event. */
  name(thread: string | null, run: string | null): void {
    const isNew = (run && !this.place.run) || (thread && !this.place.thread)
    this.place.thread ??= thread
    this.place.run ??= run
    if (!isNew) return
    this.#row.add({ thread: this.place.thread, run: this.place.run })
    if (this.place.run) this.#isNamed()
  }

  /** Whether the row has the ids known so far, once the store has answered. What it has not taken is written again later. */
  get written(): Promise<boolean> {
    return this.#row.settled.then(() => this.#row.isWritten)
  }

  /** Resolves when the run is no longer followed. */
  get ended(): Promise<void> {
    return this.#done
  }

  #run(opened: OpenStream | undefined, first?: Promise<void>): void {
    this.#done = outside(() => this.#runAll(opened, first))
  }

  async #runAll(opened: OpenStream | undefined, first?: Promise<void>): Promise<void> {
    try {
      await first
      if (!(await this.#follow(opened))) await this.#giveUp()
    } catch (error) {
      log.error('recorder.failed', { recording: this.#log.id, error })
    } finally {
      if (this.#hub.recorders.get(this.#log.id) === this) this.#hub.recorders.delete(this.#log.id)
      this.#log.onChunk = undefined
      this.#isNamed()
      this.#hub.changed()
    }
  }

  /** True if the log got its end entry. */
  async #follow(opened: OpenStream | undefined): Promise<boolean> {
    const intake = this.#intake
    let stream = opened
    let wasOver = false
    for (let tries = 0; ; tries++) {
      const before = intake.taken
      if (stream) {
        const ending = await this.#read(stream, wasOver)
        if (ending.how === 'stopped') return false
        if (intake.taken > before) tries = 0
      }
      const asked =
        intake.endStatus === undefined ? await this.#statusAfterClose(stream && !intake.isBroken) : undefined
      if (this.signal.aborted) return false
      // A finished run is read until a stream brings nothing new.
      const isRestEmpty = wasOver && stream !== undefined && intake.taken === before
      if (this.#isAtEnd(asked, isRestEmpty)) return await this.#finish(asked)
      // After a take-over the first look finds a run whose stream nobody has closed.
      const isPauseDue = stream !== undefined || tries > 0 || asked?.kind !== 'run'
      stream = undefined
      this.#setPhase(intake.isFull ? 'live' : 'reconnecting')
      if (isPauseDue) await this.pause(retryMs(tries, this.#timing), asked)
      if (this.signal.aborted) return false
      wasOver = asked !== undefined && isOver(asked)
      if (!intake.isFull) stream = await this.#rejoin(wasOver)
    }
  }

  async #read({ body }: OpenStream, wasOver: boolean): Promise<Ending> {
    this.#setPhase('live')
    const ending = await drain(body, {
      signal: this.signal,
      timing: this.#timing,
      frameRest: () => this.#log.frameRest,
      room: () => this.#hub.writer.room(),
      isRunOver: async () => isOver(await askRun(this.place, this.signal)),
      onEvents: (events) => this.#intake.take(events),
    })
    const server = `${this.place.workspace} ${this.place.deploymentId}`
    if (this.#intake.endStatus !== undefined) this.#hub.endSayers.add(server)
    else if (ending.how === 'closed' && this.#hub.endSayers.has(server))
      this.#intake.interrupt('The server closed the stream without an end event.', false)
    if (ending.how === 'broken') this.#intake.interrupt(ending.reason, false)
    else if (ending.how === 'refused') this.#intake.fill(ending.reason)
    else if (ending.how === 'closed') this.#intake.closed(wasOver)
    return ending
  }

  /** The run's status; after a clean close it is asked again until the server has updated it. */
  async #statusAfterClose(isClean: boolean | undefined): Promise<Asked> {
    let asked: Asked = { kind: 'unaskable' }
    for (const wait of isClean ? this.#timing.statusMs : [0]) {
      if (wait > 0) await this.pause(wait)
      asked = await askRun(this.place, this.signal)
      if (asked.kind !== 'run' || isOver(asked)) break
    }
    return asked
  }

  /** `asked` is undefined after an `end` event. */
  #isAtEnd(asked: Asked | undefined, isRestEmpty: boolean): boolean {
    if (asked === undefined || asked.kind === 'gone') return true
    const now = Date.now()
    if (now - this.#startedAt > this.#timing.longestMs) return true
    const isGoingOn = asked.kind === 'run' && !isOver(asked)
    if (
      !isGoingOn &&
      now - this.#intake.heardAt > this.#timing.giveUpMs &&
      now - this.#startedAt > this.#timing.giveUpMs
    )
      return true
    if (asked.kind === 'failed' || isGoingOn) return false
    const mayHaveMore = this.#intake.isBroken && !this.#intake.isFull && this.#canReplay && !isRestEmpty
    return !mayHaveMore
  }

  get #canReplay(): boolean {
    return (this.#isResumable || this.#intake.wasReplayed) && this.place.run !== null
  }

  /** Opens the run's stream again, after the log's last event if the server kept the rest. Undefined if that failed. */
  async #rejoin(wasOver: boolean): Promise<OpenStream | undefined> {
    this.#intake.interrupt('The server closed the stream while the run was in progress.', true)
    const last = this.#intake.replayFrom(wasOver) || (this.#log.last === 0 ? '-1' : undefined)
    const lastEventId = this.#canReplay ? last : undefined
    try {
      const stream = await openRun(this.place, { lastEventId, signal: this.signal, ignoresLimit: true })
      this.#intake.rejoin(lastEventId === undefined ? 'late' : 'replay')
      if (lastEventId === undefined && this.#log.last > 0)
        this.#intake.recordGap((await readState(this.place, this.signal)).text)
      return stream
    } catch (error) {
      const { code, retryAfterMs } = asAppError(error).view
      // The server no longer has the stream, so only the end is left to record.
      if (code === 'not_found' || code === 'unsupported') {
        this.#isResumable = false
        this.#intake.wasReplayed = false
      }
      if (retryAfterMs) await this.pause(Math.min(retryAfterMs, this.#timing.giveUpMs))
      return undefined
    }
  }

  async #finish(last: Asked | undefined): Promise<boolean> {
    const intake = this.#intake
    // After an `end` event the run's record may lag behind.
    const asked = last ?? (await this.#statusAfterClose(true))
    const run = asked.kind === 'run' ? asked.run : undefined
    const { text: state, value, reason: stateReason } = await readState(this.place, this.signal, run)
    const row = await this.#findRow()
    const facts = factsOf(asked, intake, value, {
      isStateless: this.place.isStateless,
      hasBreakpoints: this.#hasBreakpoints,
      wasCancelled: Boolean(row?.cancelledAt),
    })
    if (!facts.wasCancelled && mayBeCancelled(facts)) {
      await this.pause(this.#timing.confirmMs)
      facts.wasCancelled = Boolean((await this.#findRow())?.cancelledAt)
    }
    const { outcome, reason } = outcomeOf(facts)
    const told = errorOf(outcome, intake.errorText, value)
    const noted = outcome === 'error' && !told ? errorOf(outcome, await this.#threadError(), undefined) : undefined
    if (this.signal.aborted) return false
    intake.beginLate()
    intake.recordGap()
    const past = this.#wasOver && !intake.isWhole ? await readPastCheckpoints(this.place, this.signal) : undefined
    if (this.signal.aborted) return false
    const why = [reason, noted, asked.kind === 'failed' && asked.error.message, stateReason].filter(Boolean).join(' ')
    const { startedAt, endedAt } = endedTimes(run, { startedAt: this.#began, endedAt: intake.heardAt })
    const times = { startedAt: new Date(startedAt), endedAt: new Date(endedAt) }
    this.#log.end = { outcome, startedAt: times.startedAt.toISOString(), endedAt: times.endedAt.toISOString() }
    this.#log.phase = 'ended' // stored and told together with the entry, which leaves at once if it is large
    this.#log.append({
      at: Date.now(),
      kind: 'final',
      outcome,
      startedAt,
      endedAt,
      beganAt: this.#began,
      ...(run && { run: printJson(run) }),
      ...(state !== undefined && { state }),
      ...(why && { reason: why }),
      ...(past && { history: JSON.stringify(past) }),
    })
    await this.#stored()
    const result = { ...resultOf(outcome, intake, value, state), error: told ?? noted ?? null }
    const figures = row ? await figuresOf(this.#log, summaryOf(row)) : null
    const end = { phase: 'ended', outcome, ...result, figures, ...times, ...this.#size, owner: null } as const
    await this.#insist(() => this.#row.writeWith(end))
    await packSegments(this.#log.id).catch((error: unknown) =>
      log.warn('recorder.not_packed', { recording: this.#log.id, error }),
    )
    return true
  }

  /** The end of a run is recorded without its reason if that cannot be read. */
  async #threadError(): Promise<string | undefined> {
    return await readThreadError(this.place, { signal: this.signal }).catch(() => undefined)
  }

  async #findRow(): Promise<RecordingRow | undefined> {
    return await this.#insist(() => findRecording(this.#log.id))
  }

  /** Hands the recording over to another instance, with everything that was shown stored. */
  async #giveUp(): Promise<void> {
    if (this.#why === 'shutdown') {
      await this.#stored()
      await this.#row.writeWith({ owner: null, ...this.#size, phase: 'reconnecting' })
    }
    this.#hub.release(this.#log.id)
  }

  async #stored(): Promise<void> {
    this.#log.seal()
    await Promise.all([this.#hub.writer.flushed(this.#log.id), this.#row.settled])
  }

  get #size() {
    return { entries: this.#log.last, bytes: this.#log.totalBytes }
  }

  #setPhase(phase: 'live' | 'reconnecting'): void {
    if (this.#log.phase === phase) return
    this.#log.setPhase(phase)
    this.#row.add({ phase })
  }

  /** Repeats the work until the store is reachable again. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; !this.signal.aborted; tries++) {
      try {
        return await work()
      } catch (error) {
        log.warn('recorder.store_away', { recording: this.#log.id, error })
        await this.pause(retryMs(tries, this.#timing))
      }
    }
    return undefined
  }

  /** Waits until the time is over, a poke or the stop. A failed request may have told how long. */
  pause(ms: number, asked?: Asked): Promise<void> {
    const told = asked?.kind === 'failed' ? (asked.error.view.retryAfterMs ?? 0) : 0
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(ms, Math.min(told, this.#timing.giveUpMs)))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (this.signal.aborted) this.#wake()
    })
  }
}
