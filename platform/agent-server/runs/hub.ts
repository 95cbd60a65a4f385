import type { Bus, BusMessage } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { EventStore, EventWriter } from './event-store'
import { type Entry, RunLog, StreamCut } from './events'
import { Mirrors } from './mirrors'

/** The gap between the event ids of two attempts, so that ids ascend even if events were lost with a process. */
export const IDS_PER_ATTEMPT = 1_000_000_000
const PAGE = 1000
/** How long to wait for another process to confirm that it stores events; after that the reader starts anyway. */
const WATCH_MS = 1000

export type FollowedRun = {
  run_id: string
  status: string
  is_resumable: boolean
  is_watched: boolean
  attempt: number
  creator: number
  owner: number | null
}

/** `placing`: readers that are finding out where a mirror has to begin. */
type Open = { log: RunLog; uses: number; placing: number; writer?: EventWriter }

/** Whether all events of a run are stored from its first one on; `is_watched` is only set before it starts. */
export const storesEvents = (run: Pick<FollowedRun, 'is_resumable' | 'is_watched'>): boolean =>
  run.is_resumable || run.is_watched

/** The logs of the runs that this process executes or reads. Runs of other processes are mirrored into a local log. */
export class Hub {
  readonly #open = new Map<string, Open>()
  readonly #store: EventStore
  readonly #mirrors: Mirrors

  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    logError: (line: string) => void,
  ) {
    this.#store = new EventStore(db, bus, logError)
    this.#mirrors = new Mirrors(db, bus, logError)
    bus.on('message', (message) => {
      const open = this.#open.get(message.run)
      if (!open) return
      if ((message.kind === 'claimed' || message.kind === 'ended') && open.placing === 0)
        this.#mirror(open, open.log.lastId)
      if (message.kind !== 'watch') this.#mirrors.wake([message.run])
      if (message.kind === 'watch' && open.writer) void this.#confirmWatch(open)
    })
  }

  get size(): number {
    return this.#open.size
  }

  /** The log of a run, held until `release`. Hold it before creating the run to miss none of its events. */
  acquire(runId: string): { log: RunLog; release(): void } {
    const held: Open = this.#open.get(runId) ?? { log: new RunLog(runId, 0), uses: 0, placing: 0 }
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
        if (this.#open.get(runId) !== held) return
        this.#mirrors.stop(runId)
        this.#open.delete(runId)
      },
    }
  }

  /**
   * Begins an attempt of a run in this process. Followed by another process, or with `isKept`, its events are stored.
   * Publish only after `ready`: until then the readers get the rest of the attempt before. It never rejects. `onLost` is
   * called if events are refused, because a newer attempt has the run.
   */
  begin(
    runId: string,
    attempt: number,
    { isKept, isFollowed, onLost }: { isKept: boolean; isFollowed: boolean; onLost?: () => void },
  ): { log: RunLog; writer: EventWriter; ready: Promise<void>; release(): void } {
    const { log, release } = this.acquire(runId)
    const open = this.#open.get(runId) as Open // held in the line above
    this.#mirrors.stop(runId)
    const writer = new EventWriter(this.#store, runId, attempt, isKept || isFollowed, isFollowed, onLost)
    open.writer = writer
    const firstId = (attempt - 1) * IDS_PER_ATTEMPT
    const isBehind = attempt > 1 && log.hasReaders
    if (!isBehind) log.continueFrom(firstId)
    return {
      log,
      writer,
      ready: isBehind ? this.#catchUp(log, firstId) : Promise.resolve(),
      release: () => {
        // An attempt that lost its database can end after this process has claimed the run again.
        if (open.writer === writer) {
          open.writer = undefined
          // Given up: its readers go on with what another process makes of it.
          if (log.hasReaders) this.#mirror(open, log.lastId)
        }
        release()
      },
    }
  }

  /** For a late reader, wherever the run executes. Resolves once it can no longer miss an event. */
  async follow(run: FollowedRun): Promise<void> {
    const open = this.#open.get(run.run_id)
    if (!open || open.writer || this.#mirrors.has(run.run_id)) return
    open.placing += 1
    try {
      await this.#place(open, run)
    } finally {
      open.placing -= 1
    }
  }

  async #place(open: Open, run: FollowedRun): Promise<void> {
    let isPending = run.status === 'pending'
    if (isPending && run.creator !== this.bus.instance) {
      const [marked] = await this.db.query(
        `update runs set is_watched = true where run_id = $1 and status = 'pending' returning run_id`,
        [run.run_id],
      )
      isPending = marked !== undefined
    }
    // Nothing is stored yet that a mirror could repeat.
    if (isPending && !run.is_resumable && run.attempt === 0) return
    if (!isPending && run.owner !== this.bus.instance) {
      // Stored anyway; the process only has to announce them.
      if (storesEvents(run)) void this.bus.send({ kind: 'watch', run: run.run_id })
      else await this.#watch(run.run_id)
    }
    const [row] = await this.db.query<{ id: string | null }>('select max(id) as id from run_events where run_id = $1', [
      run.run_id,
    ])
    if (!open.writer) this.#mirror(open, Math.max(Number(row?.id ?? -1), open.log.lastId))
  }

  /** Polls the store for idle readers, because a notification may have been lost. */
  async check(runId: string): Promise<void> {
    const open = this.#open.get(runId)
    if (!open || open.writer || this.#mirrors.has(runId)) return
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

  /** The id of an ended run's end, the same in every process: after all its events, also if the end is not stored. */
  async endId({ run_id, attempt }: Pick<FollowedRun, 'run_id' | 'attempt'>): Promise<number> {
    const [last] = await this.db.query<{ id: number; event: string }>(
      'select id::float8 as id, event from run_events where run_id = $1 order by id desc limit 1',
      [run_id],
    )
    if (!last) return 0 // a reader that has any event of it gets no more
    return last.event === 'end' ? last.id : attempt * IDS_PER_ATTEMPT - 1
  }

  /** Cuts every reader, because the process is stopping. */
  cut(reason: StreamCut): void {
    for (const { log } of this.#open.values()) {
      this.#mirrors.stop(log.runId)
      log.cut(reason)
    }
  }

  /** Gives readers what is stored of earlier attempts: their mirror may have been stopped before it had copied all of it. */
  async #catchUp(log: RunLog, firstId: number): Promise<void> {
    try {
      for await (const page of this.stored(log.runId, log.lastId, firstId - 1))
        for (const entry of page) log.relay(entry)
    } catch {
      log.cut(new StreamCut('The events of the attempt before cannot be read.'))
    }
    log.continueFrom(firstId)
  }

  async #confirmWatch({ log, writer }: Open): Promise<void> {
    writer?.keepForOthers()
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

  #mirror({ log, writer }: Open, after: number): void {
    if (writer || log.isOver || this.#mirrors.has(log.runId)) return
    log.continueFrom(after + 1)
    this.#mirrors.start(log)
  }
}
