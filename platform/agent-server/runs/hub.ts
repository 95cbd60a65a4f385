import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus, BusMessage } from '../persistence/bus'
import type { Db, Query } from '../persistence/db'
import { type Entry, RunLog, type StreamCut } from './events'

/** The gap between the event ids of two attempts, so that ids ascend even if events were lost with a process. */
const IDS_PER_ATTEMPT = 1_000_000_000
const FLUSH_MS = 20
const FLUSH_CHARS = 1_000_000
const PAGE = 1000
const POLL_MS = 1000
/** How long to wait for another process to confirm that it stores events; after that the reader starts anyway. */
const WATCH_MS = 1000

export type FollowedRun = {
  run_id: string
  status: string
  is_resumable: boolean
  creator: number
  owner: number | null
}

type Open = { log: RunLog; uses: number; writer?: EventWriter; mirror?: AbortController }

/** The logs of the runs that this process executes or reads. Runs of other processes are mirrored into a local log. */
export class Hub {
  readonly #open = new Map<string, Open>()

  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly logError: (line: string) => void,
  ) {
    bus.on('message', (message) => {
      const open = this.#open.get(message.run)
      if (!open) return
      if ((message.kind === 'claimed' || message.kind === 'ended') && !open.writer) this.#mirror(open, open.log.lastId)
      if (message.kind === 'watch' && open.writer) void this.#confirmWatch(open)
    })
  }

  get size(): number {
    return this.#open.size
  }

  /** The log of a run, held until `release`. Hold it before creating the run to miss none of its events. */
  acquire(runId: string): { log: RunLog; release(): void } {
    const held: Open = this.#open.get(runId) ?? { log: new RunLog(runId, 0), uses: 0 }
    this.#open.set(runId, held)
    held.uses += 1
    let isHeld = true
    return {
      log: held.log,
      release: () => {
        if (!isHeld) return
        isHeld = false
        held.uses -= 1
        if (held.uses > 0) return
        held.mirror?.abort()
        if (this.#open.get(runId) === held) this.#open.delete(runId)
      },
    }
  }

  /** Begins an attempt of a run in this process. With `isKept` all its events are stored. */
  begin(runId: string, attempt: number, isKept: boolean): { log: RunLog; writer: EventWriter; release(): void } {
    const { log, release } = this.acquire(runId)
    const open = this.#open.get(runId) as Open // held in the line above
    open.mirror?.abort()
    open.mirror = undefined
    log.continueFrom((attempt - 1) * IDS_PER_ATTEMPT)
    const writer = new EventWriter(this.db, this.bus, runId, isKept, this.logError)
    open.writer = writer
    return {
      log,
      writer,
      release: () => {
        open.writer = undefined
        release()
      },
    }
  }

  /** For a late reader, wherever the run executes. Resolves once it can no longer miss an event. */
  async follow(run: FollowedRun): Promise<void> {
    const open = this.#open.get(run.run_id)
    if (!open || open.writer || open.mirror) return
    if (run.status === 'pending' && !run.is_resumable) {
      if (run.creator === this.bus.instance) return
      const [row] = await this.db.query(
        `update runs set is_watched = true where run_id = $1 and status = 'pending' returning run_id`,
        [run.run_id],
      )
      if (row) return
    }
    // Events of resumable runs are stored anyway.
    if (!run.is_resumable && run.owner !== this.bus.instance) await this.#watch(run.run_id)
    const [row] = await this.db.query<{ id: string | null }>('select max(id) as id from run_events where run_id = $1', [
      run.run_id,
    ])
    if (!open.writer) this.#mirror(open, Math.max(Number(row?.id ?? -1), open.log.lastId))
  }

  /** Polls the store for idle readers, because a notification may have been lost. */
  async check(runId: string): Promise<void> {
    const open = this.#open.get(runId)
    if (!open || open.writer || open.mirror) return
    const [row] = await this.db.query<{ status: string }>('select status from runs where run_id = $1', [runId])
    if (row?.status !== 'pending') this.#mirror(open, open.log.lastId)
  }

  /** Stored events after `after` up to `until`, in pages. */
  async *stored(
    runId: string,
    after: number,
    until = Number.MAX_SAFE_INTEGER,
    pageSize = PAGE,
  ): AsyncGenerator<Entry[]> {
    await this.#open.get(runId)?.writer?.flush()
    for (let last = after; ; ) {
      const rows = await this.db.query<Entry>(
        'select id::float8 as id, event, data, floor(extract(epoch from created_at) * 1000)::float8 as at from run_events where run_id = $1 and id > $2 and id <= $3 order by id limit $4',
        [runId, last, until, pageSize],
      )
      if (rows.length) yield rows
      if (rows.length < pageSize) return
      last = (rows.at(-1) as Entry).id
    }
  }

  /** Cuts every reader, because the process is stopping. */
  cut(reason: StreamCut): void {
    for (const { log, mirror } of this.#open.values()) {
      mirror?.abort()
      log.cut(reason)
    }
  }

  async #confirmWatch({ log, writer }: Open): Promise<void> {
    writer?.keep()
    await this.bus.send({ kind: 'watched', run: log.runId, id: log.lastId })
  }

  #watch(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const conclude = () => {
        clearTimeout(timer)
        this.bus.off('message', listen)
        resolve()
      }
      const timer = setTimeout(conclude, WATCH_MS)
      const listen = (message: BusMessage) => {
        if (message.run === runId && (message.kind === 'watched' || message.kind === 'ended')) conclude()
      }
      this.bus.on('message', listen)
      void this.bus.send({ kind: 'watch', run: runId })
    })
  }

  #mirror(open: Open, after: number): void {
    if (open.mirror) return
    const { log } = open
    const mirror = new AbortController()
    open.mirror = mirror
    log.continueFrom(after + 1)
    void this.#copy(log, mirror.signal).catch((error: Error) => {
      if (!mirror.signal.aborted) this.logError(`Run ${log.runId} cannot be followed: ${error.message}`)
    })
  }

  /** Copies stored events into the log until the run ends or this process claims it. */
  async #copy(log: RunLog, signal: AbortSignal): Promise<void> {
    let wake = () => {}
    const listen = (message: { run: string }) => message.run === log.runId && wake()
    this.bus.on('message', listen)
    try {
      while (!signal.aborted) {
        const news = new Promise<void>((resolve) => {
          wake = resolve
        })
        // Read the status first: all events of an ended run are stored.
        const [row] = await this.db.query<{ status: string }>('select status from runs where run_id = $1', [log.runId])
        for await (const page of this.stored(log.runId, log.lastId)) {
          if (signal.aborted) return
          for (const entry of page) log.relay(entry)
        }
        if (row?.status !== 'running' && row?.status !== 'pending') return log.end()
        await Promise.race([news, sleep(POLL_MS, undefined, { signal }).catch(() => {})])
      }
    } finally {
      this.bus.off('message', listen)
    }
  }
}

