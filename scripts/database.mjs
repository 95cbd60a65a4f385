// The embedded PostgreSQL in a separate process. argv[2]: the data folder. Sends `{ consoleUrl, platformUrl }` to the
// launcher once it serves. A server that ends by itself is started again at the same address.
import path from 'node:path'
import { ensureRoles } from './database-roles.mjs'
import './launch/own-lines.mjs'
import { databaseHome, startPostgres } from './postgres.mjs'

const [, , data] = process.argv
/** A server that ends sooner than this so often in a row is given up. */
const SOON_MS = 5000
const MOST_SOON_ENDS = 3

try {
  let server = await startPostgres(data)
  let isStopping = false
  const stop = () => {
    isStopping = true
    void server.stop()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop)
  process.once('disconnect', stop) // the launcher died
  const keep = async () => {
    for (let soonEnds = 0; ; ) {
      const began = Date.now()
      const how = await server.ended
      if (isStopping) process.exit(how === 0 ? 0 : 1)
      soonEnds = Date.now() - began < SOON_MS ? soonEnds + 1 : 0
      if (soonEnds > MOST_SOON_ENDS) throw new Error(`PostgreSQL keeps ending (${how}).`)
      console.log(`[database] PostgreSQL ended unexpectedly (${how}); restarting it`)
      server = await startPostgres(data, { settings: { port: server.port } })
      if (isStopping) stop()
    }
  }
  keep().catch(giveUp)
  const roles = await ensureRoles(server.url, path.join(databaseHome(data), 'postgres-roles.json'))
  process.send?.(roles)
} catch (error) {
  giveUp(error)
}

function giveUp(error) {
  console.error(`[database] ${error.message}`)
  process.exit(1)
}
