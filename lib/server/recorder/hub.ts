import 'server-only'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../process/log'
import { beforeExit, drainViewers } from '../process/shutdown'
import { within } from '../process/within'
import type { ActiveRecorder } from './active-recorder'
import { Claims, type TakeOver } from './claims'
import { WakeLine } from './instances/wake'
import type { Chunk } from './log/chunk'
import type { RecordingLog } from './log/recording-log'
import type { RecorderSettings } from './log/timing'
import { OpenLogs } from './open-logs'
import { packLive } from './packed/pack'
import { keepUp } from './retention'
import { readSegments } from './segments'
import { renewLeases } from './store'
import { Writer } from './writer'

const TICK_MS = 4000
/** What another instance left stands still for its viewers until it is taken over. */
const CLAIM_EVERY_MS = 1000
const RETENTION_EVERY_MS = 3_600_000
/** At a stop, browsers wait for 0.7 s at most before they reconnect (lib/live/connection.ts). */
const RECONNECT_MS = 700
/** In which recordings are handed over, and how long one may hold up the next. */
const PORTIONS = 10
const PORTION_MS = 150

/** This process's recordings: the logs in memory, the active recorders and the line to other instances. */
export class Hub {
  readonly instance = randomInt(1, 2 ** 31 - 1)
  readonly recorders = new Map<string, ActiveRecorder>()
  /** Deployments whose server sends an `end` event. A stream of theirs that closes without one was cut short. */
  readonly endSayers = new Set<string>()
  readonly writer: Writer
  readonly line: WakeLine
  readonly #logs: OpenLogs
  readonly #claims: Claims
  readonly #stopped = new AbortController()
  readonly #changeListeners = new Set<() => void>()
  #starting: Promise<void> | undefined
  #packing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #claimTimer: NodeJS.Timeout | undefined
  #cleanedAt = Number.NEGATIVE_INFINITY

  constructor(
    takeOver: TakeOver,
    readonly settings: RecorderSettings,
  ) {
    this.#logs = new OpenLogs((id) => this.recorders.has(id), this.#stopped.signal)
    this.#claims = new Claims(this.instance, this.recorders, takeOver, this.#stopped.signal)
    this.writer = new Writer(this.instance, {
      onStored: (id, last) => {
        const held = this.#logs.get(id)
        if (held) held.stored = last
      },
      onLost: (id, reason) => {
        log.warn('recorder.lost', { recording: id, reason })
        void this.recorders.get(id)?.stop('lost')
      },
      hasOthers: () => this.line.hasListeners,
    })
    this.line = new WakeLine(
      this.instance,
      (ids) => this.#wake(ids),
      (instance) => this.#logs.isNeighbour(instance),
    )
  }

  /** Whether recordings of dead instances are taken over here. */
  get hasStarted(): boolean {
    return this.#claimTimer !== undefined
  }