/** Stores a run's events in batches, if they may be needed later or in another process. */
export class EventWriter {
  #pending: Entry[] = []
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly runId: string,
    private kept: boolean,
    private readonly logError: (line: string) => void,
  ) {}

  get isKept(): boolean {
    return this.kept
  }

  keep(): void {
    this.kept = true
  }

  add(entry: Entry): void {
    if (!this.isKept) return
    this.#pending.push(entry)
    this.#size += entry.data.length
    if (this.#size > FLUSH_CHARS) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }

  /** Resolves when everything added so far is stored, or was lost for good and logged. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flushing = this.#flushing.then(async () => {
      const entries = this.#pending
      if (!entries.length) return
      this.#pending = []
      this.#size = 0
      try {
        await storeEvents(this.db.query, this.runId, entries)
        await this.bus.send({ kind: 'events', run: this.runId })
      } catch (error) {
        this.logError(`${entries.length} events of run ${this.runId} could not be stored: ${(error as Error).message}`)
      }
    })
    return this.#flushing
  }

  /** Stores the run's last events in the transaction that ends it, so that readers who see the end see them too. */
  async finish(query: Query, entries: readonly Entry[]): Promise<void> {
    if (this.isKept) await storeEvents(query, this.runId, entries)
  }
}

async function storeEvents(query: Query, runId: string, entries: readonly Entry[]): Promise<void> {
  await query(
    `insert into run_events (run_id, id, event, data)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[]) on conflict do nothing`,
    [runId, entries.map(({ id }) => id), entries.map(({ event }) => event), entries.map(({ data }) => data)],
  )
}
