// `npm run backup -- FILE`: the data folder and the database in one file, encrypted with a passphrase; also while Pilothouse runs.
// docs/decisions/0048-backups.md says how.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { root } from '../bootstrap.mjs'
import { lockDataFolder } from '../data-folder.mjs'
import { databaseHome, runningServer, startPostgres } from '../postgres.mjs'
import { readPassphrase } from './passphrase.mjs'
import { postgresEnv, SCHEMAS } from './postgres-tools.mjs'
import { sealFile } from './sealed-file.mjs'

/** Recreated at the next start, or owned by running processes. */
const LEFT_OUT = ['postgres*', 'cache', 'lock.json', 'platform/processes*', '*.restoring']
/** PostgreSQL's own list of what a base backup leaves out. */
const NO_DATABASE_FILES = [
  'postgres/postmaster.*',
  'postgres/pg_wal/*',
  'postgres/pg_replslot/*',
  'postgres/pg_dynshmem/*',
  'postgres/pg_notify/*',
  'postgres/pg_serial/*',
  'postgres/pg_snapshots/*',
  'postgres/pg_stat_tmp/*',
  'postgres/pg_subtrans/*',
  'pgsql_tmp*',
]

/** Adds a folder's entries as a packed tar stream. Files may change meanwhile: for the database that is repaired from its log. */
async function addFolder(sealed, name, folder, entries, leftOut = []) {
  const flags = leftOut.map((pattern) => `--exclude=./${pattern}`)
  const tar = spawn('tar', ['-c', '-C', folder, ...flags, '--', ...entries.map((one) => `./${one}`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  tar.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-2000)
  })
  const ended = once(tar, 'close')
  await sealed.add(name, tar.stdout.pipe(createGzip({ level: 3 })))
  const [code] = await ended
  if (code > 1) throw new Error(`tar could not read ${folder}: ${said.trim()}`) // 1: a file changed while it was read
}

async function addDump(sealed, url) {
  const flags = ['--format=custom', '--no-owner', '--no-privileges', ...SCHEMAS.map((one) => `--schema=${one}`)]
  const dump = spawn('pg_dump', flags, { env: postgresEnv(url), stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  dump.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-2000)
  })
  const ended = once(dump, 'close').catch((error) => {
    throw error.code === 'ENOENT'
      ? new Error('pg_dump is not installed. Install the client programs of your PostgreSQL version.')
      : error
  })
  ended.catch(() => {})
  await sealed.add('dump', dump.stdout)
  const [code] = await ended
  if (code !== 0) throw new Error(`pg_dump failed: ${said.trim()}`)
}

/** A base backup by PostgreSQL's low-level interface: the files as they are, and the log that makes them consistent. */
async function addServer(sealed, url, home) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // A replication slot keeps the log that the backup needs, however much is written meanwhile; it ends with this
    // connection.
    await client.query(
      "select pg_create_physical_replication_slot('pilothouse_backup_' || pg_backend_pid(), true, true)",
    )
    await client.query("select pg_backup_start('pilothouse', true)")
    const files = ['postgres', 'postgres-password', 'postgres-roles.json'].filter((one) =>
      existsSync(path.join(home, one)),
    )
    await addFolder(sealed, 'server', home, files, NO_DATABASE_FILES)
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    await client.query('select pg_switch_wal()')
    await addFolder(sealed, 'log', path.join(home, 'postgres'), ['pg_wal'])
    await sealed.put('label', Buffer.from(rows[0].labelfile))
  } finally {
    await client.end()
  }
}

/** The address of the embedded server: the running one, or one that is started for this. */
async function embeddedServer(data) {
  if (!existsSync(path.join(databaseHome(data), 'postgres/PG_VERSION')))
    throw new Error(`${data} contains no database. Set PILOTHOUSE_DATA, or DATABASE_URL to the console's value.`)
  let unlock
  try {
    unlock = lockDataFolder(data)
  } catch {
    return { url: runningServer(data), stop: async () => {} } // a launcher holds the folder
  }
  const server = await startPostgres(data, { say: () => {} }).catch((error) => {
    unlock()
    throw error
  })
  return { url: server.url, stop: () => server.stop().finally(unlock) }
}

const { DATABASE_URL: external, PILOTHOUSE_SEALING_KEY: sealingKey, PILOTHOUSE_DATA } = process.env
const data = path.resolve(root, PILOTHOUSE_DATA || '.data')
const file = process.argv[2] && path.resolve(process.argv[2])
let isStarted = false
try {
  if (!file) throw new Error('Name the file to write: npm run backup -- FILE')
  if (existsSync(file)) throw new Error(`${file} already exists. Name another file.`)
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const passphrase = await readPassphrase({ isNew: true })
  const server = external ? undefined : await embeddedServer(data)
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const sealed = sealFile(file, passphrase)
    isStarted = true
    const about = { version, madeAt: new Date(), database: external ? 'dump' : 'server', sealingKey }
    await sealed.put('about', Buffer.from(JSON.stringify(about)))
    if (external) await addDump(sealed, external)
    else await addServer(sealed, server?.url, databaseHome(data))
    // Itself too, if it is in the data folder. For a file elsewhere this names nothing.
    if (existsSync(data)) await addFolder(sealed, 'data', data, ['.'], [...LEFT_OUT, path.relative(data, file)])
    await sealed.end()
  } finally {
    await server?.stop()
  }
  console.log(`The backup is in ${file}. Keep its passphrase: without it nobody can open the file.`)
} catch (error) {
  if (isStarted) rmSync(file, { force: true })
  console.error(`The backup was not made: ${error.message}`)
  process.exit(1) // what packs a folder would wait for ever for its reader
}
