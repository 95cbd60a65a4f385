import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ASK_MS, keepAsking, SERVER_KEEPALIVES } from '@/lib/postgres/connections'
import { type Db, SESSION_NAME } from './db'

/** A run that can be claimed, or in `dueMs`; at first only by its creator, the process of its request. */
export type Claimable = { run: string; creator: number; dueMs: number }

/** Messages between the processes that serve one deployment. */
export type BusMessage =
  /** A run is to be stopped; its row says how. */
  | { kind: 'cancel'; run: string }
  /** A run was claimed by a process other than the one that created it. */
  | { kind: 'claimed'; run: string }
  /** A run has ended or is to be claimed again. */
  | { kind: 'ended'; run: string }
  /** Another process reads this run: its events must be stored from now on. */
  | { kind: 'watch'; run: string }
  /** The run's events are stored, starting after `id`. */
  | { kind: 'watched'; run: string; id: number }
  /** A run waits for any process that can claim it. */
  | ({ kind: 'waiting' } & Claimable)

/** A thread got a run, was deleted, or had its state updated by a request. */
export type ThreadChange = { thread: string; run?: string; isGone?: boolean; isElsewhere?: boolean }

/** What a notification contains. */
type Notice = BusMessage | { kind: 'events'; runs: string[] } | ({ kind: 'thread' } & ThreadChange)

type BusEvents = {
  message: [message: BusMessage]
  /** New events of these runs of another process were stored. */
  events: [runIds: readonly string[]]
  thread: [change: ThreadChange]
  /** A request or the end of a run in this process made a run claimable. */
  claimable: [run: Claimable]
  /** The connection was lost: messages may have been missed. */
  reconnected: []
  /** This process has hung itself: others may have its runs by now. */
  woken: []
}

const RETRY_MS = 200
/** A notification holds at most 8,000 bytes. */
const RUNS_PER_NOTICE = 150
/** Notices are passed on one commit after the other, in the whole database server. None must last, so none waits for the disk. */
const TELL = `select pg_notify($1, n), synchronous_commit
  from unnest($2::text[]) n, set_config('synchronous_commit', 'off', true) synchronous_commit`

/** Lock class of a deployment's instances: the table that numbers them. */
const LOCK_CLASS = `('instances'::regclass::oid::bigint & 2147483647)::int`
/** The locks of the deployment's instances, as a condition on rows `l` of `pg_locks`. */
const IS_INSTANCE = `l.locktype = 'advisory' and l.objsubid = 2 and l.granted
       and l.database = (select oid from pg_database where datname = current_database())
       and l.classid = (${LOCK_CLASS})::oid`

/** Synchronous code of a deployment may block its process for long. */
const HANG_MS = 120_000
/** A process hangs if it was silent in so many looks: after a pause of the database itself, the others are heard first. */
const LOOKS = 3
/** Processes that hold their lock and have sent no statement over its connection for $1 ms. */
const SILENT = `select a.pid, a.application_name as name, l.objid::int as instance
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where ${IS_INSTANCE} and starts_with(a.application_name, '${SESSION_NAME}')
    and a.state_change < clock_timestamp() - $1 * interval '1 millisecond'`

export type BusTiming = {
  /** How often the connection for notices is asked for an answer, which shows others that this process does not hang. */
  askMs?: number | undefined
  /** A process that has shown nothing for this long hangs. */
  hangMs?: number | undefined
}

/**
 * This process among those that serve the deployment. It has a number and holds an advisory lock under that number for
 * as long as it lives, so others notice at once when it is gone, even after kill -9, without comparing clocks. A process
 * that hangs loses its lock to the others, which end its connections.
 */
export class Bus extends EventEmitter<BusEvents> {
  #client: pg.Client | undefined
  #isClosed = false
  #notices: string[] = []
  readonly #heldBack = new Map<string, Promise<void>>()
  #sending: Promise<void> | undefined
  /** In how many looks a session was silent. */
  #silent = new Map<number, number>()
  #looking: NodeJS.Timeout | undefined

  private constructor(
    private readonly db: Db,
    private readonly log: (line: string) => void,
    readonly instance: number,
    private readonly owner: string,
    private readonly hangMs: number,
    private readonly askMs: number,
  ) {
    super()
    this.setMaxListeners(0)
  }

  static async open(
    db: Db,
    owner: string,
    log: (line: string) => void,
    { hangMs = HANG_MS, askMs = Math.min(ASK_MS, hangMs / 4) }: BusTiming = {},
  ): Promise<Bus> {
    const [row] = await db.query<{ id: number }>('insert into instances (owner) values ($1) returning id', [owner])
    const bus = new Bus(db, log, (row as { id: number }).id, owner, hangMs, askMs)
    await bus.#connect()
    bus.#lookLater()
    return bus
  }

  /** Whether the lock is held. While it is not, others take this process for dead, and its runs. */
  get isConnected(): boolean {
    return this.#client !== undefined
  }

