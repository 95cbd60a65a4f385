import 'server-only'
import { EntryPrinter, type NewEntry } from '@/lib/stream/entry-text'
import type { RecordingSummary } from '@/lib/stream/log'
import { type Chunk, chunkAfter, joinChunks } from './chunk'

/** Shortest time between two chunks while events pour in; an event after a pause goes out at once. */
export const FRAME_MS = 33
/** A frame is due so much before its end: who reads the upstream then adds to it what it would otherwise miss by a hair. */
const EARLY_MS = 2
const CHUNK_LENGTH = 128 * 1024
/** Chunks of a burst are as long, and stay what they are. */
const SEGMENT_BYTES = CHUNK_LENGTH

/**
 * The log of one recording in this process. Entries get their numbers here, wait at most one frame, and leave as one
 * chunk for the writer and all viewers alike. Reading and subscribing happen in one synchronous turn, so that nothing
 * falls between what a viewer read and what it is told of next.
 */
export class RecordingLog {
  phase: RecordingSummary['phase']
  /** Last entry that viewers may have. */
  last: number
  /** Last entry that the store has for certain. */
  stored: number
  /** Size of all entries that ever passed. */
  totalBytes: number
  /** Bytes in memory. */
  heldBytes = 0
  isAbandoned = false
  /** How it ended, before the row says so. */
  end: Pick<RecordingSummary, 'outcome' | 'endedAt'> | undefined
  /** When someone last began or ended to read from it. */
  usedAt = Date.now()
  /** Receives each sealed chunk; of a log that is recorded here. */
  onChunk: ((chunk: Chunk) => void) | undefined
  readonly #listeners = new Set<() => void>()
  #segments: Chunk[] = []
  #tail: Chunk[] = []
  #tailBytes = 0
  #open: string[] = []
  #openLength = 0
  readonly #printer = new EntryPrinter()
  #next: number
  #sealedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isQueued = false

  readonly id: string
  /** Whose rights open it. */
  readonly workspace: string

  constructor(
    of: { id: string; workspace: string },
    /** `seq` at which each crash cut the end off, oldest first; their number is the epoch. */
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
  /** Earliest entry in memory; `last + 1` when none is. */
  get firstHeld(): number {
    return (this.#segments[0] ?? this.#tail[0])?.first ?? this.last + 1
  }

  /** Milliseconds until the frame is due; 0 when an entry would leave at once. */
  get frameRest(): number {
    return Math.max(0, this.#sealedAt + FRAME_MS - EARLY_MS - Date.now())
  }

  /** Takes the next entry in and gives its number. */
  append(entry: NewEntry): number {
    const seq = this.#next++
    const text = this.#printer.print(seq, entry)
    this.#open.push(text)
    this.#openLength += text.length
    // A chunk is the least that a viewer can be sent: a burst becomes several.
    if (this.#openLength > CHUNK_LENGTH) this.seal()
    else if (!this.#isQueued && !this.#timer) this.#schedule()
    return seq
  }

  #schedule(): void {
    const wait = this.#sealedAt + FRAME_MS - Date.now()
    if (wait > EARLY_MS) {
      this.#timer = setTimeout(() => this.seal(), wait)
      return
    }
    // After the current turn: all events of one read of the upstream leave together.
    this.#isQueued = true
    queueMicrotask(() => this.seal())
  }

  /** Hands over what is due at the end of this turn now: the next frame begins, and who reads the upstream rests with it. */
  sealDue(): void {
    if (this.frameRest === 0) this.seal()
  }

  /** Hands over what waits for the end of the frame. */
  seal(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isQueued = false
    if (this.#open.length === 0) return
    const bytes = Buffer.from(this.#open.join(','))
    this.#open = []
    this.#openLength = 0
    this.#printer.begin()
    this.#sealedAt = Date.now()
    const chunk = { first: this.last + 1, last: this.#next - 1, bytes }
    this.onChunk?.(chunk)
    this.#hold(chunk)
    this.#tell()
  }

  /** Takes a chunk that another instance recorded. One that is known is ignored; false when there is a hole before it. */
  adopt(chunk: Chunk): boolean {
    if (chunk.first > this.last + 1) return false
    const bytes = chunkAfter(chunk, this.last)
    if (!bytes) return true
    this.#hold({ first: this.last + 1, last: chunk.last, bytes })
    this.stored = chunk.last
    this.#next = chunk.last + 1
    this.#tell()
    return true
  }

  setPhase(phase: RecordingSummary['phase']): void {
    if (this.phase === phase) return
    this.phase = phase
    this.#tell()
  }

  /**
   * Chunks after `cursor` in order, about `maxBytes` of them; the first may begin before the cursor. Empty at the end of
   * the log, undefined where memory does not reach back that far.
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

  /** Called after each change of end or phase, until the function that is given back is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      this.usedAt = Date.now()
    }
  }

  /** Forgets the oldest stored segment and gives its size; 0 when there is none to forget. */
  evict(): number {
    const oldest = this.#segments[0]
    if (!oldest || oldest.last > this.stored) return 0
    this.#segments.shift()
    this.heldBytes -= oldest.bytes.length
    return oldest.bytes.length
  }

  /** Holds the whole log as the store has it, of a recording that is not written here. */
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

  /** The log is no longer kept up to date; who reads it opens it again. */
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
    if (this.#tailBytes < SEGMENT_BYTES || this.#tail.length < 2) return
    // Many small chunks make a replay slow: they are joined, except the newest, which viewers are about to read.
    const newest = this.#tail.pop() as Chunk // it was just pushed
    this.heldBytes += this.#tail.length - 1
    this.#segments.push(joinChunks(this.#tail))
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
