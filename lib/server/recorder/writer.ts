import 'server-only'
import { storeOutage } from '../process/db'
import { log } from '../process/log'
import { metrics } from '../process/metrics'
import { type Chunk, chunkAfter, joinChunks } from './log/chunk'
import { type SegmentRow, storedLast, writeSegments } from './segments'

/** Frame (33 ms while there is time), this and the insert together stay below the 50 ms that a crash may cost. */
const FLUSH_MS = 10
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** Copying more than this costs more than another row. */
const MAX_JOINED_BYTES = 64 * 1024
/** Above this much unwritten text, recorders stop reading until the store has caught up. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const LOG_EVERY_MS = 10_000

type Callbacks = {
  onStored: (id: string, last: number) => void
  /** Another instance owns the recording now, or the store rejects its text. */
  onLost: (id: string, reason: string) => void
  hasOthers: () => boolean
}

type Queued = SegmentRow & { queuedAt: number }

/**
 * Writes the chunks of all recordings of this process, several per insert. After a failure it first reads what the
 * store has, because a write without acknowledgement may have happened.
 */
export class Writer {
  #queue: Queued[] = []
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #isWriting = false
  #wroteAt = Number.NEGATIVE_INFINITY
  #waiters: { isDone: () => boolean; resolve: () => void }[] = []
  /** Failed writes since the last success. */
  #failures = 0
  #failingSince = 0
  #loggedAt = Number.NEGATIVE_INFINITY
  #retryAt = 0
  /** Chunks to write one by one, to find the one that the store rejects. */
  #singles = 0
  /** Recordings whose text the store rejected; nothing after that may be stored. */
  readonly #refused = new Set<string>()

  constructor(
    readonly instance: number,
    readonly callbacks: Callbacks,
    private readonly backOff = { firstMs: 50, maxMs: 5_000 },
  ) {}

