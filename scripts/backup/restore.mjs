// `npm run restore -- FILE`: restores a backup into a new data folder and, for an external server, into an empty
// database.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { root } from '../bootstrap.mjs'
import { databaseHome, serverUser } from '../postgres.mjs'
import { readPassphrase } from './passphrase.mjs'
import { postgresEnv } from './postgres-tools.mjs'
import { openFile } from './sealed-file.mjs'

/** A program that a stream of the backup is written to. */
function consumer(program, args, env) {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], ...(env && { env }) })
  let said = ''
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-2000)
  })
  child.stdin.on('error', () => {}) // its exit code says why
  const ended = once(child, 'close').then(
    ([code]) => {
      if (code !== 0) throw new Error(`${program} failed: ${said.trim()}`)
    },
    (error) => {
      throw error.code === 'ENOENT' ? new Error(`${program} is not installed.`) : error
    },
  )
  ended.catch(() => {})
  return { input: child.stdin, ended, stop: () => child.kill() }
}

function unpack(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o711 }) // the database's own user passes through
  const { input, ended, stop } = consumer('tar', ['-x', '-p', '-C', folder])
  const gunzip = createGunzip()
  gunzip.pipe(input)
  const broken = once(gunzip, 'error').then(([error]) => Promise.reject(error))
  broken.catch(() => {})
  return { input: gunzip, ended: Promise.race([ended, broken]), stop }
}

async function assertEmpty(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("select 1 from pg_namespace where nspname in ('console', 'platform')")
    if (rows.length > 0) throw new Error('The database of DATABASE_URL is already in use. Name an empty one.')
  } finally {
    await client.end()
  }
}

const DRAFT = '.restoring'
/** What is mounted, as in a container, cannot be replaced, and the folder around it may be read-only. */
const isMounted = (folder) => existsSync(folder) && statSync(folder).dev !== statSync(path.dirname(folder)).dev
const draftOf = (folder) => (isMounted(folder) ? path.join(folder, DRAFT) : `${folder}${DRAFT}`)
const isEmptyFolder = (folder) => !existsSync(folder) || readdirSync(folder).every((name) => name === DRAFT)

/** Puts what was restored where it belongs. */
function place(draft, folder) {
  if (isMounted(folder)) {
    for (const name of readdirSync(draft)) renameSync(path.join(draft, name), path.join(folder, name))
    return rmdirSync(draft)
  }
  mkdirSync(path.dirname(folder), { recursive: true })
  rmSync(folder, { recursive: true, force: true }) // empty
  renameSync(draft, folder)
}

async function restore(file, data, external) {
  const passphrase = await readPassphrase()
  const home = databaseHome(data)
  for (const folder of new Set([data, home]))
    if (!isEmptyFolder(folder)) throw new Error(`${folder} is not empty. Set PILOTHOUSE_DATA to a new folder.`)
  const draft = draftOf(data)
  const serverDraft = draftOf(home)
  let current
  for (const folder of [draft, serverDraft]) rmSync(folder, { recursive: true, force: true })
  try {
    let about
    let label
    const streams = {
      data: () => unpack(draft),
      server: () => unpack(serverDraft),
      log: () => unpack(path.join(serverDraft, 'postgres')),
      dump: () =>
        consumer(
          'pg_restore',
          ['--no-owner', '--single-transaction', '--exit-on-error', '--dbname='],
          postgresEnv(external),
        ),
    }
    const finish = async () => {
      current?.input.end()
      await current?.ended
      current = undefined
    }
    let name
    for await (const piece of openFile(file, passphrase)) {
      if (piece.name !== name) await finish()
      name = piece.name
      if (name === 'about') {
        about = JSON.parse(piece.data.toString())
        if (about.database === 'dump' && !external)
          throw new Error('This backup is of an external database. Set DATABASE_URL to an empty one.')
        if (about.database === 'server' && external)
          throw new Error('This backup contains the embedded database. Unset DATABASE_URL.')
        if (external) await assertEmpty(external)
      } else if (name === 'label') label = piece.data
      else {
        current ??= streams[name]()
        if (!current.input.write(piece.data)) await Promise.race([once(current.input, 'drain'), current.ended])
      }
    }
    await finish()
    mkdirSync(draft, { recursive: true, mode: 0o700 })
    if (about.sealingKey && !existsSync(path.join(draft, 'sealing-key')))
      writeFileSync(path.join(draft, 'sealing-key'), about.sealingKey, { mode: 0o600 })
    if (about.database === 'server') {
      writeFileSync(path.join(serverDraft, 'postgres/backup_label'), label, { mode: 0o600 })
      const user = serverUser()
      if (user) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, path.join(serverDraft, 'postgres')])
    }
    place(draft, data)
    if (home !== data) place(serverDraft, home)
    return about
  } catch (error) {
    current?.stop()
    await current?.ended.catch(() => {})
    for (const folder of [draft, serverDraft]) rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const data = path.resolve(root, process.env.PILOTHOUSE_DATA || '.data')
try {
  const file = process.argv[2]
  if (!file) throw new Error('Name the backup: npm run restore -- FILE')
  const { madeAt } = await restore(path.resolve(file), data, process.env.DATABASE_URL)
  const start = data === path.join(root, '.data') ? 'npm start' : `PILOTHOUSE_DATA="${data}" npm start`
  console.log(`${data} was restored to its state of ${madeAt}. Start it with: ${start}`)
} catch (error) {
  console.error(`Nothing was restored: ${error.message}`)
  process.exitCode = 1
}
