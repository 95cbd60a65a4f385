/**
 * What a run says, while it says it. One log for each run in this process, and any number of readers: each has a queue
 * of its own over the same entries, so none takes anything from another. Nothing is kept for readers that are not there.
 */

import type { StateSnapshot } from '@langchain/langgraph'
import type { RunError } from '../kernel/errors'

export type Entry = { id: number; event: string; data: string }

/** How a run ended, for those who wait for its answer in this process. */
export type Outcome = { status: string; snapshot: StateSnapshot | undefined; error: RunError | undefined }

/** Of one reader: where a run begins to wait, and where the reader is given up. In characters of data. */
const SOFT_LIMIT = 4_000_000
const HARD_LIMIT = 32_000_000
/** How long a run waits for a reader that takes nothing at all. */
const STALL_MS = 1000

/** The reader fell too far behind, or the process is stopping: the stream is cut so that the client connects again. */
export class StreamCut extends Error {
  override name = 'StreamCut'
}

export class LogReader {
  #queue: Entry[] = []
  #size = 0
  #isOver = false
  #failure: StreamCut | undefined
  #wake: (() => void) | undefined
  /** Takes nothing, so runs do not wait for it. */
  isStalled = false

  constructor(
    readonly wants: (event: string) => boolean,
    private readonly onTaken: () => void,
  ) {}

  get size(): number {
    return this.#size
  }

  push(entry: Entry): void {
    if (this.#failure || !this.wants(entry.event)) return
    this.#queue.push(entry)
    this.#size += entry.data.length
    if (this.#size > HARD_LIMIT) this.cut(new StreamCut('The reader is too slow.'))
    this.#wake?.()
  }

  /** No more will come; what is queued is still read. */
  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  cut(reason: StreamCut): void {
    this.#failure = reason
    this.#queue = []
    this.#size = 0
    this.#wake?.()
  }

  /**
   * What came since the last call, at most about `limit` characters. Waits for something up to `timeoutMs` and gives an
   * empty list then; undefined once the run has ended and everything was read. Rejects with a StreamCut.
   */
  async take(timeoutMs: number, limit = 256_000): Promise<Entry[] | undefined> {
    if (!this.#queue.length && !this.#isOver && !this.#failure) await this.#news(timeoutMs)
    if (this.#failure) throw this.#failure
    if (!this.#queue.length) return this.#isOver ? undefined : []
    let count = 0
    let size = 0
    while (count < this.#queue.length && size < limit) size += (this.#queue[count++] as Entry).data.length
    const taken = count === this.#queue.length ? this.#queue : this.#queue.splice(0, count)
    if (taken === this.#queue) this.#queue = []
    this.#size -= size
    this.isStalled = false
    this.onTaken()
    return taken
  }

  #news(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), timeoutMs)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
    })
  }
}

export class RunLog {
  /** Set before the end, where this process has executed the run. */
  outcome: Outcome | undefined
  readonly #readers = new Set<LogReader>()
  #lastId: number
  #isOver = false
  #onTaken: (() => void) | undefined

  constructor(
    readonly runId: string,
    firstId: number,
  ) {
    this.#lastId = firstId - 1
  }

  /** Of the newest entry; one less than the first id when there is none. */
  get lastId(): number {
    return this.#lastId
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether anyone reads such events now; what nobody reads need not be written as text. */
  isRead(event: string): boolean {
    for (const reader of this.#readers) if (reader.wants(event)) return true
    return false
  }

  /** From here on, ids follow `id`: a later attempt never uses an id that an earlier one may have sent. */
  continueFrom(id: number): void {
    this.#lastId = Math.max(this.#lastId, id - 1)
  }

  publish(event: string, data: string): Entry {
    const entry = { id: this.#lastId + 1, event, data }
    this.relay(entry)
    return entry
  }

  /** An entry that has its id already, from another process. */
  relay(entry: Entry): void {
    this.#lastId = entry.id
    for (const reader of this.#readers) reader.push(entry)
  }

  /** A reader of everything from now on. */
  attach(wants: (event: string) => boolean = () => true): LogReader {
    const reader = new LogReader(wants, () => this.#onTaken?.())
    if (this.#isOver) reader.end()
    else this.#readers.add(reader)
    return reader
  }

  detach(reader: LogReader): void {
    this.#readers.delete(reader)
    this.#onTaken?.()
  }

  end(): void {
    this.#isOver = true
    for (const reader of this.#readers) reader.end()
    this.#readers.clear()
  }

  cut(reason: StreamCut): void {
    for (const reader of this.#readers) reader.cut(reason)
    this.#readers.clear()
  }

  /** Resolves when the run may go on: at the pace of its fastest reader, and never waiting for one that takes nothing. */
  async pace(): Promise<void> {
    for (;;) {
      const active = [...this.#readers].filter((reader) => !reader.isStalled)
      if (active.length === 0 || active.some((reader) => reader.size < SOFT_LIMIT)) return
      const wasTaken = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), STALL_MS)
        this.#onTaken = () => {
          clearTimeout(timer)
          resolve(true)
        }
      })
      this.#onTaken = undefined
      if (!wasTaken) for (const reader of active) reader.isStalled = true
    }
  }
}

/** A stream that says nothing for so long gets a comment, so that nobody in between takes it for dead. */
export const HEARTBEAT_MS = 5000
/** No blank line behind it: some clients take that for another event with the id of the last one. */
export const HEARTBEAT = ': heartbeat\n'

/** Server-sent events: the id comes before the data, so that a client that is cut in between asks for the event again. */
export const encodeEvent = ({ id, event, data }: Omit<Entry, 'id'> & { id: number | string }): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`
