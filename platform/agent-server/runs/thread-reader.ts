import { BackpressureQueue } from '../kernel/backpressure-queue'
import type { Bus, ThreadChange } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { type Entry, encodeEvent, HEARTBEAT, HEARTBEAT_MS } from './events'
import { storesEvents } from './hub'
import type { ReadOptions, RunReaders, RunSubscription } from './run-readers'
import { isInProgress, RUN_COLUMNS, type RunRow } from './run-record'
import type { ThreadWatch } from './thread-watch'

export type Frame = { id: string; event: string; data: string }
export type NumberedRun = RunRow & { seq: number }
/** The reader's last event: the sequence number of its run, and its own id. */
export type Cursor = { seq: number; id: number }
/** An existing run, and the reader's last event of it. */
type Found = { row: NumberedRun; after: number | undefined }
/** A run's place in the stream: after the `earlier` ones, until `end`. */
type Turn = { earlier: Promise<unknown>; end(): void }

/** What a reader gets of a thread. */
export type ThreadView = {
  /** Which events to read of each run. */
  wanted: Pick<ReadOptions, 'modes' | 'isProtocol'>
  /** Whether to read this run at all. */
  includes?(row: NumberedRun): boolean
  /** The frames for events of a run; `after` is the reader's last event of it, -1 for none. */
  framesOf(row: NumberedRun, entries: readonly Entry[], after: number): Frame[]
  /** Frames to add after a run has ended and after each manual update. */
  afterChange?(last: Cursor): Promise<Frame[]>
}

type Services = { db: Db; bus: Bus; readers: RunReaders; watch: ThreadWatch }

/** One stream of all runs of a thread. Each run is read separately, because later runs may overtake a delayed one. */
export class ThreadReader {
  readonly #mailbox = new BackpressureQueue<Frame[]>()
  readonly #seen = new Set<string>()
  readonly #left = new AbortController()
  readonly #signal: AbortSignal
  #last: Cursor = { seq: 0, id: 0 }
  /** The runs after this one are looked for; none until the reader has begun. */
  #known = Number.MAX_SAFE_INTEGER
  /** The runs that have begun: another one is passed on after them, because readers resume after a number. */
  #begun: Promise<unknown> = Promise.resolve()
  #isGone = false

  constructor(
    private readonly services: Services,
    private readonly threadId: string,
    private readonly view: ThreadView,
    signal: AbortSignal,
  ) {
    this.#signal = AbortSignal.any([signal, this.#left.signal])
  }

