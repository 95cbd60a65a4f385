import 'server-only'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { CONNECTION, requireUtf8, SILENCE_MS, STATEMENT_MS } from '@/lib/postgres/connections'
import { env } from './env'
import { log } from './log'
import { within } from './within'

export type Store = NodePgDatabase & { $client: pg.Pool }
/** The store, or a transaction on it. */
export type StoreOrTransaction = Store | Parameters<Parameters<Store['transaction']>[0]>[0]
export type OpenStore = { url: string; db: Store; close(): Promise<void> }

const migrationsFolder = path.join(/* turbopackIgnore: true */ process.cwd(), 'drizzle/console')
/** Our advisory locks in this database. Any numbers will do, if they differ and no other program uses them. */
export const LOCKS = {
  migration: 7_240_001,
  /** With the instance's number: held while a console instance lives. */
  instance: 7_240_002,
  /** With a hash of the run: held while its recording is created. */
  joinedRun: 7_240_003,
  firstRun: 7_240_004,
  admins: 7_240_005,
  /** Held while the partition of a week is created. */
  weeks: 7_240_006,
  /** With a hash of the limit: held while an attempt to sign in is counted. */
  attempts: 7_240_007,
  /** With a hash of the limit: held while a slice of it is taken. */
  limits: 7_240_009,
} as const

/** Opens and migrates a separate store with its own connection pool. Several processes may do so at the same time. */
export async function openStore(
  url: string,
  { connections = 20, directUrl = url, statementMs = STATEMENT_MS, silenceMs = SILENCE_MS } = {},
): Promise<OpenStore> {
  const settings = { ...CONNECTION, connectionString: url, application_name: 'pilothouse-console' }
  const one = new pg.Client({ ...settings, connectionString: directUrl })
  one.on('error', () => {}) // without a listener, a lost connection would end the process
  await one.connect()
  try {
    await requireUtf8(one)
    await one.query('select pg_advisory_lock($1)', [LOCKS.migration]) // ends with the connection
    // The platform keeps its migrations in the same database, so ours have their own table.
    await migrate(drizzle(one), { migrationsFolder, migrationsTable: 'console_migrations' })
  } finally {
    await one.end()
  }
  // Connections are expensive to open, because the password is hashed thousands of times.
  // The driver watches the time, too: a database whose machine vanished answers nothing for a quarter of an hour, and
  // poolers refuse settings at the start of a connection.
  const limit = {
    query_timeout: statementMs + silenceMs,
    // A process that hangs within a transaction would keep its locks.
    ...(directUrl === url && { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }),
  }
  const pool = new pg.Pool({ ...settings, ...limit, max: connections, idleTimeoutMillis: 120_000 })
  pool.on('error', (error) => log.warn('store.connection_lost', { error }))
  // The pool itself listens only to idle connections: one lost within a transaction would be an uncaught exception.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { url, db: Object.assign(drizzle(pool), { transaction: transactionsOn(pool) }), close: () => pool.end() }
}

/** The library's own keeps a connection for good whose `begin` fails, until the pool has none left. */
function transactionsOn(pool: pg.Pool): Store['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    try {
      const done = await drizzle(client).transaction(work, config)
      client.release()
      return done
    } catch (error) {
      client.release(storeOutage(error) !== undefined) // it may be within the transaction still
      throw error
    }
  }
}

// On globalThis: pages, route handlers, actions and instrumentation each have their own copy of this module.
const shared = globalThis as { pilothouseStore?: Promise<OpenStore>; pilothouseStoreUrl?: string }

/** Address of this process's store. */
const storeUrl = (): string => shared.pilothouseStoreUrl ?? env().DATABASE_URL

/** The same past a pooler, for a connection that listens or holds a lock for as long as it lives. */
export const directStoreUrl = (): string => env().DATABASE_DIRECT_URL ?? storeUrl()

/** Whether statements may each go to another connection, so that none can be prepared. */
export const isPooled = (): boolean => directStoreUrl() !== storeUrl()

/** The process's store, opened and migrated on first use. A failed attempt is repeated on the next call. */
export async function db(): Promise<Store> {
  shared.pilothouseStore ??= openStore(storeUrl(), { directUrl: directStoreUrl() }).catch((error: unknown) => {
    shared.pilothouseStore = undefined
    throw error
  })
  return (await shared.pilothouseStore).db
}

/**
 * Replaces the process's store with the one at `url` and closes the old one; undefined only closes. For tests and short
 * programs.
 */
export async function adoptStore(url: string | undefined): Promise<void> {
  const before = shared.pilothouseStore
  shared.pilothouseStore = undefined
  shared.pilothouseStoreUrl = url
  await (await before?.catch(() => undefined))?.close()
}

/** Why the store cannot be used, in words that anyone may read; undefined if it responds. */
export async function storeProblem(withinMs: number): Promise<string | undefined> {
  const unknown = 'The database is unreachable, or could not be migrated.'
  const query = db().then((store) => store.execute(sql`select 1`))
  const problem = query.then(
    () => undefined,
    (error: unknown) =>
      isRefused(error) ? 'The database does not accept the user or password of DATABASE_URL.' : unknown,
  )
  return await within(withinMs, problem, unknown)
}

/** Whether PostgreSQL refused to let the role in. */
function isRefused(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if ('code' in one && (one.code === '28P01' || one.code === '28000')) return true
  return false
}

/** Why the store failed although the query is fine. */
export type StoreOutage = 'unreachable' | 'read-only' | 'busy'

const OUTAGE_CODES: [RegExp, StoreOutage][] = [
  // Class 08: connection; 57P0x: the server is stopping or starting; 53300: no connection left.
  [
    /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ETIMEDOUT|EPIPE|08...|57P0[1-5]|53300)$/,
    'unreachable',
  ],
  // Class 53 otherwise: disk or memory full; 25006: read-only transaction (a standby after a fail-over); 58030: I/O error.
  [/^(53...|25006|58030)$/, 'read-only'],
  // Class 40: rolled back by the server; 55P03: lock not available; 57014: statement timeout.
  [/^(40...|55P03|57014)$/, 'busy'],
]

/** Tells an outage of the store from a fault in a query. After an outage the same query may work later. */
export function storeOutage(error: unknown): StoreOutage | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = 'code' in one ? String(one.code) : ''
    const known = OUTAGE_CODES.find(([codes]) => codes.test(code))
    if (known) return known[1]
    if (/timeout exceeded when trying to connect|Connection terminated|not queryable/.test(one.message))
      return 'unreachable'
    if (one.message === 'Query read timeout') return 'busy'
  }
  return undefined
}

/** Whether PostgreSQL refused a text because of its characters: text columns hold no NUL. */
export function isUnstorable(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if ('code' in one && (one.code === '22021' || one.code === '22P05')) return true
  return false
}
