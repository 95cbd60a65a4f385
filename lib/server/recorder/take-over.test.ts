import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { adoptStore, db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { recorderHub } from './shared-hub'
import { CLAIMED_AT_ONCE, insertRecording } from './store'
import { ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

const RUNS = 120
/** No process holds its lock. */
const DEAD = 4711
let home: TestConsole
let server: ScriptedServer
let deployment: string

beforeAll(async () => {
  home = await testConsole()
  server = await scriptedServer()
  deployment = await workspaceFor(server.url)
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await home.close()
})

const abandoned = async (count: number) => {
  for (let n = 0; n < count; n += 1) {
    const run = new ScriptedRun(`thread-${n}`, `run-${n}`)
    server.runs.set(run.id, run)
    await insertRecording({
      ...{ id: randomUUID(), workspace: 'tests', deployment, thread: run.thread, run: run.id, assistant: 'agent' },
      ...{ startedBy: 'ada@example.com', request: '{}', isStateless: false, isResumable: true, owner: DEAD },
    })
  }
  await (await db()).execute(sql`update console.recordings set phase = 'live'`)
}

test('one look takes over all recordings of a dead instance, however many portions that takes', async () => {
  await abandoned(RUNS)
  expect(RUNS).toBeGreaterThan(CLAIMED_AT_ONCE)
  await recorderHub().start()
  expect(recorderHub().recorders.size).toBe(RUNS)
  await until(() => [...server.runs.values()].every(({ readers }) => readers.size === 1), 60_000)
  for (const run of server.runs.values()) run.finish()
  await until(() => recorderHub().recorders.size === 0, 60_000)
}, 180_000)

test('what listens or holds a lock goes past the pooler, and the rest through it', async () => {
  const pooled = await databaseProxy(home.databaseUrl)
  home.set({ DATABASE_URL: pooled.url, DATABASE_DIRECT_URL: home.databaseUrl })
  await adoptStore(undefined)
  pooled.setDown(true)
  // Migrations and the line need no pooler; a query does.
  await recorderHub().line.close()
  const { WakeLine } = await import('./wake')
  const line = new WakeLine(1, () => {})
  await line.open()
  expect(line.isOpen).toBe(true)
  await expect((await db()).execute(sql`select 1`)).rejects.toThrow()
  pooled.setDown(false)
  expect((await (await db()).execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  await line.close()
  await adoptStore(home.databaseUrl)
  home.set({})
  await pooled.close()
})
