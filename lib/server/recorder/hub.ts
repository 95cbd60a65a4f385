import 'server-only'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@/lib/errors'
import { storeOutage } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { mapConcurrent } from '../process/map-concurrent'
import { beforeExit, drainViewers } from '../process/shutdown'
import { within } from '../process/within'
import type { Message } from './instances/messages'
import { Neighbours } from './instances/neighbours'
import { WakeLine } from './instances/wake'
import type { Chunk } from './log/chunk'
import { fitMemory, RecordingLog } from './log/recording-log'
import { frameMs, type RecorderSettings } from './log/timing'
import { packLive } from './packed/pack'
import { keepUp } from './retention'
import { type News, readNews, readSegments, storedEnd } from './segments'
import type { RunPlace } from './source/run-source'
import { CLAIMED_AT_ONCE, claimAgain, claimRecordings, findRecording, type RecordingRow, renewLeases } from './store'
import { Writer } from './writer'

const TICK_MS = 4000
/** What another instance left stands still for its viewers until it is taken over. */
const CLAIM_EVERY_MS = 1000
const RETENTION_EVERY_MS = 3_600_000
/** Memory for all logs together. Beyond it, stored entries are dropped, those unread for longest first. */
const MEMORY_BYTES = 256 * 1024 * 1024
/** Logs recorded elsewhere are kept whole up to this size; larger ones are read from the store by page. */
const WHOLE_BYTES = 48 * 1024 * 1024
const IDLE_MS = 60_000
/** After a failure of the store, a take-over is tried again, and what other instances wrote is read again. */
const AGAIN_MS = 1_000
/** At a stop, browsers wait for 0.7 s at most before they reconnect (lib/live/connection.ts). */
const RECONNECT_MS = 700
/** In which recordings are handed over, and how long one may hold up the next. */
const PORTIONS = 10
const PORTION_MS = 150

/** One recorder at work in this process. */
export type ActiveRecorder = {
  readonly place: RunPlace
  /** Something about the run changed elsewhere, such as a cancel: check it now. */
  poke(): void
  /** Stops following without an end entry. `lost`: another instance took over. */
  stop(why: 'shutdown' | 'lost'): Promise<void>
}
type TakeOver = (row: RecordingRow, wasCrash: boolean) => Promise<void>

/** This process's recordings: the logs in memory, the active recorders and the line to other instances. */
export class Hub {
  readonly instance = randomInt(1, 2 ** 31 - 1)
  readonly recorders = new Map<string, ActiveRecorder>()
  /** Deployments whose server sends an `end` event. A stream of theirs that closes without one was cut short. */
  readonly endSayers = new Set<string>()
  readonly writer: Writer
  readonly line: WakeLine
  #neighbours: Neighbours | undefined
  readonly #logs = new Map<string, RecordingLog>()
  readonly #opening = new Map<string, Promise<RecordingLog>>()
  readonly #refreshing = new Map<string, { again: boolean; done: Promise<void> }>()
  /** Logs recorded elsewhere that may have grown. */
  readonly #due = new Set<RecordingLog>()
  /** Recordings that are being taken over. */
  readonly #beginning = new Set<string>()
  #isFollowing = false
  #isStopped = false
  readonly #changeListeners = new Set<() => void>()
  #starting: Promise<void> | undefined
  #claiming: Promise<void> | undefined
  #packing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #claims: NodeJS.Timeout | undefined
  #cleanedAt = Number.NEGATIVE_INFINITY
  #takeOver: TakeOver

  constructor(
    takeOver: TakeOver,
    readonly settings: RecorderSettings,
  ) {
    this.#takeOver = takeOver
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
    const isNeighbour = (instance: number) => this.#neighbours?.has(instance) ?? false
    this.line = new WakeLine(this.instance, (ids) => this.#wake(ids), isNeighbour)
  }

  /** Whether recordings of dead instances are taken over here. */
  get hasStarted(): boolean {
    return this.#claims !== undefined
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
      await this.#meet().catch((error: unknown) => log.warn('recorder.without_neighbours', { error }))
    }
    this.#claims ??= setInterval(() => void this.#claimLeft(), CLAIM_EVERY_MS).unref()
    await this.claim()
  }

