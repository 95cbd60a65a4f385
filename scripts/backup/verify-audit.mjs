// node scripts/backup/verify-audit.mjs [LOG_FILE]: verifies the audit trail and exits with 0 (intact), 1 (not intact) or 2
// (unknown). Anchors come from the data folder and, if a log is given, from its `audit.anchor` lines.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../bootstrap.mjs'
import { lockDataFolder } from '../data-folder.mjs'
import { databaseHome, runningServer, startPostgres } from '../postgres.mjs'

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

const anchorsIn = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"audit_anchor"'))
    .flatMap((line) => {
      try {
        const { audit_anchor: seq, chain, mac } = JSON.parse(line.slice(line.indexOf('{')))
        return [{ seq, chain, mac }]
      } catch {
        return []
      }
    })

async function verify() {
  const outfile = path.join(root, '.build/verify-audit.mjs')
  await build({
    absWorkingDir: root,
    stdin: {
      contents:
        "export { checkTrail } from './lib/server/audit/verify'\nexport { adoptStore } from './lib/server/process/db'",
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    packages: 'external',
    alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root },
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  const { url, stop } = await database()
  process.env.DATABASE_URL = url
  process.chdir(root) // migrations are resolved from here
  const { adoptStore, checkTrail } = await import(pathToFileURL(outfile).href)
  try {
    return await checkTrail(process.argv[2] ? anchorsIn(process.argv[2]) : [])
  } finally {
    await adoptStore(undefined)
    await stop()
  }
}

try {
  const { isWhole, rows, head, problems } = await verify()
  console.log(
    isWhole
      ? `The audit trail is whole: ${rows} rows${head ? `, the last with the MAC ${head.mac}` : ''}.`
      : `The audit trail is NOT whole (${rows} rows):`,
  )
  for (const problem of problems) console.log(`  ${problem}`)
  process.exitCode = isWhole ? 0 : 1
} catch (error) {
  console.error(`The audit trail could not be verified: ${error.message}`)
  process.exitCode = 2
}
