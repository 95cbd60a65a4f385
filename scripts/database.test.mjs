import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockDataFolder } from './data-folder.mjs'
import { databaseHome, leaveBehind, runningServer } from './postgres.mjs'
import { query } from './testing'

let folder
const keepers = []
/** Programs that a test has stopped. */
const stopped = []
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-db-'))
})
afterEach(async () => {
  for (const keeper of keepers.splice(0)) {
    if (keeper.exitCode !== null || keeper.signalCode !== null) continue
    keeper.kill('SIGTERM')
    await once(keeper, 'exit')
  }
  for (const pid of stopped.splice(0)) if (cmdline(pid).includes(folder)) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** Starts the database's process like the launcher. */
async function start() {
  const keeper = fork('scripts/database.mjs', [folder], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  keepers.push(keeper)
  let complaint = ''
  keeper.stderr?.setEncoding('utf8').on('data', (text) => {
    complaint += text
  })
  const said = await Promise.race([
    once(keeper, 'message').then(([message]) => message),
    once(keeper, 'exit').then(() => undefined),
  ])
  return { keeper, url: said && runningServer(folder), roles: said, complaint: () => complaint }
}
/** Throws while the server starts: its file is empty at first, and a signal to process 0 goes to all tests. */
const serverPid = () => {
  const pid = Number.parseInt(readFileSync(path.join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)
  if (!(pid > 0)) throw new Error('no server yet')
  return pid
}

const cmdline = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
/** The program that makes the database's folder, once it has begun; another one than `than`. */
async function initdb(than) {
  for (;;) {
    const found = readdirSync('/proc').find(
      (pid) =>
        /^\d+$/.test(pid) &&
        Number(pid) !== than &&
        /bin\/initdb\0/.test(cmdline(pid)) &&
        cmdline(pid).includes(folder),
    )
    const drafts = readdirSync(folder).filter((name) => name.startsWith('postgres.new'))
    if (found && drafts.some((name) => existsSync(path.join(folder, name, 'PG_VERSION')))) return Number(found)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Inserts rows until the connection breaks; returns the last acknowledged number. */
async function insertUntilCut(url, onFirst) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query('create table if not exists numbers (n bigint primary key)')
  const { rows } = await client.query('select coalesce(max(n), 0) as last from numbers')
  let last = Number(rows[0].last)
  setTimeout(onFirst, 150)
  try {
    for (;;) {
      await client.query('insert into numbers values ($1)', [last + 1])
      last += 1
    }
  } catch {
    return last
  }
}
async function stored(url) {
  const [row] = await query(url, 'select count(*)::int as count, coalesce(max(n), 0)::int as last from numbers')
  return row
}

/** The server may just be starting again. */
async function storedOnceBack(url) {
  for (const end = Date.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    try {
      return await stored(url)
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

describe('the embedded database', () => {
  test('keeps every acknowledged row through kill -9 of the server and of its keeper, in any order', async () => {
    for (const victim of ['server', 'keeper', 'both']) {
      const { keeper, url } = await start()
      const acknowledged = await insertUntilCut(url, () => {
        const server = serverPid()
        if (victim !== 'server') process.kill(/** @type {number} */ (keeper.pid), 'SIGKILL')
        if (victim !== 'keeper') process.kill(server, 'SIGKILL')
        else process.kill(server, 'SIGINT') // left by its keeper; ended here so that the writer stops
      })
      if (victim !== 'server' && keeper.signalCode === null) await once(keeper, 'exit')
      const again = victim === 'server' ? { keeper, url } : await start()
      const { count, last } = await storedOnceBack(again.url)
      expect(acknowledged).toBeGreaterThan(0)
      expect(count).toBe(last) // no gap
      expect(last).toBeGreaterThanOrEqual(acknowledged)
      again.keeper.kill('SIGTERM')
      await once(again.keeper, 'exit')
    }
  }, 60_000)

  test('a server that ends, however it ended, is started again at the same address', async () => {
    const { keeper, url } = await start()
    await query(url, 'create table numbers as select 1::bigint as n')
    for (const signal of ['SIGKILL', 'SIGINT']) {
      const before = serverPid()
      process.kill(before, signal)
      const isBack = () => stored(url).then(() => serverPid() !== before)
      await expect.poll(() => isBack().catch(() => false), { timeout: 20_000 }).toBe(true)
    }
    expect(keeper.exitCode).toBeNull()
  }, 60_000)

  test('a server that keeps ending is given up', async () => {
    const { keeper, complaint } = await start()
    const ended = once(keeper, 'exit')
    let last
    const killing = setInterval(() => {
      try {
        const pid = serverPid()
        if (pid !== last) process.kill(pid, 'SIGKILL')
        last = pid
      } catch {} // it is starting
    }, 50)
    const [code] = await ended
    clearInterval(killing)
    expect(code).toBe(1)
    expect(complaint()).toMatch(/keeps ending|did not start/)
  }, 60_000)

  test('kills a server that outlived its keeper, and serves again at its address', async () => {
    const { keeper, url } = await start()
    const orphan = serverPid()
    process.kill(/** @type {number} */ (keeper.pid), 'SIGKILL')
    await once(keeper, 'exit')
    expect(() => process.kill(orphan, 0)).not.toThrow()
    expect((await start()).url).toBe(url)
    expect(serverPid()).not.toBe(orphan)
  }, 30_000)

  test.runIf(process.platform === 'linux')(
    'says that the program which makes its folder was killed, and makes another one at the next start',
    async () => {
      const first = start()
      process.kill(await initdb(), 'SIGKILL')
      const { url, complaint } = await first
      expect(url).toBeUndefined()
      expect(complaint()).toContain('could not make its data folder: initdb was ended by SIGKILL. Start it again')
      expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }])
      expect(readdirSync(folder).filter((name) => /^postgres(\.new|-init)/.test(name))).toEqual([])
    },
    60_000,
  )

  test.runIf(process.platform === 'linux')(
    'is not harmed by the program that makes its folder and outlived its keeper',
    async () => {
      void start()
      const orphan = await initdb()
      process.kill(orphan, 'SIGSTOP')
      stopped.push(orphan)
      keepers[0].kill('SIGKILL')
      await once(keepers[0], 'exit')
      const second = start()
      const other = await initdb(orphan)
      process.kill(other, 'SIGSTOP')
      stopped.push(other)
      // Without its folder it fails, and removes what is at its place.
      process.kill(orphan, 'SIGCONT')
      await expect.poll(() => cmdline(orphan), { timeout: 20_000 }).not.toContain('initdb')
      process.kill(other, 'SIGCONT')
      const { url, complaint } = await second
      expect(complaint()).toBe('')
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    },
    120_000,
  )

  test('refuses a folder of another version, naming both', async () => {
    const { keeper } = await start()
    keeper.kill('SIGTERM')
    await once(keeper, 'exit')
    writeFileSync(path.join(folder, 'postgres/PG_VERSION'), '15\n')
    const { url, complaint } = await start()
    expect(url).toBeUndefined()
    expect(complaint()).toContain('made by PostgreSQL 15; this is 18')
  }, 30_000)

  test('refuses a folder that Pilothouse did not create', async () => {
    const { keeper } = await start()
    keeper.kill('SIGTERM')
    await once(keeper, 'exit')
    rmSync(path.join(folder, 'postgres-password'))
    const { url, complaint } = await start()
    expect(url).toBeUndefined()
    expect(complaint()).toContain('not made by Pilothouse')
  }, 30_000)
})

describe('the roles of the embedded database', () => {
  test('the console and the platform are not superusers and read nothing of each other', async () => {
    const { consoleUrl, platformUrl } = (await start()).roles
    await query(consoleUrl, 'create schema console; create table console.accounts (hash text)')
    await query(platformUrl, 'create schema platform; create table platform.deployments (id text)')
    await expect(query(platformUrl, 'select * from console.accounts')).rejects.toThrow(/permission denied/)
    await expect(query(consoleUrl, 'select * from platform.deployments')).rejects.toThrow(/permission denied/)
    for (const url of [consoleUrl, platformUrl]) {
      expect(await query(url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
        { rolsuper: false },
      ])
      await expect(query(url, "copy (select 1) to program 'true'")).rejects.toThrow(/permission denied/)
    }
  }, 30_000)

  test('take over a data folder in which the superuser owns everything, with its data', async () => {
    const { url, keeper } = await start()
    const agent = `agent_${'0'.repeat(32)}`
    await query(
      url,
      `create schema console; create type console.role as enum ('admin');
       create table console.accounts (id serial primary key, role console.role);
       insert into console.accounts (role) values ('admin');
       create schema platform; create table platform.deployments (n int generated always as identity);
       create schema ${agent}; create table ${agent}.threads (n int);
       create table drizzle.console_migrations (id serial primary key);
       create table drizzle.platform_migrations (id serial primary key)`,
    )
    keeper.kill('SIGTERM')
    await once(keeper, 'exit')
    const { consoleUrl, platformUrl } = (await start()).roles
    await query(
      consoleUrl,
      "insert into console.accounts (role) values ('admin'); alter table console.accounts add name text",
    )
    expect(await query(consoleUrl, 'select id, role from console.accounts')).toHaveLength(2)
    await query(consoleUrl, 'insert into drizzle.console_migrations default values')
    await query(platformUrl, 'insert into platform.deployments default values; drop table platform.deployments')
    await query(platformUrl, 'insert into drizzle.platform_migrations default values')
    await query(platformUrl, `insert into ${agent}.threads values (1); drop schema ${agent} cascade`)
    await expect(query(platformUrl, 'select * from console.accounts')).rejects.toThrow(/permission denied/)
  }, 30_000)
})

describe('the data folder', () => {
  test('is refused while another process holds it, and free once that process has ended', () => {
    const unlock = lockDataFolder(folder)
    expect(() => lockDataFolder(folder)).toThrow(/in use by another Pilothouse/)
    unlock()
    lockDataFolder(folder)()
    writeFileSync(path.join(folder, 'lock.json'), JSON.stringify({ pid: 2 ** 22 + 1, birth: '1' }))
    lockDataFolder(folder)()
  })

  test('that cannot be made says which setting names another one', () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, '')
    expect(() => lockDataFolder(path.join(file, 'data'))).toThrow(/file\/data cannot be .* Set PILOTHOUSE_DATA/)
  })
})

describe('the database of the tests', () => {
  test('ends, with its folder, when the test run is killed with its whole group', async () => {
    const script = `
      import { startTestDatabase } from './scripts/start-test-database.mjs'
      console.log(JSON.stringify({ url: await startTestDatabase().url }))`
    const runner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(runner.stdout.setEncoding('utf8'), 'data')
    const client = new pg.Client({ connectionString: JSON.parse(line).url })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query('show data_directory')
    const home = path.dirname(rows[0].data_directory)
    expect(existsSync(home)).toBe(true)
    process.kill(-(/** @type {number} */ (runner.pid)), 'SIGKILL')
    const isUp = () => client.query('select 1').then(Boolean, () => false)
    for (let tries = 0; tries < 200 && ((await isUp()) || existsSync(home)); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect([await isUp(), existsSync(home)]).toEqual([false, false])
  })
})

// Only root keeps a database elsewhere.
test.runIf(process.getuid?.() === 0)(
  'the database of a data folder that was deleted is moved away, and no other',
  () => {
    expect(leaveBehind(folder)).toBeUndefined()
    chmodSync(folder, 0o700)
    expect(leaveBehind(folder)).toBeUndefined()
    const home = databaseHome(folder)
    mkdirSync(home, { recursive: true })
    writeFileSync(path.join(home, 'kept'), '')
    for (const key of ['sealing-key', 'platform']) {
      writeFileSync(path.join(folder, key), '')
      expect(leaveBehind(folder)).toBeUndefined()
      rmSync(path.join(folder, key))
    }
    const left = String(leaveBehind(folder))
    expect([existsSync(home), existsSync(path.join(left, 'kept'))]).toEqual([false, true])
    rmSync(left, { recursive: true })
  },
)