  /** Gets what other processes of this machine record straight from them. */
  async #meet(): Promise<void> {
    const folder = env().PILOTHOUSE_NEIGHBOURS
    if (folder === undefined) return
    const neighbours = new Neighbours(folder, this.instance, {
      recorded: (id) => (this.recorders.has(id) ? this.#logs.get(id) : undefined),
      followed: () => this.#followed(),
      onChunk: (news) => this.#adopt(news),
      onLost: () => this.#look(),
    })
    this.#neighbours = neighbours
    await neighbours.open()
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
    clearInterval(this.#claims)
    this.#isStopped = true
    await this.#handOver()
    await Promise.allSettled([this.#claiming, this.#packing])
    this.#neighbours?.close()
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
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
    })
    return this.#claiming
  }

  async #claim(): Promise<void> {
    // One portion after another, so that other instances get their share and viewers wait for none but the first.
    for (let isMore = true; isMore && !this.#isStopped; ) {
      const claimed = await claimRecordings(this.instance)
      isMore = claimed.length === CLAIMED_AT_ONCE
      await mapConcurrent(claimed, ({ row, wasCrash }) => this.#begin(row, wasCrash))
    }
  }

  async #begin(row: RecordingRow, wasCrash: boolean): Promise<void> {
    // The store was unreachable for longer than a lease.
    if (this.recorders.has(row.id) || this.#beginning.has(row.id)) return
    log.info('recorder.taken_over', { recording: row.id, wasCrash })
    this.#beginning.add(row.id)
    try {
      await this.#takeOver(row, wasCrash)
      if (this.#isStopped) await this.recorders.get(row.id)?.stop('shutdown')
    } catch (error) {
      log.error('recorder.take_over_failed', { recording: row.id, error })
      if (storeOutage(error)) this.#beginLater(row.id)
    } finally {
      this.#beginning.delete(row.id)
    }
  }

  /** Until the lease ends, no other instance would. */
  #beginLater(id: string): void {
    const again = async () => {
      const row = this.#isStopped ? undefined : await claimAgain(id, this.instance)
      if (row) await this.#begin(row, true)
    }
    setTimeout(() => void again().catch(() => this.#beginLater(id)), AGAIN_MS).unref()
  }

  /** Replaces whatever was kept of a log with the one being recorded here. */
  hold(one: RecordingLog): void {
    this.#replace(one.id, one)
    this.changed()
  }

  /** Takes a chunk of what is recorded here. */
  add(one: RecordingLog, chunk: Chunk, lastEventId: string | null): void {
    this.#neighbours?.tell(one, chunk)
    this.writer.add({ recording: one.id, chunk, lastEventId })
  }

  /** Drops a log that this process no longer writes; viewers open it again. */
  release(id: string): void {
    this.#replace(id, undefined)
  }

  /** The log of a recording, recorded here or elsewhere. Throws AppError not_found. */
  async log(id: string): Promise<RecordingLog> {
    const held = this.#logs.get(id)
    if (held) return held
    let opening = this.#opening.get(id)
    if (!opening) {
      opening = this.#open(id).finally(() => this.#opening.delete(id))
      this.#opening.set(id, opening)
    }
    return opening
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

  async #open(id: string): Promise<RecordingLog> {
    await this.start()
    const row = await findRecording(id)
    if (!row) throw new AppError('not_found', 'This workspace has no such recording. It may have expired.')
    const end = await storedEnd(id)
    const known = this.#logs.get(id) // a recorder may have started meanwhile
    if (known) return known
    const opened = new RecordingLog(row, row.cuts, { phase: row.phase, last: end.last, totalBytes: end.bytes })
    this.#logs.set(id, opened)
    try {
      if (end.bytes <= WHOLE_BYTES && end.last > 0) opened.fill(await readSegments(id, 0, Number.MAX_SAFE_INTEGER))
      // It may have grown between the two reads, without a notice, because it was not in the map yet.
      if (row.phase !== 'ended') await this.#refresh(opened)
      if (opened.phase !== 'ended') this.#neighbours?.want(opened)
    } catch (error) {
      if (this.#logs.get(id) === opened) this.release(id)
      throw error
    }
    return opened
  }

  #replace(id: string, by: RecordingLog | undefined): void {
    const before = this.#logs.get(id)
    if (by) this.#logs.set(id, by)
    else this.#logs.delete(id)
    if (!before || before === by) return
    this.#neighbours?.drop(id)
    before.abandon()
  }

  #wake(ids: string[] | 'all' | 'left'): void {
    if (ids === 'left') return void this.#claimHandedOver()
    const heard = ids === 'all' ? [...this.#logs.keys()] : ids
    for (const id of heard) {
      const [held, recorder] = [this.#logs.get(id), this.recorders.get(id)]
      if (recorder) recorder.poke()
      else if (held) this.#due.add(held)
    }
    void this.#follow()
    this.changed()
  }

  /** Reads what other instances wrote, in one read for all logs, once per frame at most. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    while (this.#due.size > 0 && !this.#isStopped) {
      const logs = [...this.#due].filter((one) => this.#isFollowed(one))
      this.#due.clear()
      const frame = sleep(frameMs())
      try {
        const news = await readNews(logs)
        for (const one of logs)
          this.#take(one, news.get(one.id)).then(
            () => one.setOutage(undefined),
            (error: unknown) => this.#miss([one], error),
          )
      } catch (error) {
        this.#miss(logs, error)
      }
      await frame
    }
    this.#isFollowing = false
  }

  /** Tells viewers that there may be more than they see, and reads it again later: no other notice may come. */
  #miss(logs: readonly RecordingLog[], error: unknown): void {
    log.warn('recorder.news_failed', { recordings: logs.length, error })
    if (storeOutage(error)) for (const one of logs) if (one.phase !== 'ended') one.setOutage(error)
    setTimeout(() => this.#look(logs), AGAIN_MS).unref()
  }

  #look(logs: Iterable<RecordingLog> = this.#logs.values()): void {
    for (const one of this.#followed(logs)) this.#due.add(one)
    void this.#follow()
  }

  #followed(logs: Iterable<RecordingLog> = this.#logs.values()): RecordingLog[] {
    return [...logs].filter((one) => one.phase !== 'ended' && this.#isFollowed(one))
  }

  #isFollowed(one: RecordingLog): boolean {
    return this.#logs.get(one.id) === one && !this.recorders.has(one.id)
  }

  /** Adds what another process of this machine has just recorded. */
  #adopt({ id, epoch, stored, chunk }: Extract<Message, { kind: 'chunk' }>): void {
    const one = this.#logs.get(id)
    if (!one || !this.#isFollowed(one) || (epoch === one.epoch && one.adopt(chunk, stored))) return
    // What is still missing after that has not been stored yet, and comes from the neighbour's memory.
    this.#refresh(one).then(
      () => this.#neighbours?.want(one),
      (error: unknown) => this.#miss([one], error),
    )
  }

  /** Adds the news to a log. What they do not tell, such as an end or a gap, is read for that log alone. */
  async #take(one: RecordingLog, news: News | undefined): Promise<void> {
    if (!this.#isFollowed(one)) return
    if (news?.epoch === one.epoch) {
      if (news.phase === 'ended' && one.phase === 'ended') return
      if (news.phase !== 'ended' && news.chunks.every((chunk) => one.adopt(chunk))) {
        one.setPhase(news.phase)
        if (!news.isAll) this.#due.add(one)
        return
      }
    }
    await this.#refresh(one)
  }

  /** Reads what another instance wrote, one read at a time per log. A notice during a read causes another one. */
  #refresh(one: RecordingLog): Promise<void> {
    const running = this.#refreshing.get(one.id)
    if (running) {
      running.again = true
      return running.done
    }
    const state = { again: true, done: Promise.resolve() }
    this.#refreshing.set(one.id, state)
    state.done = this.#readAgain(one, state).finally(() => this.#refreshing.delete(one.id))
    return state.done
  }

  async #readAgain(one: RecordingLog, state: { again: boolean }): Promise<void> {
    while (state.again && this.#isFollowed(one)) {
      state.again = false
      const row = await findRecording(one.id)
      if (this.#logs.get(one.id) !== one) return // taken over here meanwhile
      if (!row || row.cuts.length !== one.epoch) return this.release(one.id)
      for (const chunk of await readSegments(one.id, one.last, WHOLE_BYTES)) one.adopt(chunk)
      one.setPhase(row.phase)
    }
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
      this.#look() // without the store no notice comes
    }
    this.#tidy()
  }

  #pack(live: readonly RecordingLog[]): void {
    this.#packing ??= packLive(live, { isOver: () => this.#isStopped }).finally(() => {
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
    await this.#claiming?.catch(() => {})
    await this.#claimLeft()
  }

  #tidy(): void {
    const now = Date.now()
    for (const one of this.#logs.values()) {
      if (one.listeners > 0) one.usedAt = now
      else if (!this.recorders.has(one.id) && now - one.usedAt > IDLE_MS) {
        this.#logs.delete(one.id)
        this.#neighbours?.drop(one.id)
      }
    }
    fitMemory([...this.#logs.values()], MEMORY_BYTES)
  }
}
