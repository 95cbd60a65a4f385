import 'server-only'
import { EntryPrinter, type NewEntry } from '@/lib/stream/entry-text'
import type { RecordingSummary } from '@/lib/stream/log'
import { type Chunk, chunkAfter, freeUnused, joinNeighbours, LogMemory } from './chunk'
import { frameMs } from './timing'

/** A frame is sent a little early, so that the upstream read that follows does not miss it by a moment. */
const EARLY_MS = 2
const CHUNK_LENGTH = 128 * 1024
/** Beyond these, all but the newest chunks are joined: many small ones make a replay slow. A segment is never split. */
const TAIL_BYTES = CHUNK_LENGTH
const TAIL_CHUNKS = 100

/**
 * The log of one recording in this process: entries are numbered, wait at most one frame, and leave as one chunk for
 * the writer and all viewers. Reading and subscribing are synchronous, so no viewer misses an entry between the two.
 */
export class RecordingLog {
  phase: RecordingSummary['phase']
  /** Last entry that viewers may have. */
  last: number
  /** Last entry known to be stored. */
  stored: number
  /** Bytes of all entries so far. */
  totalBytes: number
  /** Bytes in memory. */
  heldBytes = 0
  /** Of a recording in progress: bytes of all entries when its rows were last packed. */
  packedBytes = 0
  isAbandoned = false
  /** Why what another instance has recorded since cannot be read. */
  outage: unknown
  /** The outcome and the times, before the row has them. */
  end: Pick<RecordingSummary, 'outcome' | 'startedAt' | 'endedAt'> | undefined
  /** When someone last began or stopped reading it. */
  usedAt = Date.now()
  /** Receives each finished chunk of a log that is recorded here. */
  onChunk: ((chunk: Chunk) => void) | undefined
  readonly #listeners = new Set<() => void>()
  #segments: Chunk[] = []
  #tail: Chunk[] = []
  #tailBytes = 0
  #open: string[] = []
  #openLength = 0
  readonly #printer = new EntryPrinter()
  readonly #memory = new LogMemory()
  #next: number
  #sealedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isQueued = false

  readonly id: string
  /** Whose members may read it. */
  readonly workspace: string

  constructor(
    of: { id: string; workspace: string },
    /** Entries at which crashes cut the log off, oldest first; their number is the epoch. */
    readonly cuts: readonly number[],
    at: { phase: RecordingSummary['phase']; last: number; totalBytes: number },
  ) {
    this.id = of.id
    this.workspace = of.workspace
    this.phase = at.phase
    this.last = at.last
    this.stored = at.last
    this.totalBytes = at.totalBytes
    this.#next = at.last + 1
  }

