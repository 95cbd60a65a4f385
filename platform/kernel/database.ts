import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SQL } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import {
  CONNECTION,
  keepAsking,
  requireUtf8,
  SERVER_KEEPALIVES,
  SILENCE_MS,
  STATEMENT_MS,
} from '@/lib/postgres/connections'
import * as schema from './schema'

export type Db = NodePgDatabase<typeof schema>
export type Database = {
  db: Db
  /** For statements that read or remove much, two at a time: they may take ten minutes. */
  upkeep: Db
  /** Builds an index of the platform's schema again, without a limit of time; nobody waits for it meanwhile. */
  rebuildIndex(name: string): Promise<void>
  close(): Promise<void>
}
type DatabaseOptions = {
  /** How long to wait for a predecessor that was just killed. */
  timeoutMs?: number | undefined
  /** Past a pooler, to hold the lock. */
  directUrl?: string
  statementMs?: number
  silenceMs?: number
  /** How often the connection with the lock is asked for an answer. */
  askMs?: number
}

/** Advisory locks: one during migrations, one while a platform uses the database. */
const MIGRATING = 72_616_001
const RUNNING = 72_616_002

const WAIT_MS = 30_000
const UPKEEP_MS = 600_000

/** Opens, migrates and locks the database: two platforms on one would start every agent server twice. */
export async function openDatabase(
  url: string,
  log: (line: string) => void,
  {
    timeoutMs = 3000,
    directUrl = url,
    statementMs = STATEMENT_MS,
    silenceMs = SILENCE_MS,
    askMs,
  }: DatabaseOptions = {},
): Promise<Database> {
  let isClosed = false
  let holder = await hold(directUrl, timeoutMs)
  watch(holder)

  function watch(client: pg.Client) {
    client.once('error', lost)
    keepAsking(client, askMs)
  }

  /** The connection with the lock was lost (the server restarted): take the lock again. */
  function lost(error: Error) {
    if (isClosed) return
    log(`The database connection was lost (${error.message}).`)
    void (async () => {
      while (!isClosed) {
        await sleep(1000)
        const next = await hold(directUrl, 0).catch((reason: Error) => {
          log(`The database is still unreachable: ${reason.message}`)
        })
        if (!next) continue
        holder = next
        watch(next)
        if (isClosed) await holder.end()
        return
      }
    })()
  }

  const open = (max: number, limitMs: number, waitMs: number) => {
    const pool = new pg.Pool({
      ...CONNECTION,
      connectionString: url,
      max,
      connectionTimeoutMillis: waitMs, // for one of the connections, too
      query_timeout: limitMs + silenceMs,
      // Poolers refuse settings at the start of a connection.
      ...(directUrl === url && { statement_timeout: limitMs }),
    })
    // Without a listener, a lost idle connection would end the process.
    pool.on('error', (error) => log(`An idle database connection was lost: ${error.message}`))
    // The pool listens only to idle ones.
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const storeOn = (pool: pg.Pool): Db => Object.assign(drizzle(pool, { schema }), { transaction: transactionsOn(pool) })
  const pool = open(10, statementMs, WAIT_MS)
  const slow = open(2, UPKEEP_MS, UPKEEP_MS)
  let rebuilding: pg.Client | undefined
  return {
    db: storeOn(pool),
    upkeep: storeOn(slow),
    async rebuildIndex(name) {
      const client = new pg.Client({ ...CONNECTION, connectionString: directUrl })
      client.on('error', () => {}) // the statement fails, too
      rebuilding = client
      try {
        await client.connect()
        const index = client.escapeIdentifier(name)
        // What an interrupted one has left.
        await client.query(`drop index concurrently if exists platform.${client.escapeIdentifier(`${name}_ccnew`)}`)
        await client.query(`reindex index concurrently platform.${index}`)
      } finally {
        rebuilding = undefined
        await client.end().catch(() => {})
      }
    },
    async close() {
      isClosed = true
      await rebuilding?.end().catch(() => {}) // ends it at once
      await Promise.all([pool.end(), slow.end()])
      await holder.end().catch(() => {})
    },
  }
}

/** The library's own keeps a connection for good whose `begin` fails, until the pool has none left. */
function transactionsOn(pool: pg.Pool): Db['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    try {
      return await drizzle(client, { schema }).transaction(work, config)
    } finally {
      client.release(client.getTransactionStatus() !== 'I') // a lost connection could not roll back
    }
  }
}

async function hold(url: string, timeoutMs: number): Promise<pg.Client> {
  const client = new pg.Client({ ...CONNECTION, connectionString: url })
  client.on('error', () => {}) // the driver reports one lost connection twice
  await client.connect()
  try {
    await requireUtf8(client)
    await client.query(SERVER_KEEPALIVES)
    const until = Date.now() + timeoutMs
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [RUNNING])
      if (rows[0]?.taken) break
      if (Date.now() >= until) throw new Error('Another platform is running on this database. Stop it first.')
      await sleep(100)
    }
    await client.query('select pg_advisory_lock($1)', [MIGRATING])
    await migrate(drizzle(client), {
      // Relative to the working folder, because this code runs bundled.
      migrationsFolder: path.resolve('drizzle/platform'),
      migrationsTable: 'platform_migrations',
    })
    await client.query('select pg_advisory_unlock($1)', [MIGRATING])
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** Rows that one statement removes, so that none holds locks for long. */
export const PORTION = 1000

/** Repeats a statement that removes a portion until it finds nothing. Returns how many rows it removed. */
export async function removeAll(db: Pick<Db, 'execute'>, portion: SQL): Promise<number> {
  for (let removed = 0; ; ) {
    const { rowCount } = await db.execute(portion)
    if (!rowCount) return removed
    removed += rowCount
  }
}

/** drizzle wraps the driver's error in one whose message contains the statement with its values. */
const causeOf = (error: unknown) => ((error as Error).cause ?? error) as Error & { code?: string; constraint?: string }

/** The error's message without the statement and its values. */
export const reasonOf = (error: unknown): string => causeOf(error).message

/** The error for a log: its reason and where it came from, without the statement's values. */
export function faultOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [reasonOf(error), ...frames].join('\n')
}

export const isMissingReference = (error: unknown): boolean => causeOf(error).code === '23503'

/** Whether a unique index of that name rejected the row. */
export const isUniqueViolation = (error: unknown, index: string): boolean =>
  causeOf(error).code === '23505' && causeOf(error).constraint === index

/** Escapes text for use inside a LIKE pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