  /**
   * Opens the line, takes over recordings of dead instances, and renews the leases from then on. Safe to call
   * repeatedly.
   */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    return this.#starting
  }

  async #start(): Promise<void> {
    await this.line.open()
    if (!this.#timer) {
      beforeExit(() => this.#leave())
      this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref()
      await this.#logs.meet(this.instance).catch((error: unknown) => log.warn('recorder.without_neighbours', { error }))
    }
    this.#claimTimer ??= setInterval(() => void this.#claimLeft(), CLAIM_EVERY_MS).unref()
    await this.claim()
  }

  /** An instance that takes recordings over is slow to answer, so viewers reconnect to it first. */
  async #leave(): Promise<void> {
    if (this.recorders.size > 0 && this.line.hasListeners) {
      await drainViewers()
      await sleep(RECONNECT_MS)
    }
    await this.stop()
  }

  /** Stores everything and hands the recordings over to other instances. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    clearInterval(this.#claimTimer)
    this.#stopped.abort()
    await this.#handOver()
    await Promise.allSettled([this.#claims.underWay, this.#packing])
    this.#logs.leaveNeighbours()
    await this.line.close()
  }

  /** Portion by portion, so that a recording stands still only until others have taken its portion over. */
  async #handOver(): Promise<void> {
    const recorders = [...this.recorders.values()]
    const size = Math.ceil(recorders.length / (this.line.hasListeners ? PORTIONS : 1))
    const stops: Promise<void>[] = []
    do {
      const portion = recorders.splice(0, size).map((recorder) => recorder.stop('shutdown'))
      stops.push(...portion)
      await within(PORTION_MS, Promise.allSettled(portion), undefined)
      await this.line.leave().catch((error: unknown) => log.warn('recorder.farewell_failed', { error }))
    } while (recorders.length > 0)
    await Promise.allSettled(stops)
  }

  /** Takes over what nobody records. A call while one is under way joins it. */
  claim(): Promise<void> {
    return this.#claims.claim()
  }

  /** Replaces whatever was kept of a log with the one being recorded here. */
  hold(one: RecordingLog): void {
    this.#logs.replace(one.id, one)
    this.changed()
  }

  /** Takes a chunk of what is recorded here. */
  add(one: RecordingLog, chunk: Chunk, lastEventId: string | null): void {
    this.#logs.tell(one, chunk)
    this.writer.add({ recording: one.id, chunk, lastEventId })
  }

  /** Drops a log that this process no longer writes; viewers open it again. */
  release(id: string): void {
    this.#logs.replace(id, undefined)
  }

  /** The log of a recording, recorded here or elsewhere. Throws AppError not_found. */
  async log(id: string): Promise<RecordingLog> {
    const held = this.#logs.get(id)
    if (held) return held
    await this.start()
    return await this.#logs.open(id)
  }

  /** Chunks after `cursor` that are not in memory. */
  async readStore(one: RecordingLog, cursor: number, maxBytes: number): Promise<Chunk[]> {
    return await readSegments(one.id, cursor, maxBytes)
  }

  /** The listener is called when the list of recordings may have changed, here or elsewhere. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener)
    return () => this.#changeListeners.delete(listener)
  }
  changed(): void {
    for (const listener of this.#changeListeners) listener()
  }

  #wake(ids: string[] | 'all' | 'left'): void {
    if (ids === 'left') return void this.#claimHandedOver()
    const heard = ids === 'all' ? this.#logs.ids : ids
    for (const id of heard) this.recorders.get(id)?.poke()
    this.#logs.look(heard)
    this.changed()
  }

  async #tick(): Promise<void> {
    try {
      const live = [...this.recorders.keys()].flatMap((id) => this.#logs.get(id) ?? [])
      await renewLeases(
        this.instance,
        live.map(({ id, last, totalBytes, phase }) => ({ id, entries: last, bytes: totalBytes, phase })),
      )
      await this.line.look()
      this.#pack(live)
      if (performance.now() - this.#cleanedAt > RETENTION_EVERY_MS) {
        this.#cleanedAt = performance.now()
        await keepUp()
      }
    } catch (error) {
      log.warn('recorder.tick_failed', { error })
      this.#logs.lookAll() // without the store no notice comes
    }
    this.#logs.tidy()
  }

  #pack(live: readonly RecordingLog[]): void {
    this.#packing ??= packLive(live, { isOver: () => this.#stopped.signal.aborted }).finally(() => {
      this.#packing = undefined
    })
  }

  async #claimLeft(): Promise<void> {
    // After a restart of the store all instances reconnect one by one, so they get time to show that they live.
    if (!this.line.isOpen || performance.now() - this.line.openedAt <= TICK_MS) return
    await this.claim().catch((error: unknown) => log.warn('recorder.claim_failed', { error }))
  }

  /** A claim that is under way may have come too early. */
  async #claimHandedOver(): Promise<void> {
    await this.#claims.underWay?.catch(() => {})
    await this.#claimLeft()
  }
}