  /** Queues a chunk; `onStored` is called when it is committed. */
  add(row: SegmentRow): void {
    if (this.#refused.has(row.recording)) return
    this.#queue.push({ ...row, queuedAt: performance.now() })
    this.#waitingBytes += row.chunk.bytes.length
    this.#schedule(this.#rest)
  }

  /** Continues a recording that was refused before, from what is stored. */
  accept(id: string): void {
    this.#refused.delete(id)
  }

  /** Bytes that are not stored yet. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Age of the oldest chunk that is not stored yet. */
  get lagMs(): number {
    const [oldest] = this.#queue
    return oldest ? performance.now() - oldest.queuedAt : 0
  }

  /** Resolves when there is room for more; undefined while the store keeps up. */
  room(): Promise<void> | undefined {
    if (this.#waitingBytes < MAX_WAITING_BYTES) return undefined
    return this.#when(() => this.#waitingBytes < MAX_WAITING_BYTES / 2)
  }

  /** Resolves when nothing of the recording is queued. */
  flushed(id: string): Promise<void> {
    this.#schedule(0)
    return this.#when(() => !this.#queue.some(({ recording }) => recording === id))
  }

  #when(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push({ isDone, resolve }))
  }

  get #rest(): number {
    return Math.max(0, this.#wroteAt + FLUSH_MS - performance.now())
  }

  #schedule(afterMs: number): void {
    const ms = Math.max(afterMs, Math.ceil(this.#retryAt - performance.now()))
    if (this.#isWriting || this.#isDue || (this.#timer && ms > 0)) return
    clearTimeout(this.#timer)
    this.#isDue = ms <= 0
    // In the turn in which viewers are sent the same frame, because a timer would wake the process again.
    if (this.#isDue) queueMicrotask(() => void this.#run())
    else this.#timer = setTimeout(() => void this.#run(), ms)
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isDue = false
    if (this.#isWriting || this.#queue.length === 0) return
    this.#isWriting = true
    this.#wroteAt = performance.now()
    try {
      if (this.#failures > 0) await this.#reconcile()
      await this.#writeNext()
      this.#succeeded()
    } catch (error) {
      this.#failed(error)
    }
    this.#isWriting = false
    this.#waiters = this.#waiters.filter(({ isDone, resolve }) => {
      if (!isDone()) return true
      resolve()
      return false
    })
    if (this.#queue.length > 0) this.#schedule(this.#rest)
  }

  /** Throws on an outage. */
  async #writeNext(): Promise<void> {
    const [batch, count] = this.#batch(this.#singles > 0 ? 1 : Number.POSITIVE_INFINITY)
    if (count === 0) return
    const head = new Set<SegmentRow>(this.#queue.slice(0, count))
    try {
      const { lagMs } = this
      const began = performance.now()
      await this.#write(batch)
      metrics().storeSeconds.observe((lagMs + performance.now() - began) / 1000)
    } catch (error) {
      const [only] = batch
      if (storeOutage(error) || count > 1 || !only) {
        // A rejected batch is written chunk by chunk, so that one recording does not stop the others.
        if (!storeOutage(error)) this.#singles = count
        throw error
      }
      this.#refuse(only, error)
      return
    }
    this.#singles = Math.max(0, this.#singles - count)
    this.#drop((row) => head.has(row))
  }

  /** Nothing is written after a rejected chunk, so that a take-over continues from there. */
  #refuse({ recording, chunk }: SegmentRow, error: unknown): void {
    log.error('recorder.segment_refused', { recording, first: chunk.first, error })
    this.#refused.add(recording)
    this.#drop((row) => row.recording === recording)
    this.callbacks.onLost(recording, 'The store refused the log.')
  }

  /** Removes stored chunks from the queue, and recordings that this instance no longer owns. */
  async #reconcile(): Promise<void> {
    const ids = [...new Set(this.#queue.map(({ recording }) => recording))]
    const stored = await storedLast(ids, this.instance)
    for (const id of ids) {
      const last = stored.get(id)
      if (last === undefined) this.#lose(id)
      else if (last > 0) this.callbacks.onStored(id, last)
    }
    this.#drop(({ recording, chunk }) => chunk.last <= (stored.get(recording) ?? 0))
    this.#queue = this.#queue.map((row) => {
      const last = stored.get(row.recording) ?? 0
      const rest = row.chunk.first <= last ? chunkAfter(row.chunk, last) : undefined
      if (!rest) return row
      this.#waitingBytes += rest.length - row.chunk.bytes.length
      return { ...row, chunk: { first: last + 1, last: row.chunk.last, bytes: rest } }
    })
  }

  #succeeded(): void {
    if (this.#failures === 0) return
    log.info('recorder.write_resumed', {
      failures: this.#failures,
      outageMs: Math.round(performance.now() - this.#failingSince),
    })
    this.#failures = 0
    this.#retryAt = 0
    this.#loggedAt = Number.NEGATIVE_INFINITY
  }

  #failed(error: unknown): void {
    const now = performance.now()
    if (this.#failures === 0) this.#failingSince = now
    const pause = Math.min(this.backOff.maxMs, this.backOff.firstMs * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    this.#retryAt = now + pause
    if (now - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = now
    log.warn('recorder.write_failed', { error, failures: this.#failures, waitingBytes: this.#waitingBytes })
  }

  /** The head of the queue, with small chunks of one recording joined. It stays queued until it is written. */
  #batch(maxCount: number): [SegmentRow[], number] {
    const parts: { row: SegmentRow; chunks: Chunk[]; size: number }[] = []
    const newest = new Map<string, (typeof parts)[number]>()
    let size = 0
    let count = 0
    for (const row of this.#queue) {
      const { length } = row.chunk.bytes
      if (count >= maxCount || (size > 0 && size + length > MAX_BATCH_BYTES)) break
      size += length
      count++
      const known = newest.get(row.recording)
      if (known && known.size + length <= MAX_JOINED_BYTES) {
        known.chunks.push(row.chunk)
        known.size += length
        known.row = row
      } else {
        const part = { row, chunks: [row.chunk], size: length }
        parts.push(part)
        newest.set(row.recording, part)
      }
    }
    return [parts.map(({ row, chunks }) => ({ ...row, chunk: joinChunks(chunks) })), count]
  }

  async #write(batch: SegmentRow[]): Promise<void> {
    const owned = await writeSegments(batch, this.instance, this.callbacks.hasOthers())
    for (const { recording, chunk } of batch) {
      if (owned.has(recording)) this.callbacks.onStored(recording, chunk.last)
      else this.#lose(recording)
    }
  }

  #lose(recording: string): void {
    this.#drop((row) => row.recording === recording)
    this.callbacks.onLost(recording, 'Another console instance has taken this recording over.')
  }

  #drop(isDropped: (row: SegmentRow) => boolean): void {
    this.#queue = this.#queue.filter((row) => {
      if (!isDropped(row)) return true
      this.#waitingBytes -= row.chunk.bytes.length
      return false
    })
  }
}
