/**
 * The live events of runs: one log per run, with any number of readers. Each reader has its own queue over the shared
 * entries, so readers are independent and nothing is buffered for absent ones.
 */

import type { StateSnapshot } from '@langchain/langgraph'
import type { RunError } from '../kernel/errors'

/** `at`: when it was stored, in epoch milliseconds; absent while it is new. */
export type Entry = { id: number; event: string; data: string; at?: number }

/** How a run ended, for waiters in this process. */
export type Outcome = { status: string; snapshot: StateSnapshot | undefined; error: RunError | undefined }

/** A reader's backlog, in characters of data, at which a run starts to wait, and at which the reader is cut off. */
const SOFT_LIMIT = 4_000_000
const HARD_LIMIT = 32_000_000
/** How long a run waits for a reader that reads nothing. */
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
  /** It reads nothing, so runs do not wait for it. */
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

  /** Marks the end; queued entries can still be read. */
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
   * The entries since the last call, about `limit` characters. Waits up to `timeoutMs` for one, then returns an empty
   * list; undefined after the end of the run.
   * @throws StreamCut
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
  /** Set before the end if this process executed the run. */
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

  /** Id of the newest entry; one less than the first id if there is none. */
  get lastId(): number {
    return this.#lastId
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  /** Whether anyone currently reads such events; unread events need not be serialized. */
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

  /** Adds an entry that already has its id, unless it or a later one was added before: it may be found twice. */
  relay(entry: Entry): void {
    if (entry.id <= this.#lastId) return
    this.#lastId = entry.id
    for (const reader of this.#readers) reader.push(entry)
  }

  /** Adds a reader of all entries from now on. */
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

  /** Resolves when the run may continue: it follows its fastest reader, and ignores readers that read nothing. */
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

/** An idle stream gets a comment at this interval, so that proxies keep it open. */
export const HEARTBEAT_MS = 5000
/** No blank line after it: some clients would read it as another event with the last id. */
export const HEARTBEAT = ': heartbeat\n'

/** Formats a server-sent event. The id precedes the data, so that a client cut off in between asks for the event again. */
export const encodeEvent = ({ id, event, data }: Omit<Entry, 'id'> & { id: number | string }): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`

/** Ids and data of the events in a response body of `encodeEvent`. */
export async function* decodeEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id: string; data: string }> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of body) {
    const events = (rest + decoder.decode(part, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split('\n')
      const field = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length)
      const [id, data] = [field('id: '), field('data: ')]
      if (id !== undefined && data !== undefined) yield { id, data }
    }
  }
}
