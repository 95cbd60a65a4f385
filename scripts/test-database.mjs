// The tests' PostgreSQL, without fsync, in a separate process, so that a killed test run leaves nothing behind. Sends
// `{ url }` to its parent, and ends with it.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startPostgres } from './postgres.mjs'

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-test-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
try {
  const server = await startPostgres(folder, {
    settings: { fsync: 'off', synchronous_commit: 'off', max_connections: 400 },
  })
  const stop = () => void server.stop()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop)
  process.once('disconnect', stop) // the test run is over, or was killed
  void server.ended.then(() => process.exit(0))
  if (process.connected) process.send?.({ url: server.url })
  else stop()
} catch (error) {
  console.error(`[test database] ${error.message}`)
  process.exit(1)
}
