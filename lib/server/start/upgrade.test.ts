import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { query, testDatabase } from '@/scripts/testing'
import { checkPassword, createAccount } from '../access/accounts'
import { checkTrail } from '../audit/verify'
import { adoptStore, db, openStore } from '../process/db'
import { writeSegments } from '../recorder/segments'
import { insertRecording } from '../recorder/store'
import { logOf, workspaceFor } from '../recorder/testing'
import { saveView } from '../records/saved-views'
import { type TestConsole, testActor, testConsole } from '../testing'

// What an earlier version left is the rows of this one in the tables of that one: columns that came later are not there.

const MIGRATIONS = 'drizzle/console'
const ALL = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.sql')).length
const PASSWORD = 'a password of my own 7'

let home: TestConsole
let recording: string
const drops: (() => Promise<void>)[] = []
beforeAll(async () => {
  home = await testConsole()
  await createAccount(await db(), { email: 'ada@example.com', password: PASSWORD })
  const actor = await testActor({ tests: 'admin' })
  const deployment = await workspaceFor('http://127.0.0.1:9')
  recording = randomUUID()
  await insertRecording({
    ...{
      id: recording,
      workspace: 'tests',
      deployment,
      assistant: 'agent',
      startedBy: 'ada@example.com',
      request: '{}',
    },
    ...{ isStateless: false, isResumable: true, owner: 1 },
  })
  const entries = [1, 2, 3].map((n) => ({ at: n, kind: 'event' as const, event: 'custom', data: String(n) }))
  const chunk = { first: 1, last: 3, bytes: Buffer.from(encodeEntries(1, entries)) }
  await writeSegments([{ recording, chunk, lastEventId: null }], 1, false)
  await query(
    home.databaseUrl,
    "update console.recordings set phase = 'ended', outcome = 'success', entries = 3, ended_at = now()",
  )
  await saveView(actor, { workspace: 'tests', page: 'runs' }, { name: 'Failed', query: 'status=error' }, 'request')
})
afterAll(async () => {
  await home.close()
  for (const drop of drops) await drop()
})

/** A new database with the tables of the first migrations. */
async function tablesAfter(count: number): Promise<string> {
  const { url, drop } = await testDatabase()
  drops.push(drop)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-migrations-'))
  cpSync(MIGRATIONS, folder, { recursive: true })
  const file = path.join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await migrate(drizzle(client), { migrationsFolder: folder, migrationsTable: 'console_migrations' })
  } finally {
    await client.end()
    rmSync(folder, { recursive: true })
  }
  return url
}

/** The columns of each table. What is in a partition is in its table. */
const columnsOf = async (url: string): Promise<Map<string, string[]>> =>
  new Map(
    (
      await query(
        url,
        `select table_name as name, array_agg(column_name::text order by column_name) as columns
           from information_schema.columns where table_schema = 'console' and is_generated = 'NEVER'
            and table_name not in (select relname from pg_class where relispartition) group by 1`,
      )
    ).map(({ name, columns }) => [name, columns]),
  )

const listOf = (columns: readonly string[]) => columns.map((name) => `"${name}"`).join(', ')
/** A table's rows as text, in an order of their own. */
const rowsOf = async (url: string, table: string, columns: readonly string[]): Promise<string> =>
  (
    await query(
      url,
      `select coalesce(json_agg(t order by t::text), '[]')::text as rows from (select ${listOf(columns)} from console."${table}") t`,
    )
  )[0].rows

/** Copies the rows, as far as the other database has the same tables and columns. Returns what was copied. */
async function copyRows(from: string, to: string) {
  const theirs = await columnsOf(from)
  const copied: { table: string; columns: string[]; rows: string }[] = []
  const client = new pg.Client({ connectionString: to })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica') // tables in any order
    for (const [table, all] of await columnsOf(to)) {
      const columns = all.filter((name) => theirs.get(table)?.includes(name))
      if (columns.length === 0) continue
      const rows = await rowsOf(from, table, columns)
      const list = listOf(columns)
      await client.query(
        `insert into console."${table}" (${list}) overriding system value
           select ${list} from json_populate_recordset(null::console."${table}", $1)`,
        [rows],
      )
      copied.push({ table, columns, rows })
    }
  } finally {
    await client.end()
  }
  return copied
}

test.each([1, ALL - 1])('a console with %i migrations is upgraded, and everything in it works', async (count) => {
  const url = await tablesAfter(count)
  const before = await copyRows(home.databaseUrl, url)
  expect(before.find(({ table }) => table === 'recordings')?.rows).toContain(recording)
  await adoptStore(url)
  try {
    await db() // migrates
    for (const { table, columns, rows } of before) expect(await rowsOf(url, table, columns), table).toBe(rows)
    expect((await columnsOf(url)).size).toBe((await columnsOf(home.databaseUrl)).size)
    expect(await checkPassword('ada@example.com', PASSWORD, 'test')).toMatchObject({ email: 'ada@example.com' })
    expect((await logOf(recording)).map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(await checkTrail()).toMatchObject({ problems: [] })
  } finally {
    await adoptStore(home.databaseUrl)
  }
})

test('the version before the latest migration can write to the tables after it, as in a rolling update', async () => {
  const old = await tablesAfter(ALL - 1)
  await copyRows(home.databaseUrl, old)
  const { url, drop } = await testDatabase()
  drops.push(drop)
  await (await openStore(url)).close()
  const written = await copyRows(old, url)
  const columns = await columnsOf(old)
  expect(written.map(({ table, columns: these }) => [table, these])).toEqual([...columns])
  for (const { table, columns: these, rows } of written) expect(await rowsOf(url, table, these), table).toBe(rows)
})
