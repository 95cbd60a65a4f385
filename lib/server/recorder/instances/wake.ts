import 'server-only'
import pg from 'pg'
import { directStoreUrl, LOCKS } from '../../process/db'
import { hideInstance, showInstance } from '../../process/instance'
import { log } from '../../process/log'

/** Messages on it: `<instance>:<recording id>,<recording id>,…`, `<instance>:*` for all, or `<instance>:-` when it leaves. */
export const CHANNEL = 'pilothouse_recordings'
/** Shorter than others wait before they take this instance for gone: lib/server/process/lease.ts. */
const RETRY_MS = 250
const ANSWER_MS = 10_000
/** Earlier releases take it for the id of a recording that they do not have. */
const LEFT = '-'
const OTHERS = `select objid::bigint::int as instance from pg_locks
  where locktype = 'advisory' and classid = $1::int::oid and objid <> $2::int::oid and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`

/**
 * This instance's connection for notices: it listens for writes of other instances and holds the lock that shows that
 * this one lives. Reconnects by itself; after that, anything may have changed.
 */
export class WakeLine {
  /** When the line was last opened. A new line cannot judge yet which other instances live. */
  openedAt = 0
  /** Other instances; undefined while that is not known. */
  #others: Set<number> | undefined
  #client: pg.Client | undefined
  #isStopped = false
  #isShown = false
  #opening: Promise<void> | undefined
  #again: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readonly instance: number,
    /** `left`: another instance has handed its recordings over. */
    readonly onWake: (ids: string[] | 'all' | 'left') => void,
    /** Whether that instance learns without notices what is recorded here. */
    readonly isNeighbour: (instance: number) => boolean = () => false,
    /** The store is given up after so long without an answer: a machine that vanished closes no connection. */
    readonly answerMs = ANSWER_MS,
  ) {}

  get hasOthers(): boolean {
    return this.#others?.size !== 0
  }

  /** False while nobody needs notices: thirty a second for nobody are a tenth of the store's work. */
  get hasListeners(): boolean {
    return !this.#others || [...this.#others].some((instance) => !this.isNeighbour(instance))
  }

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  /** Resolves when the line is open; throws if the store is unreachable. */
  open(): Promise<void> {
    if (this.#client) return Promise.resolve()
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async close(): Promise<void> {
    this.#isStopped = true
    await this.#opening?.catch(() => {})
    const client = this.#client
    this.#forget()
    await client?.end().catch(() => {})
  }

  #forget(): void {
    this.#client = undefined
    this.#isShown = false
    hideInstance(this.instance)
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: directStoreUrl(),
      application_name: 'pilothouse-recorder',
      keepAlive: true,
      connectionTimeoutMillis: this.answerMs,
      query_timeout: this.answerMs,
    })
    client.on('error', (error) => log.warn('recorder.line_lost', { error }))
    client.once('end', () => {
      if (this.#client === client) this.#forget()
      if (!this.#isStopped) this.#retry()
    })
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    await client.connect()
    await ask(client, `listen ${CHANNEL}`)
    this.#client = client
    await this.#show()
    this.openedAt = performance.now()
    await this.#greet()
    this.onWake('all')
    await this.look()
  }

  /** Checks whether other instances live. Uses the same connection, so that a later greeting arrives later. */
  async look(): Promise<void> {
    await this.#show()
    const found = await this.#query<{ instance: number }>(OTHERS, [LOCKS.instance, this.instance])
    if (found) this.#others = new Set(found.rows.map(({ instance }) => instance))
  }

  /** Takes the lock that shows that this instance lives. A connection that was lost may hold it for a while. */
  async #show(): Promise<void> {
    if (this.#isShown) return
    const lock = 'select pg_try_advisory_lock($1::int, $2::int) as held'
    const answer = await this.#query<{ held: boolean }>(lock, [LOCKS.instance, this.instance])
    if (!answer?.rows[0]?.held) return
    this.#isShown = true
    showInstance(this.instance)
  }

  /** Tells the others that nobody records any more what this instance did. */
  async leave(): Promise<void> {
    await this.#tell(LEFT)
  }

  async #greet(): Promise<void> {
    await this.#tell('*')
  }

  async #tell(what: string): Promise<void> {
    await this.#query('select pg_notify($1, $2)', [CHANNEL, `${this.instance}:${what}`])
  }

  /** One after another: the driver is about to refuse a query while another runs. */
  #query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row> | undefined> {
    const answer = this.#last.then(() => this.#client && ask<Row>(this.#client, text, values))
    this.#last = answer.catch(() => {})
    return answer
  }

  /** A failed attempt ends its connection too, and asks twice. */
  #retry(): void {
    this.#again ??= setTimeout(() => {
      this.#again = undefined
      if (this.#isStopped || this.#client) return
      this.open().catch(() => this.#retry())
    }, RETRY_MS).unref()
  }

  #hear(payload: string): void {
    const colon = payload.indexOf(':')
    const other = Number(payload.slice(0, colon))
    if (other === this.instance) return
    const hadListeners = this.hasListeners
    this.#others?.add(other)
    if (!hadListeners && this.hasListeners) {
      // It missed notices until now.
      void this.#greet().catch((error: unknown) => log.warn('recorder.greeting_failed', { error }))
    }
    const ids = payload.slice(colon + 1)
    if (ids === LEFT) this.onWake('left')
    else this.onWake(ids === '*' ? 'all' : ids.split(','))
  }
}

/** Ends a connection that does not answer: the driver would send what follows only after the answer. */
const ask = <Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []) =>
  client.query<Row>(text, values).catch((error: Error) => {
    if (error.message === 'Query read timeout') void client.end().catch(() => {})
    throw error
  })
