// Once per vitest run: a PostgreSQL in a temporary folder, without fsync, and the platform's bundled programs.
import { run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'

export default async function setup() {
  if (process.env.TEST_DATABASE_URL) return // each project runs this; one server is enough for all
  run(process.execPath, ['scripts/build-platform.mjs']) // if it fails, the tests that start these programs report it
  const server = startTestDatabase()
  process.env.TEST_DATABASE_URL = await server.url
  return server.stop
}
