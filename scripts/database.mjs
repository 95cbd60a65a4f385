// The embedded PostgreSQL in a separate process. argv[2]: the data folder. Sends `{ consoleUrl, platformUrl }` to the
// launcher once it serves.
import path from 'node:path'
import { ensureRoles } from './database-roles.mjs'
import { databaseHome, startPostgres } from './postgres.mjs'

try {
  const server = await startPostgres(process.argv[2])
  let isStopping = false
  const stop = () => {
    isStopping = true
    void server.stop()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop)
  process.once('disconnect', stop) // the launcher died
  void server.ended.then((code) => process.exit(isStopping && code === 0 ? 0 : 1))
  const roles = await ensureRoles(server.url, path.join(databaseHome(process.argv[2]), 'postgres-roles.json'))
  process.send?.(roles)
} catch (error) {
  console.error(`[database] ${error.message}`)
  process.exit(1)
}
