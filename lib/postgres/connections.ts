import type pg from 'pg'

// How console, platform, gateways and agent servers notice that a database is gone: a machine that vanishes closes no
// connection, and TCP alone waits for a quarter of an hour.

/** The server ends a statement after `STATEMENT_MS`. The driver waits `SILENCE_MS` longer, for one that no longer hears us. */
export const STATEMENT_MS = 60_000
export const SILENCE_MS = 5_000

/** Of every connection. TCP probes one that is silent for ten seconds, and ends it ten seconds later. */
export const CONNECTION = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const

/**
 * For a connection that holds a lock: without these settings, the server would keep the lock of a machine that lost its
 * network for two hours; with them, for 8 s. The time-out is for notices that nothing acknowledges, during which
 * PostgreSQL sends no keep-alives.
 */
export const SERVER_KEEPALIVES =
  'set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2; set tcp_user_timeout = 6000'

/** Rejects where the database would refuse or cut some of our texts. */
export async function requireUtf8(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; encoding: string }>(
    "select current_database() as name, current_setting('server_encoding') as encoding",
  )
  const [{ name, encoding } = { name: '', encoding: '' }] = rows
  if (encoding !== 'UTF8')
    throw new Error(
      `The database "${name}" has the encoding ${encoding}, and Pilothouse needs UTF8. Use one made by: create database NAME encoding 'UTF8' template template0`,
    )
}

export const ASK_MS = 5_000
const MISSED_TURNS = 3

/**
 * Ends a connection with an `error` once the server has not answered for 15 to 20 s. For one that listens or holds a
 * lock, without long statements. Turns are counted, not time, because an answer waits while this process is busy.
 */
export function keepAsking(client: pg.Client, everyMs = ASK_MS): void {
  let turns = 0
  const answered = () => {
    turns = 0
  }
  const timer = setInterval(() => {
    if (turns === 0) client.query('select 1').then(answered, () => {})
    if (turns++ < MISSED_TURNS) return
    clearInterval(timer)
    client.emit('error', new Error('the database does not answer'))
    void client.end()
  }, everyMs)
  timer.unref()
  client.once('end', () => clearInterval(timer))
}
