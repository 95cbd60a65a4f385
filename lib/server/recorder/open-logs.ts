import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@/lib/errors'
import { storeOutage } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import type { Message } from './instances/messages'
import { Neighbours } from './instances/neighbours'
import type { Chunk } from './log/chunk'
import { fitMemory, RecordingLog } from './log/recording-log'
import { frameMs } from './log/timing'
import { type News, readNews, readSegments, storedEnd } from './segments'
import { findRecording } from './store'

/** Memory for all logs together. Beyond it, stored entries are dropped, those unread for longest first. */
const MEMORY_BYTES = 256 * 1024 * 1024
/** Logs recorded elsewhere are kept whole up to this size; larger ones are read from the store by page. */
const WHOLE_BYTES = 48 * 1024 * 1024
const IDLE_MS = 60_000
/** After a failure of the store, what other instances wrote is read again. */
const AGAIN_MS = 1_000

/** The logs in the memory of this process. Those that another instance records are kept up to date while they are open. */
export class OpenLogs {
  readonly #logs = new Map<string, RecordingLog>()
  readonly #opening = new Map<string, Promise<RecordingLog>>()
  readonly #refreshing = new Map<string, { again: boolean; done: Promise<void> }>()
  /** Logs recorded elsewhere that may have grown. */
  readonly #due = new Set<RecordingLog>()
  #isFollowing = false
  #neighbours: Neighbours | undefined

  constructor(
    private readonly isRecordedHere: (id: string) => boolean,
    private readonly stopped: AbortSignal,
  ) {}

  get ids(): string[] {
    return [...this.#logs.keys()]
  }

  get(id: string): RecordingLog | undefined {
    return this.#logs.get(id)
  }

  /** Gets what other processes of this machine record straight from them. */
  async meet(instance: number): Promise<void> {
    const folder = env().PILOTHOUSE_NEIGHBOURS
    if (folder === undefined) return
    const neighbours = new Neighbours(folder, instance, {
      recorded: (id) => (this.isRecordedHere(id) ? this.#logs.get(id) : undefined),
      followed: () => this.#followed(),
      onChunk: (news) => this.#adopt(news),
      onLost: () => this.lookAll(),
    })
    this.#neighbours = neighbours
    await neighbours.open()
  }

  /** Whether that instance gets what is recorded here without notices. */
  isNeighbour(instance: number): boolean {
    return this.#neighbours?.has(instance) ?? false
  }

  /** Tells the neighbours a chunk that was recorded here. */
  tell(one: RecordingLog, chunk: Chunk): void {
    this.#neighbours?.tell(one, chunk)
  }

  leaveNeighbours(): void {
    this.#neighbours?.close()
  }

  /** Opens a log that is not in memory. Throws AppError not_found. */
  async open(id: string): Promise<RecordingLog> {
    const held = this.#logs.get(id)
    if (held) return held
    let opening = this.#opening.get(id)
    if (!opening) {
      opening = this.#open(id).finally(() => this.#opening.delete(id))
      this.#opening.set(id, opening)
    }
    return opening
  }

  async #open(id: string): Promise<RecordingLog> {
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
      if (this.#logs.get(id) === opened) this.replace(id, undefined)
      throw error
    }
    return opened
  }

  /** Viewers of the log that was kept before open theirs again. */
  replace(id: string, by: RecordingLog | undefined): void {
    const before = this.#logs.get(id)
    if (by) this.#logs.set(id, by)
    else this.#logs.delete(id)
    if (!before || before === by) return
    this.#neighbours?.drop(id)
    before.abandon()
  }

  /** Drops logs that nobody has read for a while, and fits the rest into memory. */
  tidy(): void {
    const now = Date.now()
    for (const one of this.#logs.values()) {
      if (one.listeners > 0) one.usedAt = now
      else if (!this.isRecordedHere(one.id) && now - one.usedAt > IDLE_MS) {
        this.#logs.delete(one.id)
        this.#neighbours?.drop(one.id)
      }
    }
    fitMemory([...this.#logs.values()], MEMORY_BYTES)
  }

  /** Reads what may have been written to these logs elsewhere. */
  look(ids: readonly string[]): void {
    for (const id of ids) {
      const held = this.#logs.get(id)
      if (held && !this.isRecordedHere(id)) this.#due.add(held)
    }
    void this.#follow()
  }

  /** Reads what may have been written to any log elsewhere. */
  lookAll(): void {
    this.#lookAt(this.#logs.values())
  }

  #lookAt(logs: Iterable<RecordingLog>): void {
    for (const one of this.#followed(logs)) this.#due.add(one)
    void this.#follow()
  }

  #followed(logs: Iterable<RecordingLog> = this.#logs.values()): RecordingLog[] {
    return [...logs].filter((one) => one.phase !== 'ended' && this.#isFollowed(one))
  }

  #isFollowed(one: RecordingLog): boolean {
    return this.#logs.get(one.id) === one && !this.isRecordedHere(one.id)
  }

  /** Reads what other instances wrote, in one read for all logs, once per frame at most. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    while (this.#due.size > 0 && !this.stopped.aborted) {
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
    setTimeout(() => this.#lookAt(logs), AGAIN_MS).unref()
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
      if (!row || row.cuts.length !== one.epoch) return this.replace(one.id, undefined)
      for (const chunk of await readSegments(one.id, one.last, WHOLE_BYTES)) one.adopt(chunk)
      one.setPhase(row.phase)
    }
  }
}
