import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataFolder } from '../data-folder.mjs'
import { startPostgres } from '../postgres.mjs'
import { query } from '../testing'

const PASSPHRASE = 'correct horse battery'
let folder
let stops
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-backup-'))
  chmodSync(folder, 0o711) // as root, the database's own user passes through
  stops = []
})
afterEach(async () => {
  for (const stop of stops.reverse()) await stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** `pg_dump` refuses servers newer than itself. */
function canDump() {
  try {
    return Number(/ (\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))?.[1]) >= 18
  } catch {
    return false
  }
}

async function run(script, file, env = {}) {
  const child = spawn(process.execPath, [`scripts/backup/${script}.mjs`, file], {
    env: { ...process.env, DATABASE_URL: '', PILOTHOUSE_BACKUP_PASSPHRASE: PASSPHRASE, ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  const [code] = await once(child, 'close')
  return { code, said }
}

async function started(data) {
  mkdirSync(data, { recursive: true })
  const unlock = lockDataFolder(data)
  const server = await startPostgres(data, { say: () => {} })
  const stop = () => server.stop().finally(unlock)
  stops.push(stop)
  return { url: server.url, stop }
}

test('a backup made during writes contains all rows committed before it, and its keys', async () => {
  const data = path.join(folder, 'data')
  const server = await started(data)
  writeFileSync(path.join(data, 'sealing-key'), 'the sealing key of this console', { mode: 0o600 })
  mkdirSync(path.join(data, 'cache'))
  writeFileSync(path.join(data, 'cache/large'), 'x')
  await query(server.url, 'create table written (n int primary key)')
  let count = 0
  let isOver = false
  const writing = (async () => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    while (!isOver) {
      await client.query('insert into written values ($1)', [count + 1])
      count += 1
    }
    await client.end()
  })()
  await expect.poll(() => count, { timeout: 30_000 }).toBeGreaterThan(50)
  const before = count
  const file = path.join(data, 'backup') // as in a container, which has no other folder to write to
  const made = await run('backup', file, { PILOTHOUSE_DATA: data })
  isOver = true
  await writing
  expect(made).toMatchObject({ code: 0 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file).includes('the sealing key')).toBe(false)
  await server.stop()

  const restored = path.join(folder, 'restored')
  expect(await run('restore', file, { PILOTHOUSE_DATA: restored })).toMatchObject({
    code: 0,
    said: expect.stringContaining(`Start it with: PILOTHOUSE_DATA="${restored}" npm start`),
  })
  expect(readFileSync(path.join(restored, 'sealing-key'), 'utf8')).toBe('the sealing key of this console')
  expect(existsSync(path.join(restored, 'cache'))).toBe(false)
  expect(existsSync(path.join(restored, 'backup'))).toBe(false)
  expect(existsSync(path.join(restored, 'lock.json'))).toBe(false)
  const again = await started(restored)
  const rows = (await query(again.url, 'select n from written order by n')).map(({ n }) => n)
  expect(rows.length).toBeGreaterThanOrEqual(before)
  expect(rows).toEqual(Array.from({ length: rows.length }, (_, index) => index + 1))
}, 120_000)

test.skipIf(!canDump())(
  'an external database and the keys of the environment are included too',
  async () => {
    const server = await started(path.join(folder, 'server'))
    await query(
      server.url,
      'create schema console; create table console.kept (n int); insert into console.kept values (7)',
    )
    await query(server.url, 'create table public.foreign_table (n int)')
    await query(server.url, 'create database target')
    const data = path.join(folder, 'data')
    const file = path.join(folder, 'backup')
    const key = 'a sealing key in the environment'
    const made = await run('backup', file, {
      DATABASE_URL: server.url,
      PILOTHOUSE_DATA: data,
      PILOTHOUSE_SEALING_KEY: key,
    })
    expect(made).toMatchObject({ code: 0 })

    const restored = path.join(folder, 'restored')
    const used = await run('restore', file, { DATABASE_URL: server.url, PILOTHOUSE_DATA: restored })
    expect(used).toMatchObject({ code: 1, said: expect.stringContaining('already in use') })
    const target = server.url.replace(/postgres$/, 'target')
    expect(await run('restore', file, { DATABASE_URL: target, PILOTHOUSE_DATA: restored })).toMatchObject({ code: 0 })
    expect(await query(target, 'select n from console.kept')).toEqual([{ n: 7 }])
    expect(await query(target, "select to_regclass('public.foreign_table') as found")).toEqual([{ found: null }])
    expect(readFileSync(path.join(restored, 'sealing-key'), 'utf8')).toBe(key)
  },
  120_000,
)

/** Mounts something for one command only. Needs Linux and root. */
const MOUNT = ['--mount', 'sh', '-ec']
const canMount = spawnSync('unshare', [...MOUNT, 'mount -t tmpfs none /mnt']).status === 0

test.skipIf(!canMount)(
  'a backup is restored into a mounted folder, as in a container',
  async () => {
    const data = path.join(folder, 'data')
    await (await started(data)).stop()
    writeFileSync(path.join(data, 'sealing-key'), 'the sealing key of this console')
    const file = path.join(folder, 'backup')
    expect(await run('backup', file, { PILOTHOUSE_DATA: data })).toMatchObject({ code: 0 })
    const restored = path.join(folder, 'restored')
    mkdirSync(restored)
    const script = 'mount -t tmpfs none "$0"; "$1" scripts/backup/restore.mjs "$2"; ls -A "$0"'
    const { stdout, stderr } = spawnSync('unshare', [...MOUNT, script, restored, process.execPath, file], {
      env: { ...process.env, DATABASE_URL: '', PILOTHOUSE_BACKUP_PASSPHRASE: PASSPHRASE, PILOTHOUSE_DATA: restored },
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['postgres', 'sealing-key']))
    expect(stdout).not.toContain('.restoring')
  },
  60_000,
)

test('a backup that cannot be restored leaves nothing behind and reports why', async () => {
  const data = path.join(folder, 'data')
  await (await started(data)).stop()
  const file = path.join(folder, 'backups/of today') // a new folder
  const env = { PILOTHOUSE_DATA: data }
  expect((await run('backup', file, { ...env, PILOTHOUSE_BACKUP_PASSPHRASE: 'short' })).said).toContain('12 characters')
  expect(await run('backup', file, env)).toMatchObject({ code: 0 })
  expect(await run('backup', file, env)).toMatchObject({ code: 1, said: expect.stringContaining('already exists') })
  const link = path.join(folder, 'link')
  symlinkSync(path.join(folder, 'nowhere'), link)
  expect(await run('backup', link, env)).toMatchObject({ code: 1, said: expect.stringContaining('EEXIST') })

  const whole = readFileSync(file)
  const cut = path.join(folder, 'cut')
  writeFileSync(cut, whole.subarray(0, whole.length - 30))
  const changed = path.join(folder, 'changed')
  const at = whole.length >> 1
  writeFileSync(changed, Buffer.concat([whole.subarray(0, at), Buffer.from([whole[at] ^ 1]), whole.subarray(at + 1)]))
  const restored = path.join(folder, 'restored')
  /** @type {[string, Record<string, string>, RegExp][]} */
  const refused = [
    [file, { PILOTHOUSE_BACKUP_PASSPHRASE: 'another passphrase' }, /passphrase is wrong/],
    [cut, {}, /is truncated/],
    [changed, {}, /is damaged/],
    [file, { PILOTHOUSE_DATA: data }, /is not empty/],
    [file, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /Unset DATABASE_URL/],
  ]
  for (const [from, more, why] of refused) {
    const { code, said } = await run('restore', from, { PILOTHOUSE_DATA: restored, ...more })
    expect(said).toMatch(why)
    expect(code).toBe(1)
    expect(existsSync(restored)).toBe(false)
    expect(existsSync(`${restored}.restoring`)).toBe(false)
  }
}, 120_000)
