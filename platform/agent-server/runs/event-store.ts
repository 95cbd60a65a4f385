import type { Bus } from '../persistence/bus'
import type { Db, Query } from '../persistence/db'
import type { Entry } from './events'

const FLUSH_MS = 20
const FLUSH_CHARS = 1_000_000

type Pending = { writer: EventWriter; entry: Entry }

/** Stores the events of all runs of this process, in batches: one statement per 20 ms, however many runs there are. */
export class EventStore {
  #pending: Pending[] = []
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()
  #sent: Promise<void> = Promise.resolve()

  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly logError: (line: string) => void,
  ) {}

  add(writer: EventWriter, entry: Entry): void {
    this.#pending.push({ writer, entry })
    this.#size += entry.data.length
    if (this.#size > FLUSH_CHARS) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }

  /** Resolves when everything added so far is stored, or was lost for good and logged. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // One after the other: a reader that has seen an event asks only for later ones.
    const begun = this.#flushing.then(() => {
      const pending = this.#pending
      if (!pending.length) return { stored: Promise.resolve() }
      this.#pending = []
      this.#size = 0
      for (const { writer } of pending) writer.unsent -= 1
      return { stored: this.#store(pending) }
    })
    this.#sent = begun.then(() => {})
    this.#flushing = begun.then(({ stored }) => stored)
    return this.#flushing
  }

  /** Resolves when everything added so far is on its way to the database, which stores it even if this process dies. */
  async send(): Promise<void> {
    void this.flush()
    await this.#sent
  }

  async #store(pending: readonly Pending[]): Promise<void> {
    const followed = new Set(pending.filter(({ writer }) => writer.isFollowed).map(({ writer }) => writer.runId))
    try {
      await insertEvents(
        this.db.query,
        pending.map(({ writer, entry }) => ({ runId: writer.runId, ...entry })),
      )
      this.bus.tellEvents([...followed])
    } catch (error) {
      const runs = new Set(pending.map(({ writer }) => writer))
      // One event that cannot be stored must not cost the other runs theirs.
      if (runs.size > 1) for (const run of runs) await this.#store(pending.filter(({ writer }) => writer === run))
      else
        this.logError(
          `${pending.length} events of run ${pending[0]?.writer.runId} could not be stored: ${(error as Error).message}`,
        )
    }
  }
}

/** Stores one attempt's events, if they may be needed later or in another process. */
export class EventWriter {
  /** How many of its events still wait here. */
  unsent = 0

  constructor(
    private readonly store: EventStore,
    readonly runId: string,
    private kept: boolean,
    /** Whether another process may read them now, and is told of each batch. */
    public isFollowed: boolean,
  ) {}

  get isKept(): boolean {
    return this.kept
  }

  /** Another process reads the run from now on. */
  keepForOthers(): void {
    this.kept = true
    this.isFollowed = true
  }

  add(entry: Entry): void {
    if (!this.kept) return
    this.unsent += 1
    this.store.add(this, entry)
  }

  flush(): Promise<void> {
    return this.kept ? this.store.flush() : Promise.resolve()
  }

  async send(): Promise<void> {
    if (this.unsent > 0) await this.store.send()
  }

  /** Stores the run's last events in the transaction that ends it, so that readers who see the end see them too. */
  async finish(query: Query, entries: readonly Entry[]): Promise<void> {
    if (!this.kept) return
    await insertEvents(
      query,
      entries.map((entry) => ({ runId: this.runId, ...entry })),
    )
  }
}

async function insertEvents(query: Query, events: readonly (Entry & { runId: string })[]): Promise<void> {
  await query(
    `insert into run_events (run_id, id, event, data)
     select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) on conflict do nothing`,
    [
      events.map(({ runId }) => runId),
      events.map(({ id }) => id),
      events.map(({ event }) => event),
      events.map(({ data }) => data),
    ],
  )
}
