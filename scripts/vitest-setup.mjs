// Once per vitest run: one PostgreSQL in a temporary folder, without fsync, and the platform's programs bundled.
import { run } from './bootstrap.mjs'
import { startTestDatabase } from './start-test-database.mjs'

export default async function setup() {
  if (process.env.TEST_DATABASE_URL) return // each project runs this; one server serves them all
  run(process.execPath, ['scripts/build-platform.mjs']) // where it fails, the tests that start the programs say so
  const server = startTestDatabase()
  process.env.TEST_DATABASE_URL = await server.url
  return server.stop
}
