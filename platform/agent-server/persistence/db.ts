import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { isRecord } from '@/lib/json/guards'
import { CONNECTION, requireUtf8, SILENCE_MS, STATEMENT_MS } from '@/lib/postgres/connections'
import { fromText, toText } from '../kernel/numbers'
import type { AgentServerSettings } from '../kernel/settings'
import { COMPATIBLE_SINCE, MIGRATIONS } from './migrations'

type DbOptions = {
  statementMs?: number
  silenceMs?: number
  /** The same database through a pooler in transaction mode. */
  poolerUrl?: string | undefined
}
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>

const WAIT_MS = 30_000
/** Begins the name of the connections of one process. Earlier releases have one name for all, without the slash. */
export const SESSION_NAME = 'pilothouse-agent/'

/** Objects are sent as JSON; numbers keep their digits in both directions. */
const bound = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (isRecord(value) ? toText(value) : value))
const JSON_TYPES: number[] = [pg.types.builtins.JSON, pg.types.builtins.JSONB]
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    JSON_TYPES.includes(id) && format !== 'binary' ? fromText : pg.types.getTypeParser(id, format),
}

/** The deployment's PostgreSQL schema, set as the search path of every connection. */
export class Db {
  readonly pool: pg.Pool
  /** All connections have it, so that others can end them together when this process hangs. */
  readonly #name = SESSION_NAME + randomBytes(8).toString('hex')