  get epoch(): number {
    return this.cuts.length
  }
  get listeners(): number {
    return this.#listeners.size
  }
  /** First entry in memory; `last + 1` if there is none. */
  get firstHeld(): number {
    return (this.#segments[0] ?? this.#tail[0])?.first ?? this.last + 1
  }

  /** Milliseconds until the frame is sent; 0 if an entry would leave at once. */
  get frameRest(): number {
    return Math.max(0, this.#sealedAt + frameMs() - EARLY_MS - performance.now())
  }

  /** Adds an entry and returns its number. */
  append(entry: NewEntry): number {
    const seq = this.#next++
    const text = this.#printer.print(seq, entry)
    this.#open.push(text)
    this.#openLength += text.length
    // A chunk is the least that a viewer can be sent, so a burst becomes several.
    if (this.#openLength > CHUNK_LENGTH) this.seal()
    else if (!this.#isQueued && !this.#timer) this.#schedule()
    return seq
  }

  #schedule(): void {
    const wait = this.#sealedAt + frameMs() - performance.now()
    if (wait > EARLY_MS) {
      // A read that is due in the same turn comes first: what it brings would wait for the next frame, and so each time.
      const timer = setTimeout(() => setImmediate(() => this.#timer === timer && this.seal()), wait)
      this.#timer = timer
      return
    }
    // After the current turn, so that all events of one upstream read leave together.
    this.#isQueued = true
    queueMicrotask(() => this.seal())
  }

  /** Sends a due frame now, so that the reader of the upstream can rest until the next one. */
  sealDue(): void {
    if (this.frameRest === 0) this.seal()
  }

  seal(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isQueued = false
    if (this.#open.length === 0) return
    const bytes = this.#memory.keep(this.#open.join(','))
    this.#open = []
    this.#openLength = 0
    this.#printer.begin()
    this.#sealedAt = performance.now()
    const chunk = { first: this.last + 1, last: this.#next - 1, bytes }
    this.onChunk?.(chunk)
    this.#hold(chunk)
    this.#tell()
  }

  /**
   * Takes a chunk recorded by another instance, which has stored the log up to `stored`. Ignores known ones; returns false if
   * entries before it are missing.
   */
  adopt(chunk: Chunk, stored = chunk.last): boolean {
    if (chunk.first > this.last + 1) return false
    this.stored = Math.max(this.stored, stored)
    const bytes = chunkAfter(chunk, this.last)
    if (!bytes) return true
    this.#hold({ first: this.last + 1, last: chunk.last, bytes: this.#memory.keep(bytes) })
    this.#next = chunk.last + 1
    this.#tell()
    return true
  }

  setPhase(phase: RecordingSummary['phase']): void {
    if (this.phase === phase) return
    this.phase = phase
    this.#tell()
  }

  setOutage(reason: unknown): void {
    const isChanged = Boolean(reason) !== Boolean(this.outage)
    this.outage = reason
    if (isChanged) this.#tell()
  }

  /**
   * Chunks after `cursor`, about `maxBytes` of them; the first may begin before the cursor. Empty at the end of the
   * log, undefined if memory does not reach back that far.
   */
  read(cursor: number, maxBytes: number): Chunk[] | undefined {
    if (cursor >= this.last) return []
    if (cursor + 1 < this.firstHeld) return undefined
    const list = cursor < (this.#tail[0]?.first ?? this.last + 1) - 1 ? this.#segments : this.#tail
    const found: Chunk[] = []
    for (let index = firstAfter(list, cursor), size = 0; index < list.length && size < maxBytes; index++) {
      const chunk = list[index] as Chunk // the loop's bound
      found.push(chunk)
      size += chunk.bytes.length
    }
    return found
  }

  /** The listener is called after each change of end or phase. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      this.usedAt = Date.now()
    }
  }

  /** Drops the oldest stored segment and returns its size; 0 if there is none. */
  evict(): number {
    const oldest = this.#segments[0]
    if (!oldest || oldest.last > this.stored) return 0
    this.#segments.shift()
    this.heldBytes -= oldest.bytes.length
    return oldest.bytes.length
  }

  /** Loads the whole log from the store, for a recording that is not written here. */
  fill(chunks: readonly Chunk[]): void {
    const last = chunks.at(-1)?.last ?? 0
    if (last < this.last) return
    this.#segments = [...chunks]
    this.#tail = []
    this.#tailBytes = 0
    this.heldBytes = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
    this.totalBytes = this.heldBytes
    this.last = last
    this.stored = last
    this.#next = last + 1
    this.#tell()
  }

  /** The log is no longer kept up to date; readers open it again. */
  abandon(): void {
    this.isAbandoned = true
    this.#tell()
  }

  #hold(chunk: Chunk): void {
    this.last = chunk.last
    this.heldBytes += chunk.bytes.length
    this.totalBytes += chunk.bytes.length
    this.#tail.push(chunk)
    this.#tailBytes += chunk.bytes.length
    if (this.#tailBytes < TAIL_BYTES && this.#tail.length < TAIL_CHUNKS) return
    const newest = this.#tail.pop() as Chunk // it was just pushed; viewers are about to read it
    const older = [...this.#segments.splice(-1), ...this.#tail]
    const joined = joinNeighbours(older)
    this.heldBytes += older.length - joined.length // commas
    this.#segments.push(...joined)
    this.#tail = [newest]
    this.#tailBytes = newest.bytes.length
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Index of the first chunk that ends after `cursor`. */
function firstAfter(chunks: readonly Chunk[], cursor: number): number {
  let low = 0
  let high = chunks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((chunks[middle] as Chunk).last <= cursor)
      low = middle + 1 // between low and high
    else high = middle
  }
  return low
}

/**
 * Evicts from the logs that were unread for longest until all fit, and frees what nobody holds any more. What is not stored
 * yet is never evicted.
 */
export function fitMemory(logs: readonly RecordingLog[], mostBytes: number): void {
  let held = logs.reduce((sum, one) => sum + one.heldBytes, 0)
  for (const one of logs.toSorted((a, b) => a.usedAt - b.usedAt)) {
    while (held > mostBytes) {
      const freed = one.evict()
      if (freed === 0) break
      held -= freed
    }
  }
  freeUnused(held)
}
