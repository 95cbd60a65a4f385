// Once per vitest run: one PostgreSQL in a temporary folder, without fsync, and the platform's programs bundled.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { run } from './bootstrap.mjs'
import { startPostgres } from './postgres.mjs'

export default async function setup() {
  if (process.env.TEST_DATABASE_URL) return // each project runs this; one server serves them all
  run(process.execPath, ['scripts/build-platform.mjs']) // where it fails, the tests that start the programs say so
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-test-'))
  const server = await startPostgres(folder, {
    settings: { fsync: 'off', synchronous_commit: 'off', max_connections: 400 },
  })
  process.env.TEST_DATABASE_URL = server.url
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
