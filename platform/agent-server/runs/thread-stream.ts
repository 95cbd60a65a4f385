import { THREAD_STREAM_MODES } from '@/lib/contracts/agents/runs'
import { BackpressureQueue } from '../kernel/backpressure-queue'
import { HttpError, invalid } from '../kernel/errors'
import type { Bus, ThreadChange } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { encode } from '../threads/messages'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import { type Entry, encodeEvent, HEARTBEAT, HEARTBEAT_MS } from './events'
import type { RunReaders, RunSubscription } from './run-readers'
import { isInProgress, RUN_COLUMNS, type RunRow } from './runs'

type Mode = (typeof THREAD_STREAM_MODES)[number]
type Frame = { id: string; event: string; data: string }
type Row = RunRow & { seq: number }
/** The reader's last event: the sequence number of its run, and its own id. */
type Cursor = { seq: number; id: number }
/** An existing run, and the reader's last event of it. */
type Found = { row: Row; after: number | undefined }

type Options = { modes: readonly string[] | undefined; lastEventId: string | null; signal: AbortSignal }

/**
 * One stream of all runs of a thread, until the reader leaves or the thread is deleted. Modes: `run_modes` (the runs'
 * events), `lifecycle` (only metadata, error and end), `state_update` (the thread's state after each run and update).
 */
export class ThreadStreams {
  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly threads: Threads,
    private readonly states: ThreadStates,
    private readonly readers: RunReaders,
  ) {}

  /** The thread's state was updated by a request. */
  changed(threadId: string): void {
    this.bus.emit('thread', { thread: threadId.toLowerCase() })
  }

  /** Throws 404 and 422. Resolves once no event can be missed. */
  async open(threadId: string, { modes, lastEventId, signal }: Options): Promise<ReadableStream<Uint8Array>> {
    const thread = await this.threads.get(threadId)
    const left = new AbortController()
    const reader = new ThreadReader(
      { db: this.db, bus: this.bus, states: this.states, readers: this.readers },
      thread.thread_id,
      readModes(modes),
      AbortSignal.any([signal, left.signal]),
    )
    await reader.begin(readCursor(lastEventId))
    // The response starts at once, even if there is no event for a while.
    let isOpen = false
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const frames = isOpen ? await reader.take() : []
            isOpen = true
            if (!frames) {
              left.abort()
              return controller.close()
            }
            controller.enqueue(Buffer.from(frames.length ? frames.map(encodeEvent).join('') : HEARTBEAT))
          } catch (error) {
            left.abort()
            controller.error(error)
          }
        },
        cancel: () => left.abort(),
      },
      { highWaterMark: 0 },
    )
  }
}

type Services = { db: Db; bus: Bus; states: ThreadStates; readers: RunReaders }

/** One reader. Each run is read separately, because later runs may overtake a delayed one. */
class ThreadReader {
  readonly #mailbox = new BackpressureQueue<Frame[]>()
  readonly #seen = new Set<string>()
  #last: Cursor = { seq: 0, id: 0 }
  /** Runs that had already ended, read in order and before all others. */
  #past: Promise<void> = Promise.resolve()
  #isGone = false

  constructor(
    private readonly services: Services,
    private readonly threadId: string,
    private readonly modes: ReadonlySet<Mode>,
    private readonly signal: AbortSignal,
  ) {}

