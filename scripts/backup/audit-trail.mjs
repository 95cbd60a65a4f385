// The audit trail for commands of the operator: the console's own code, on its database, also while it runs.
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPackaged, root } from '../bootstrap.mjs'
import { lockDataFolder } from '../data-folder.mjs'
import { databaseHome, runningServer, startPostgres } from '../postgres.mjs'
import { buildTrail, TRAIL } from './build-trail.mjs'

const data = path.resolve(root, process.env.PILOTHOUSE_DATA || '.data')
process.env.PILOTHOUSE_DATA = data

const home = databaseHome(data)

/** The database's address: from the environment, of the running console, or of a server started for this. */
async function database() {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => {} }
  if (!existsSync(path.join(home, 'postgres/PG_VERSION')) || !existsSync(path.join(data, 'sealing-key')))
    throw new Error(
      `${data} holds no console with a database of its own. Set PILOTHOUSE_DATA, or DATABASE_URL to the console's value.`,
    )
  let unlock
  try {
    unlock = lockDataFolder(data)
  } catch {
    return { url: runningServer(data), stop: async () => {} } // a launcher holds the folder
  }
  try {
    const server = await startPostgres(data, { say: () => {} })
    return { url: server.url, stop: () => server.stop().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Under systemd a clone belongs to root, who has built this for the user of the service (scripts/launch/prebuild.mjs). */
function canBuild() {
  try {
    accessSync(path.dirname(TRAIL), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Calls `work` with `checkTrail` and `pruneTrail`.
 * @template T
 * @param {(trail: any) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withTrail(work) {
  if (!isPackaged && canBuild()) await buildTrail()
  const { url, stop } = await database()
  process.env.DATABASE_URL = url
  process.chdir(root) // migrations are resolved from here
  const trail = await import(pathToFileURL(TRAIL).href)
  try {
    return await work(trail)
  } finally {
    await trail.adoptStore(undefined)
    await stop()
  }
}
