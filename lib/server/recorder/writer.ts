import 'server-only'
import { isStoreDown } from '../process/db'
import { log } from '../process/log'
import { type Chunk, joinChunks } from './chunk'
import { type SegmentRow, writeSegments } from './store'

/** With the frame that an event waits for (33 ms) and the insert itself below the 50 ms that a crash may cost. */
const FLUSH_MS = 10
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** Copying more than this together costs more than a row of its own. */
const MAX_JOINED_BYTES = 64 * 1024
/** Above this much unwritten text the recorders stop reading their upstreams until the store has caught up. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

type Callbacks = {
  onStored: (id: string, last: number) => void
  /** Another instance owns the recording now, or the store refuses its text. */
  onLost: (id: string, reason: string) => void
  /** Whether there is another instance to tell. */
  hasOthers: () => boolean
}

/** Writes the chunks of all recordings of this process: at once, several in one insert where they come close together. */
export class Writer {
  #queue: SegmentRow[] = []
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #isWriting = false
  #wroteAt = 0
  #waiters: { isDone: () => boolean; resolve: () => void }[] = []

  constructor(
    readonly instance: number,
    readonly callbacks: Callbacks,
  ) {}

  /** Takes a chunk; `onStored` follows once it is committed. */
  add(row: SegmentRow): void {
    this.#queue.push(row)
    this.#waitingBytes += row.chunk.bytes.length
    this.#schedule(this.#rest)
  }

  /** Resolves when there is room for more; at once as long as the store keeps up. */
  room(): Promise<void> | undefined {
    if (this.#waitingBytes < MAX_WAITING_BYTES) return undefined
    return this.#when(() => this.#waitingBytes < MAX_WAITING_BYTES / 2)
  }

  /** Resolves when nothing of the recording waits any more. */
  flushed(id: string): Promise<void> {
    this.#schedule(0)
    return this.#when(() => !this.#queue.some(({ recording }) => recording === id))
  }

  #when(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push({ isDone, resolve }))
  }

  get #rest(): number {
    return Math.max(0, this.#wroteAt + FLUSH_MS - Date.now())
  }

  #schedule(ms: number): void {
    if (this.#isWriting || this.#isDue || (this.#timer && ms > 0)) return
    clearTimeout(this.#timer)
    this.#isDue = ms === 0
    // In the turn in which viewers are sent the same: a timer would wake the process once more for each frame.
    if (this.#isDue) queueMicrotask(() => void this.#run())
    else this.#timer = setTimeout(() => void this.#run(), ms)
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isDue = false
    if (this.#isWriting || this.#queue.length === 0) return
    this.#isWriting = true
    this.#wroteAt = Date.now()
    let pause = 0
    const [batch, count] = this.#batch()
    try {
      await this.#write(batch)
      this.#drop(count)
    } catch (error) {
      log.warn('recorder.write_failed', { error, rows: batch.length })
      pause = 500
      if (!isStoreDown(error)) {
        await this.#writeOneByOne(batch)
        this.#drop(count)
      }
    }
    this.#isWriting = false
    this.#waiters = this.#waiters.filter(({ isDone, resolve }) => {
      if (!isDone()) return true
      resolve()
      return false
    })
    if (this.#queue.length > 0) this.#schedule(Math.max(pause, this.#rest))
  }

  /** The head of the queue: small neighbours of one recording as one row. It stays queued until it is written. */
  #batch(): [SegmentRow[], number] {
    const parts: { row: SegmentRow; chunks: Chunk[]; size: number }[] = []
    const newest = new Map<string, (typeof parts)[number]>()
    let size = 0
    let count = 0
    for (const row of this.#queue) {
      const { length } = row.chunk.bytes
      if (size > 0 && size + length > MAX_BATCH_BYTES) break
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
      else this.callbacks.onLost(recording, 'Another console instance has taken this recording over.')
    }
  }

  /** One recording that the store refuses must not stop the others. */
  async #writeOneByOne(batch: SegmentRow[]): Promise<void> {
    for (const row of batch) {
      await this.#write([row]).catch((error: unknown) => {
        log.error('recorder.segment_refused', { recording: row.recording, first: row.chunk.first, error })
        this.callbacks.onLost(row.recording, 'The store refused the log.')
      })
    }
  }

  #drop(count: number): void {
    for (const row of this.#queue.splice(0, count)) this.#waitingBytes -= row.chunk.bytes.length
  }
}