  async begin(cursor: Cursor | undefined): Promise<void> {
    const { bus } = this.services
    bus.on('thread', this.#onChange)
    const end = () => {
      bus.off('thread', this.#onChange)
      this.#mailbox.close()
    }
    if (this.signal.aborted) end()
    else this.signal.addEventListener('abort', end, { once: true })
    const [newest] = await this.services.db.query<{ seq: number | null }>(
      'select max(seq)::float8 as seq from runs where thread_id = $1',
      [this.threadId],
    )
    this.#last = { seq: newest?.seq ?? 0, id: 0 }
    const rows = await this.#rows(cursor?.seq ?? Number.MAX_SAFE_INTEGER)
    const afterOf = ({ seq }: Row) => cursor && (seq === cursor.seq ? cursor.id : -1)
    const attached: Promise<void>[] = []
    for (const row of rows) {
      const found = { row, after: afterOf(row) }
      if (isInProgress(row.status)) attached.push(this.#follow(row.run_id, undefined, found))
      else if (!this.#seen.has(row.run_id))
        this.#past = this.#past.then(() => this.#follow(row.run_id, undefined, found, true))
    }
    await Promise.all(attached)
  }

  /** Undefined if the thread was deleted. */
  async take(): Promise<Frame[] | undefined> {
    const frames = (await this.#mailbox.take(HEARTBEAT_MS)).flat()
    if (this.signal.aborted) return undefined
    if (frames.length) return frames
    if (this.#isGone) return undefined
    const [thread] = await this.services.db.query('select from threads where thread_id = $1', [this.threadId])
    if (!thread) return undefined
    // Runs that were created in another process.
    for (const row of await this.#rows(this.#last.seq + 1)) void this.#follow(row.run_id, undefined, { row, after: -1 })
    return frames
  }

  readonly #onChange = ({ thread, run, isGone }: ThreadChange) => {
    if (thread !== this.threadId) return
    if (isGone) {
      this.#isGone = true
      this.#mailbox.close()
    } else if (run === undefined) void this.#tellState().catch((error) => this.#mailbox.fail(error))
    else void this.#follow(run, this.services.readers.subscribe(run, { modes: this.#runModes }))
  }

  /** What to read of each run: only start and end unless its own events are requested. */
  get #runModes(): string[] | undefined {
    return this.modes.has('run_modes') ? undefined : []
  }

  /** Resolves once no event of the run can be missed; for an ended run, once all of it was read. */
  #follow(runId: string, subscription: RunSubscription | undefined, found?: Found, isPast = false): Promise<void> {
    if (this.#seen.has(runId)) {
      subscription?.release()
      return Promise.resolve()
    }
    this.#seen.add(runId)
    return new Promise((resolve) => {
      const past = isPast ? undefined : this.#past
      void this.#read(runId, subscription, found, isPast ? () => {} : resolve, past)
        .catch((error) => this.#mailbox.fail(error))
        .finally(resolve)
    })
  }

  async #read(
    runId: string,
    subscription: RunSubscription | undefined,
    found: Found | undefined,
    onAttached: () => void,
    past: Promise<void> | undefined,
  ): Promise<void> {
    const row = found?.row ?? (await this.#row(runId))
    if (!row || this.signal.aborted) {
      subscription?.release()
      return
    }
    const wants = this.modes.has('run_modes') || this.modes.has('lifecycle')
    const options = { after: found?.after, modes: this.#runModes, signal: this.signal }
    const after = found?.after ?? -1
    for await (const all of this.services.readers.read(row, options, subscription)) {
      onAttached()
      // A finished run always yields an end event, which the reader may already have if events are stored.
      const entries = row.is_resumable ? all.filter(({ id }) => id > after) : all
      const newest = entries.at(-1)
      if (!newest) continue
      await past
      if (row.seq >= this.#last.seq) this.#last = { seq: row.seq, id: newest.id }
      const frames = entries.map(({ id, event, data }: Entry) => ({
        id: `${row.seq}-${Math.max(id, after + 1)}`,
        event,
        data,
      }))
      if (wants) await this.#mailbox.put(frames)
      if (entries.some(({ event }) => event === 'end') && !this.signal.aborted) await this.#tellState()
    }
  }

  async #tellState(): Promise<void> {
    if (!this.modes.has('state_update')) return
    const state = await this.services.states.read(this.threadId).catch((error) => {
      if (error instanceof HttpError) return undefined
      throw error
    })
    const { seq, id } = this.#last
    if (state) await this.#mailbox.put([{ id: `${seq}-${id}`, event: 'state_update', data: encode(state) }])
  }

  /** Runs in progress, and those with sequence number `from` or later. */
  #rows(from: number): Promise<Row[]> {
    return this.services.db.query<Row>(
      `select seq::float8 as seq, ${RUN_COLUMNS} from runs
       where thread_id = $1 and (seq >= $2 or status in ('pending', 'running')) order by seq limit 1000`,
      [this.threadId, from],
    )
  }

  async #row(runId: string): Promise<Row | undefined> {
    const [row] = await this.services.db.query<Row>(
      `select seq::float8 as seq, ${RUN_COLUMNS} from runs where run_id = $1`,
      [runId],
    )
    return row
  }
}

function readModes(given: readonly string[] | undefined): ReadonlySet<Mode> {
  const modes = given?.length ? given : ['run_modes']
  for (const mode of modes)
    if (!(THREAD_STREAM_MODES as readonly string[]).includes(mode))
      throw invalid(['query', 'stream_mode'], `Input should be ${THREAD_STREAM_MODES.join(', ')}`, 'enum')
  return new Set(modes as Mode[])
}

/** `-` and `-1` mean everything stored. Any other invalid id is ignored. */
function readCursor(header: string | null): Cursor | undefined {
  if (header === '-' || header === '-1') return { seq: 0, id: -1 }
  const [, seq, id] = /^(\d{1,15})-(\d{1,15})$/.exec(header ?? '') ?? []
  return seq === undefined ? undefined : { seq: Number(seq), id: Number(id) }
}
