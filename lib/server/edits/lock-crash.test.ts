import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'drizzle-orm'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '../process/db'
import { takeLease } from '../process/lease'
import { WakeLine } from '../recorder/instances/wake'
import { until } from '../recorder/testing'
import { type TestConsole, testConsole } from '../testing'
import { type LockKey, withEditLock } from './lock'

// Another console in a process of its own, which holds the lock of an edit.

const root = path.resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(path.join(root, 'node_modules/.lock-crash-'))
const KEY: LockKey = ['item', 'w', 'd', 'a', 'b']
const [HERE, THERE] = [7, 8]
let home: TestConsole
let line: WakeLine
let other: ChildProcess | undefined

beforeAll(async () => {
  await build({
    stdin: {
      resolveDir: import.meta.dirname,
      loader: 'ts',
      contents: `
        import { WakeLine } from '../recorder/instances/wake'
        import { withEditLock } from './lock'
        async function main() {
          await new WakeLine(${THERE}, () => {}).open()
          await withEditLock(${JSON.stringify(KEY)}, async () => {
            process.stdout.write('held\\n')
            await new Promise(() => {})
          })
        }
        void main()`,
    },
    outfile: path.join(folder, 'child.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root },
    logLevel: 'silent',
  })
  home = await testConsole()
  line = new WakeLine(HERE, () => {})
  await line.open()
  // Before that, this console judges nobody.
  await until(() => performance.now() - line.openedAt > 6_100, 10_000)
}, 30_000)
afterEach(async () => {
  other?.kill('SIGKILL')
  await other?.exitCode
  await (await db()).execute(sql`truncate console.leases`)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await line?.close()
  await home?.close()
})

async function hold() {
  other = spawn(process.execPath, [path.join(folder, 'child.cjs')], {
    env: {
      ...process.env,
      ...{ DATABASE_URL: home.databaseUrl, PILOTHOUSE_DATA: folder, NEXTAUTH_SECRET: 'x'.repeat(32) },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: other.stdout as NodeJS.ReadableStream })
  expect(await once(lines, 'line')).toEqual(['held'])
  return other
}
/** How long an edit here waits. */
async function wait() {
  const from = performance.now()
  await withEditLock(KEY, async () => {})
  return performance.now() - from
}
const connectionsOf = async (instance: number) =>
  (
    await (
      await db()
    ).execute(sql`select pid from pg_locks
      where locktype = 'advisory' and objid = ${instance} and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())`)
  ).rows

test('the lock of a console that is killed is free within two seconds', async () => {
  const killed = await hold()
  killed.kill('SIGKILL')
  const waited = await wait()
  expect(waited).toBeGreaterThan(900)
  expect(waited).toBeLessThan(2_000)
})

test('a console whose connection is lost and opened again keeps its lock, as does one that hangs', async () => {
  const there = await hold()
  const [connection] = await connectionsOf(THERE)
  await (await db()).execute(sql`select pg_terminate_backend(${connection?.pid}::int)`)
  while ((await connectionsOf(THERE)).some(({ pid }) => pid === connection?.pid));
  expect(await takeLease(JSON.stringify(['edit', ...KEY]))).toBeUndefined()
  // If the other has said at once that it shows nothing, this comes before it is back.
  await until(async () => (await connectionsOf(THERE)).length === 1, 10_000)
  expect(await takeLease(JSON.stringify(['edit', ...KEY]))).toBeUndefined()
  there.kill('SIGSTOP')
  expect(await takeLease(JSON.stringify(['edit', ...KEY]))).toBeUndefined()
})