  /** Publishes to this process and the others. */
  tell(message: BusMessage): Promise<void> {
    this.emit('message', message)
    return this.send(message)
  }

  /** Keeps a run that is being created from beginning here before its readers know of it, until the result is called. */
  holdBack(runId: string): () => void {
    let release = () => {}
    this.#heldBack.set(runId, new Promise((resolve) => (release = resolve)))
    return () => {
      this.#heldBack.delete(runId)
      release()
    }
  }

  announced(runId: string): Promise<void> | undefined {
    return this.#heldBack.get(runId)
  }

  /** Publishes to the other processes. Never rejects, because every receiver also polls. */
  send(message: BusMessage): Promise<void> {
    return this.#send(message)
  }

  /** Tells other processes that new events of these runs are stored. */
  tellEvents(runIds: readonly string[]): void {
    for (let from = 0; from < runIds.length; from += RUNS_PER_NOTICE)
      void this.#send({ kind: 'events', runs: runIds.slice(from, from + RUNS_PER_NOTICE) })
  }

  /** Publishes to readers of the thread: here, and with `isWatched` in other processes. */
  tellThread(change: ThreadChange, isWatched = true): void {
    this.emit('thread', change)
    if (isWatched) void this.#send({ kind: 'thread', ...change })
  }

  /** Notices that come while others are on their way go together. */
  #send(notice: Notice): Promise<void> {
    this.#notices.push(JSON.stringify({ ...notice, from: this.instance }))
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #sendAll(): Promise<void> {
    while (this.#notices.length) {
      const notices = this.#notices
      this.#notices = []
      try {
        await this.db.query(TELL, [this.db.schema, notices])
      } catch (error) {
        if (!this.#isClosed) this.log(`A notice to other processes was lost: ${(error as Error).message}`)
      }
    }
  }

  /** Numbers of instances in `column` whose process is gone, as an SQL condition. */
  static readonly isGone = (column: string): string =>
    `not exists (select from pg_locks l where ${IS_INSTANCE} and l.objid = ${column}::oid)`

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#looking)
    await this.#client?.end().catch(() => {})
  }

  #lookLater(): void {
    const since = performance.now()
    this.#looking = setTimeout(() => {
      if (performance.now() - since > this.hangMs) this.emit('woken')
      void this.#endHanging()
        .catch((error: Error) => {
          if (!this.#isClosed) this.log(`Processes that hang cannot be looked for: ${error.message}`)
        })
        .finally(() => {
          if (!this.#isClosed) this.#lookLater()
        })
    }, this.askMs).unref()
  }

  /** Ends all connections of processes that hang. Their locks go with them, and their transactions are rolled back. */
  async #endHanging(): Promise<void> {
    const found = await this.db.query<{ pid: number; name: string; instance: number }>(SILENT, [this.hangMs])
    const before = this.#silent
    this.#silent = new Map(found.map(({ pid }) => [pid, (before.get(pid) ?? 0) + 1]))
    for (const { pid, name, instance } of found) {
      if (this.#silent.get(pid) !== LOOKS) continue
      this.#silent.delete(pid)
      this.log(`Process ${instance} of this deployment has hung for ${this.hangMs / 1000} s and loses its runs.`)
      await this.db.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name])
    }
  }

  async #connect(): Promise<void> {
    const client = this.db.client()
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''))
    let isLost = false
    client.on('error', (error) => {
      this.log(`The connection for notices was lost: ${error.message}`)
      isLost = true
    })
    client.on('end', () => {
      if (!this.#isClosed && this.#client === client) void this.#reconnect()
    })
    await client.connect()
    try {
      await client.query(SERVER_KEEPALIVES)
      const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${LOCK_CLASS}, $1) as held`, [
        this.instance,
      ])
      // After a lost connection the database may hold on to the old session for a moment.
      if (!rows[0]?.held || isLost) throw new Error(`The lock of instance ${this.instance} is still held.`)
      // Others that took it for dead have removed it.
      await client.query(
        'insert into instances (id, owner) overriding system value values ($1, $2) on conflict do nothing',
        [this.instance, this.owner],
      )
      await client.query(`listen "${this.db.schema}"`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    keepAsking(client, this.askMs)
    this.#client = client
  }

  async #reconnect(): Promise<void> {
    this.#client = undefined
    while (!this.#isClosed) {
      try {
        await this.#connect()
        this.emit('reconnected')
        return
      } catch (error) {
        this.log(`No connection for notices yet: ${(error as Error).message}`)
        await sleep(RETRY_MS)
      }
    }
  }

  #receive(payload: string): void {
    const { from, ...notice } = JSON.parse(payload) as Notice & { from: number }
    if (from === this.instance) return
    if (notice.kind === 'events') this.emit('events', notice.runs)
    else if (notice.kind === 'thread') this.emit('thread', { ...notice, isElsewhere: true })
    else this.emit('message', notice)
  }
}
