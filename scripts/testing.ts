import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** What `migrate` makes of an empty database. It runs once, because a copy takes a fraction of the time. */
export type Template = { name: string; migrate(url: string): Promise<unknown> }

/** A new database on the test server: an empty one, or a copy of a template. Call `drop` when done. */
export async function testDatabase(template?: Template | 'ascii'): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL
  if (!server)
    throw new Error('TEST_DATABASE_URL is not set: run tests through vitest with scripts/vitest/global-setup.mjs.')
  const name = `test_${randomBytes(6).toString('hex')}`
  if (template === 'ascii')
    await query(
      server,
      `create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
    )
  else if (template) await copyTemplate(server, template, name)
  else await query(server, `create database ${name}`)
  const drop = async () => void (await query(server, `drop database if exists ${name} with (force)`))
  return { url: urlOf(server, name), drop }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

const MISSING_DATABASE = '3D000'

async function copyTemplate(server: string, template: Template, name: string): Promise<void> {
  // By default, each page also goes through the log, which takes three times as much CPU.
  const copy = () => query(server, `create database ${name} template ${template.name} strategy file_copy`)
  try {
    await copy()
  } catch (error) {
    if ((error as { code?: string }).code !== MISSING_DATABASE) throw error
    await makeTemplate(server, template)
    await copy()
  }
}

/** By one of the test processes; the others wait for it. */
async function makeTemplate(server: string, { name, migrate }: Template): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount) return
    const draft = `${name}_draft`
    await client.query(`drop database if exists ${draft} with (force)`)
    await client.query(`create database ${draft}`)
    await migrate(urlOf(server, draft))
    await client.query(`alter database ${draft} rename to ${name}`)
  } finally {
    await client.end()
  }
}

/** Runs statements on a connection of their own. Returns the rows. */
export async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
