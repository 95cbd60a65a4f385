import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '../kernel/errors'
import type { Bus } from '../persistence/bus'
import type { Db, Query } from '../persistence/db'
import type { Entry } from './events'

const FLUSH_MS = 20
const FLUSH_CHARS = 1_000_000
/** Events outlive a lost connection for this long, because the checkpoint after them may be stored over another one. */
const KEEP_TRYING_MS = 30_000
const RETRY_MS = 200

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
    const begun = this.#flushing.then(async () => {
      const pending = this.#pending
      if (!pending.length) return { stored: Promise.resolve() }
      this.#pending = []
      this.#size = 0
      let stored = Promise.resolve()
      await new Promise<void>((onSent) => {
        stored = this.#store(pending, onSent).finally(onSent)
      })
      for (const { writer } of pending) writer.unsent -= 1
      return { stored }
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

  async #store(pending: readonly Pending[], onSent: () => void, until = Date.now() + KEEP_TRYING_MS): Promise<void> {
    const followed = new Set(pending.filter(({ writer }) => writer.isFollowed).map(({ writer }) => writer.runId))
    const writers = [...new Set(pending.map(({ writer }) => writer))]
    const numbers = new Map(writers.map((writer, index) => [writer, index + 1]))
    try {
      const { done } = await this.db.dispatch<{ number: number }>(INSERT_OWN, [
        ...columnsOf(pending.map(({ entry }) => entry)),
        pending.map(({ writer }) => numbers.get(writer)),
        writers.map(({ runId }) => runId),
        writers.map(({ attempt }) => attempt),
      ])
      onSent()
      for (const { number } of await done) writers[number - 1]?.onLost()
      this.bus.tellEvents([...followed])
    } catch (error) {
      if (isConnectionError(error) && Date.now() < until) {
        onSent() // runs do not wait for a database that is away: they lose it too
        await sleep(RETRY_MS)
        return this.#store(pending, onSent, until)
      }
      // One event that cannot be stored must not cost the other runs theirs.
      if (writers.length > 1)
        for (const one of writers) {
          const own = pending.filter(({ writer }) => writer === one)
          await this.#store(own, onSent, until)
        }
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
    readonly attempt: number,
    private kept: boolean,
    /** Whether another process may read them now, and is told of each batch. */
    public isFollowed: boolean,
    /** Called if events were refused, because a newer attempt has the run or it has ended. */
    readonly onLost: () => void = () => {},
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
    await query(
      `insert into run_events (run_id, id, event, data)
       select $4::text, * from unnest($1::bigint[], $2::text[], $3::text[])`,
      [...columnsOf(entries), this.runId],
    )
  }
}

/** Stores the events of runs' newest attempts; selects the numbers of the other writers, whose readers follow a newer one. */
const INSERT_OWN = `with writers as (select * from unnest($5::text[], $6::int[]) with ordinality w (run_id, attempt, number)),
    own as (select w.run_id, w.number from writers w join runs r using (run_id, attempt) where r.status in ('pending', 'running')),
    stored as (insert into run_events (run_id, id, event, data)
      select own.run_id, e.id, e.event, e.data from unnest($1::bigint[], $2::text[], $3::text[], $4::int[]) e (id, event, data, number)
      join own using (number) on conflict do nothing)
  select number::int from writers where number not in (select number from own)`

const columnsOf = (events: readonly Entry[]) => [
  events.map(({ id }) => id),
  events.map(({ event }) => event),
  events.map(({ data }) => data),
]