  constructor(
    readonly url: string,
    readonly schema: string,
    log: (line: string) => void,
    { statementMs = STATEMENT_MS, silenceMs = SILENCE_MS, poolerUrl }: DbOptions = {},
  ) {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
      throw new Error(`"${schema}" is not a usable name of a PostgreSQL schema.`)
    this.pool = new pg.Pool({
      ...this.#connection(`-c statement_timeout=${statementMs}`),
      // A pooler refuses settings at the start of a connection; the role has the schema as its own.
      ...(poolerUrl && { connectionString: poolerUrl, options: undefined }),
      max: 10,
      connectionTimeoutMillis: WAIT_MS, // for one of the connections, too
      query_timeout: statementMs + silenceMs,
    })
    // Without a listener, losing an idle connection would crash the process.
    this.pool.on('error', (error) => log(`An idle database connection was lost: ${error.message}`))
    // The pool listens only to idle ones.
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Through the pooler, if there is one that lets the deployment's role in. */
  static async open(
    { databaseUrl, poolerUrl, schema }: Pick<AgentServerSettings, 'databaseUrl' | 'poolerUrl' | 'schema'>,
    log: (line: string) => void,
  ): Promise<Db> {
    const problem = poolerUrl && (await poolerProblem(poolerUrl, schema))
    if (problem) log(`This agent server connects past the pooler of DATABASE_URL: ${problem}. See docs/operate.md.`)
    return new Db(databaseUrl, schema, log, { poolerUrl: problem ? undefined : poolerUrl })
  }

  /** A dedicated connection without limits of time, for session state (LISTEN, advisory locks) and migrations. */
  client(): pg.Client {
    return new pg.Client(this.#connection())
  }

  query: Query = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await this.pool.query<Row & pg.QueryResultRow>(text, bound(values))).rows

  /** Resolves once the statement is on its way: until a connection is open, a later statement can overtake it on another. */
  async dispatch<Row extends object>(text: string, values: readonly unknown[]): Promise<{ done: Promise<Row[]> }> {
    const client = await this.pool.connect()
    const sent = client.query<Row & pg.QueryResultRow>(text, bound(values))
    sent.then(
      () => client.release(),
      (error: Error) => client.release(error),
    )
    return { done: sent.then(({ rows }) => rows) }
  }

  /** Runs `work` in one transaction; rolls back if it throws. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.pool.connect()
    let failure: Error | undefined
    try {
      await client.query('begin')
      const result = await work(
        async <Row extends object>(text: string, values: readonly unknown[] = []) =>
          (await client.query<Row & pg.QueryResultRow>(text, bound(values))).rows,
      )
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch((reason: Error) => {
        failure = reason
      })
      throw error
    } finally {
      // Discards a connection that cannot roll back.
      client.release(failure)
    }
  }

  /**
   * Creates the schema and migrates its tables, one process at a time. `before` runs under the same lock and creates
   * the checkpointer's tables. Rejects if a newer server has changed the schema so that this one cannot use it.
   */
  async migrate(
    before: () => Promise<void>,
    { migrations, compatibleSince } = { migrations: MIGRATIONS, compatibleSince: COMPATIBLE_SINCE },
  ): Promise<void> {
    const client = this.client()
    await client.connect()
    try {
      await requireUtf8(client)
      await client.query('select pg_advisory_lock(hashtext($1), 0)', [`${this.schema}.migrations`])
      const { rows: schemas } = await client.query('select from pg_namespace where nspname = $1', [this.schema])
      // Checked first, because a deployment's role cannot create the schema; the platform does.
      if (!schemas.length) await client.query(`create schema "${this.schema}"`)
      await client.query(
        'create table if not exists migrations (version integer primary key, compatible_since integer)',
      )
      // Tables of earlier releases have no such column until their next migration.
      const { rows } = await client.query<{ version: number; compatible_since: number }>(
        `select version, coalesce((to_jsonb(m) ->> 'compatible_since')::int, version) as compatible_since
         from migrations m order by version desc limit 1`,
      )
      const { version, compatible_since: needed } = rows[0] ?? { version: 0, compatible_since: 0 }
      if (needed > migrations.length)
        throw new Error(
          `The schema "${this.schema}" was written by a newer agent server (version ${version}), and this one is too old for it. Start the newer one again, or restore a backup from before the upgrade.`,
        )
      await before()
      if (version < migrations.length)
        await client.query('alter table migrations add column if not exists compatible_since integer')
      for (const [index, statements] of migrations.entries()) {
        if (index < version) continue
        await client.query('begin')
        await client.query(statements)
        await client.query('insert into migrations (version, compatible_since) values ($1, $2)', [
          index + 1,
          compatibleSince,
        ])
        await client.query('commit')
      }
    } finally {
      await client.end()
    }
  }

  close(): Promise<void> {
    return this.pool.end()
  }

  #connection(options = '') {
    return {
      ...CONNECTION,
      connectionString: this.url,
      options: `-c search_path=${this.schema} ${options}`,
      application_name: this.#name,
      types,
    }
  }
}

/** Why the deployment cannot use its schema through a pooler; undefined if it can. */
async function poolerProblem(poolerUrl: string, schema: string): Promise<string | undefined> {
  const client = new pg.Client({ ...CONNECTION, connectionString: poolerUrl, query_timeout: SILENCE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ role: string; path: string }>(
      `select current_user as role, current_setting('search_path') as path`,
    )
    if (rows[0]?.path === schema) return undefined
    return `it connects as the role "${rows[0]?.role}", which does not have the schema "${schema}"`
  } catch (error) {
    return `it does not let the role "${new URL(poolerUrl).username}" in (${(error as Error).message})`
  } finally {
    await client.end().catch(() => {})
  }
}

/** Enough to be fast, and few enough that no statement holds locks for long or meets its limit. */
const PORTION = 5000

/** Repeats a `delete` of at most `$1` rows until it finds nothing. Returns how many rows it removed. */
export async function removeAll(query: Query, statement: string, portion = PORTION): Promise<number> {
  for (let removed = 0; ; ) {
    const [gone] = await query<{ count: number }>(
      `with gone as (${statement} returning 1) select count(*)::int as count from gone`,
      [portion],
    )
    if (!gone?.count) return removed
    removed += gone.count
  }
}

/** ISO 8601 with offset, the format of all times in records. */
export const iso = (date: Date): string => date.toISOString().replace('Z', '+00:00')
