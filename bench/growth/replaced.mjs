import pg from 'pg'
import { row } from '../live/rounds.mjs'

/** Days that are kept, and how many times all of them are replaced. */
const KEPT = 10
const TIMES = 3

/**
 * Rows come in day by day while retention removes the oldest day, over and over: how much room removed rows leave behind.
 * Time passes by age, because the database's clock cannot be set.
 * @param {{
 *   what: string,
 *   client: import('pg').Client,
 *   tables: string[],
 *   fill(age: number): Promise<unknown>,
 *   remove(olderThan: number): Promise<number>,
 *   tidy?(): Promise<unknown>,
 * }} given tables with their schemas; `fill` adds a day of rows that are `age` days old now
 * @returns a row: the most that the tables took at the end of a day, of what the rows of the last days take when newly
 * written
 */
export async function replaced({ what, client, tables, fill, remove, tidy }) {
  const days = KEPT * (1 + TIMES)
  const spent = { fill: 0, remove: 0 }
  const timed = async (/** @type {keyof typeof spent} */ key, /** @type {() => Promise<any>} */ work) => {
    const began = performance.now()
    const result = await work()
    spent[key] += performance.now() - began
    return result
  }
  /** From the day on which the first days are full. */
  const sizes = []
  let removed = 0
  for (let day = 0; day < days; day += 1) {
    const age = days - day
    await timed('fill', () => fill(age))
    removed += await timed('remove', () => remove(age + KEPT))
    // Otherwise the server does so by itself, within a minute.
    for (const table of tables) await timed('remove', () => client.query(`vacuum ${table}`))
    await timed('remove', async () => tidy?.())
    if (day >= KEPT) sizes.push(await sizeOf(client, tables))
  }
  for (const table of tables) await client.query(`vacuum full ${table}`)
  const fresh = await sizeOf(client, tables)
  const of = (/** @type {number} */ size) => Math.round((size / fresh) * 100) / 100
  return row(
    `growth of ${what}, all replaced ${TIMES} times`,
    'bytes stored of those when newly written',
    { rounds: [{ ours: Math.max(...sizes) / fresh }] },
    {
      ...{ goal: '<= 1.3', first_full: of(sizes[0]), at_the_end: of(sizes.at(-1) ?? 0), removed },
      fresh_mb: Math.round(fresh / 1e5) / 10,
      // With vacuum and what follows; of that which was stored.
      removal_share: Math.round((spent.remove / spent.fill) * 100) / 100,
    },
  )
}

/** With indexes, TOAST and dead rows. */
async function sizeOf(client, tables) {
  const { rows } = await client.query(
    'select sum(pg_total_relation_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name',
    [tables],
  )
  return rows[0].bytes
}

/** A database of its own, with a connection that is closed with it. */
export async function newDatabase(/** @type {string} */ server, /** @type {string} */ name) {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  return { url: url.href, client }
}
