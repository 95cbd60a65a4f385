import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from './db'

/** Messages between the processes that serve one deployment. */
export type BusMessage =
  /** A run is to be stopped; its row says how. */
  | { kind: 'cancel'; run: string }
  /** A run was claimed by a process other than the one that created it. */
  | { kind: 'claimed'; run: string }
  /** A run has ended or is to be claimed again; its thread is free. */
  | { kind: 'ended'; run: string }
  /** Another process reads this run: its events must be stored from now on. */
  | { kind: 'watch'; run: string }
  /** The run's events are stored, starting after `id`. */
  | { kind: 'watched'; run: string; id: number }
  /** New events of a watched run were stored. */
  | { kind: 'events'; run: string }

/** A thread got a run, was deleted, or had its state updated by a request. */
export type ThreadChange = { thread: string; run?: string; isGone?: boolean }

type BusEvents = {
  message: [message: BusMessage]
  /** Emits in this process only. */
  thread: [change: ThreadChange]
  /** The connection was lost: messages may have been missed. */
  reconnected: []
}

const RETRY_MS = 200

/** Lock class of a deployment's instances: the table that numbers them. */
const LOCK_CLASS = `('instances'::regclass::oid::bigint & 2147483647)::int`

/**
 * This process among those that serve the deployment. It has a number and holds an advisory lock under that number for
 * as long as it lives, so others notice at once when it is gone, even after kill -9, without comparing clocks.
 */
export class Bus extends EventEmitter<BusEvents> {
  #client: pg.Client | undefined
  #isClosed = false

  private constructor(
    private readonly db: Db,
    private readonly log: (line: string) => void,
    readonly instance: number,
  ) {
    super()
    this.setMaxListeners(0)
  }

  static async open(db: Db, owner: string, log: (line: string) => void): Promise<Bus> {
    const [row] = await db.query<{ id: number }>('insert into instances (owner) values ($1) returning id', [owner])
    const bus = new Bus(db, log, (row as { id: number }).id)
    await bus.#connect()
    return bus
  }

  /** Publishes to this process and the others. */
  tell(message: BusMessage): Promise<void> {
    this.emit('message', message)
    return this.send(message)
  }

  /** Publishes to the other processes. Never rejects, because every receiver also polls. */
  async send(message: BusMessage): Promise<void> {
    try {
      await this.db.query('select pg_notify($1, $2)', [
        this.db.schema,
        JSON.stringify({ ...message, from: this.instance }),
      ])
    } catch (error) {
      if (!this.#isClosed) this.log(`A notice to other processes was lost: ${(error as Error).message}`)
    }
  }

  /** Numbers of instances in `column` whose process is gone, as an SQL condition. */
  static readonly isGone = (column: string): string =>
    `not exists (select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
       and l.database = (select oid from pg_database where datname = current_database())
       and l.classid = (${LOCK_CLASS})::oid and l.objid = ${column}::oid)`

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
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
      const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${LOCK_CLASS}, $1) as held`, [
        this.instance,
      ])
      // After a lost connection the database may hold on to the old session for a moment.
      if (!rows[0]?.held || isLost) throw new Error(`The lock of instance ${this.instance} is still held.`)
      await client.query(`listen "${this.db.schema}"`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
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
    const { from, ...message } = JSON.parse(payload) as BusMessage & { from: number }
    if (from !== this.instance) this.emit('message', message as BusMessage)
  }
}
