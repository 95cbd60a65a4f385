import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A new, empty database on the test server. Call `drop` when done. */
export async function testDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL
  if (!server)
    throw new Error('TEST_DATABASE_URL is not set: run tests through vitest with scripts/vitest/global-setup.mjs.')
  const name = `test_${randomBytes(6).toString('hex')}`
  await query(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: async () => void (await query(server, `drop database if exists ${name} with (force)`)) }
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