  /**
   * The events as a response body until the reader leaves or the thread is deleted; with a cursor, the stored ones after
   * it first. Resolves once no event can be missed.
   */
  async open(cursor: Cursor | undefined): Promise<ReadableStream<Uint8Array>> {
    await this.#begin(cursor)
    // The response starts at once, even if there is no event for a while.
    let isOpen = false
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const frames = isOpen ? await this.#take() : []
            isOpen = true
            if (!frames) {
              this.#left.abort()
              return controller.close()
            }
            controller.enqueue(Buffer.from(frames.length ? frames.map(encodeEvent).join('') : HEARTBEAT))
          } catch (error) {
            this.#left.abort()
            controller.error(error)
          }
        },
        cancel: () => this.#left.abort(),
      },
      { highWaterMark: 0 },
    )
  }

  async #begin(cursor: Cursor | undefined): Promise<void> {
    const { bus, watch } = this.services
    const turn = this.#takeTurn()
    bus.on('thread', this.#onChange)
    const unwatch = await watch.add(this.threadId)
    const end = () => {
      bus.off('thread', this.#onChange)
      unwatch()
      this.#mailbox.close()
    }
    if (this.#signal.aborted) end()
    else this.#signal.addEventListener('abort', end, { once: true })
    const [newest] = await this.services.db.query<{ seq: number | null }>(
      'select max(seq)::float8 as seq from runs where thread_id = $1',
      [this.threadId],
    )
    this.#known = newest?.seq ?? 0
    this.#last = { seq: this.#known, id: 0 }
    const rows = await this.#rows(cursor?.seq ?? Number.MAX_SAFE_INTEGER, `status in ('pending', 'running')`)
    const afterOf = ({ seq }: NumberedRun) => cursor && (seq === cursor.seq ? cursor.id : -1)
    await this.#followAll(
      rows.map((row) => ({ row, after: afterOf(row) })),
      turn,
    )
  }

  /** Undefined if the thread was deleted. */
  async #take(): Promise<Frame[] | undefined> {
    const frames = (await this.#mailbox.take(HEARTBEAT_MS)).flat()
    if (this.#signal.aborted) return undefined
    if (frames.length) return frames
    if (this.#isGone) return undefined
    const [thread] = await this.services.db.query('select from threads where thread_id = $1', [this.threadId])
    if (!thread) return undefined
    await this.#findNew()
    return frames
  }

  readonly #onChange = ({ thread, run, isGone, isElsewhere }: ThreadChange) => {
    if (thread !== this.threadId) return
    if (isGone) {
      this.#isGone = true
      this.#mailbox.close()
    } else if (run === undefined) void this.#addChange().catch((error) => this.#mailbox.fail(error))
    else if (isElsewhere) void this.#followElsewhere(run).catch((error) => this.#mailbox.fail(error))
    else void this.#follow(run, this.services.readers.subscribe(run, this.view.wanted))
  }

  /** Another process has created the run, and its events are stored. */
  async #followElsewhere(runId: string): Promise<void> {
    const row = await this.#findNew(runId)
    if (row) await this.#follow(runId, undefined, { row, after: -1 })
  }

  /** Returns the given run, and follows new ones that were not announced: a process can die before it sends its notices. */
  async #findNew(runId = ''): Promise<NumberedRun | undefined> {
    const rows = await this.#rows(this.#known + 1, 'run_id = $3', runId)
    this.#known = Math.max(this.#known, ...rows.map(({ seq }) => seq))
    const missed = rows.filter(({ run_id }) => run_id !== runId && !this.#seen.has(run_id))
    if (missed.length) void this.#followAll(missed.map((row) => ({ row, after: -1 })))
    return rows.find(({ run_id }) => run_id === runId)
  }

  /** Ended runs are read one after the other, before all others. Resolves once no event of the others can be missed. */
  async #followAll(found: readonly Found[], turn = this.#takeTurn()): Promise<void> {
    const attached: Promise<void>[] = []
    const past: Found[] = []
    for (const one of found) {
      if (isInProgress(one.row.status)) attached.push(this.#follow(one.row.run_id, undefined, one))
      else past.push(one)
    }
    const readPast = async () => {
      await turn.earlier
      for (const one of past) await this.#follow(one.row.run_id, undefined, one, turn)
      turn.end()
    }
    void readPast()
    await Promise.all(attached)
  }

  /** Resolves once no event of the run can be missed; for an ended run, once all of it was read. */
  #follow(runId: string, subscription: RunSubscription | undefined, found?: Found, turn?: Turn): Promise<void> {
    if (this.#seen.has(runId)) {
      subscription?.release()
      return Promise.resolve()
    }
    this.#seen.add(runId)
    return new Promise((resolve) => {
      void this.#read(runId, subscription, found, turn ? () => {} : resolve, turn)
        .catch((error) => this.#mailbox.fail(error))
        .finally(resolve)
    })
  }

  async #read(
    runId: string,
    subscription: RunSubscription | undefined,
    found: Found | undefined,
    onAttached: () => void,
    given: Turn | undefined,
  ): Promise<void> {
    const row = found?.row ?? (await this.#findNew(runId))
    if (!row || this.#signal.aborted || this.view.includes?.(row) === false) {
      subscription?.release()
      return
    }
    const options = { after: found?.after, ...this.view.wanted, isOfThread: true, signal: this.#signal }
    const after = found?.after ?? -1
    let turn = given
    try {
      for await (const all of this.services.readers.read(row, options, subscription)) {
        onAttached()
        // A finished run always yields an end event, which the reader may already have if events are stored.
        const entries = storesEvents(row) ? all.filter(({ id }) => id > after) : all
        const newest = entries.at(-1)
        if (!newest) continue
        turn ??= this.#takeTurn()
        await turn.earlier
        if (row.seq >= this.#last.seq) this.#last = { seq: row.seq, id: newest.id }
        const frames = this.view.framesOf(row, entries, after)
        if (frames.length) await this.#mailbox.put(frames)
        if (entries.some(({ event }) => event === 'end') && !this.#signal.aborted) await this.#addChange()
      }
    } finally {
      if (!given) turn?.end()
    }
  }

  #takeTurn(): Turn {
    const earlier = this.#begun
    let end = () => {}
    this.#begun = Promise.all([earlier, new Promise<void>((resolve) => (end = resolve))])
    return { earlier, end }
  }

  async #addChange(): Promise<void> {
    const frames = await this.view.afterChange?.(this.#last)
    if (frames?.length) await this.#mailbox.put(frames)
  }

  /** Runs with sequence number `from` or later, and those for which `also` holds. */
  #rows(from: number, also: string, ...values: string[]): Promise<NumberedRun[]> {
    return this.services.db.query<NumberedRun>(
      `select seq::float8 as seq, ${RUN_COLUMNS} from runs
       where thread_id = $1 and (seq >= $2 or ${also}) order by seq limit 1000`,
      [this.threadId, from, ...values],
    )
  }
}
