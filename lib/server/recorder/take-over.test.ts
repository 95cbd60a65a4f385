import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { adoptStore, db } from '../process/db'
import { type TestConsole, testActor, testConsole } from '../testing'
import { openStreams } from '../upstream/request'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { startRecording } from './start'
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
    const run = new ScriptedRun(randomUUID(), randomUUID())
    server.runs.set(run.id, run)
    await insertRecording({
      ...{ id: randomUUID(), workspace: 'tests', deployment, thread: run.thread, run: run.id, assistant: 'agent' },
      ...{ startedBy: 'ada@example.com', request: '{}', isStateless: false, isResumable: true, owner: DEAD },
    })
  }
  await (await db()).execute(sql`update console.recordings set phase = 'live' where phase = 'starting'`)
}

test('a run that is in progress is read at once, without the wait before another try', async () => {
  const hub = adoptHub(recorderSettings({ retryFirstMs: 600_000, retryMaxMs: 600_000 }))
  await abandoned(1)
  await hub.claim()
  const [run] = server.runs.values()
  await until(() => run?.readers.size === 1)
  run?.finish()
  await until(() => hub.recorders.size === 0)
  server.runs.clear()
  await hub.stop()
  adoptHub(recorderSettings())
})

test('one look takes over all recordings of a dead instance, however many portions that takes', async () => {
  await abandoned(RUNS)
  expect(RUNS).toBeGreaterThan(CLAIMED_AT_ONCE)
  await recorderHub().start()
  expect(recorderHub().recorders.size).toBe(RUNS)
  await until(() => [...server.runs.values()].every(({ readers }) => readers.size === 1), 60_000)
  for (const run of server.runs.values()) run.finish()
  await until(() => recorderHub().recorders.size === 0, 60_000)
}, 180_000)

test('runs that are in progress are read beyond the limit of streams, at which starts wait', async () => {
  home.set({ PILOTHOUSE_STREAMS: '10' })
  server.runs.clear()
  await abandoned(5)
  await recorderHub().claim()
  await until(() => openStreams() === 5)
  const [first] = server.runs.values()
  await abandoned(10)
  await recorderHub().claim()
  await until(() => [...server.runs.values()].every(({ readers }) => readers.size === 1))
  expect(openStreams()).toBe(15)
  const actor = await testActor({ tests: 'developer' })
  const thread = { kind: 'new' } as const
  const start = { actor, workspace: 'tests', deploymentId: deployment, thread, body: { assistant_id: 'agent' } }
  await expect(startRecording({ ...start, key: 'late' })).rejects.toMatchObject({
    view: { queue: { place: 1, of: 1 } },
  })
  // A run that is recorded here comes back, too.
  first?.cut()
  await until(() => first?.opened.length === 2 && first.readers.size === 1)
  for (const run of server.runs.values()) run.finish()
  await until(() => recorderHub().recorders.size === 0)
  home.set({})
})

test('what listens or holds a lock goes past the pooler, and the rest through it', async () => {
  const pooled = await databaseProxy(home.databaseUrl)
  home.set({ DATABASE_URL: pooled.url, DATABASE_DIRECT_URL: home.databaseUrl })
  await adoptStore(undefined)
  pooled.setDown(true)
  // Migrations and the line need no pooler; a query does.
  await recorderHub().line.close()
  const { WakeLine } = await import('./instances/wake')
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
