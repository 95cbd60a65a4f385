import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { recordings } from './schema'
import { adoptHub, recorderHub, startRecorder } from './shared-hub'
import { findRecording, insertRecording } from './store'
import { ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

/** No process holds its lock. */
const DEAD = 4711
let home: TestConsole
let server: ScriptedServer
let proxy: Awaited<ReturnType<typeof databaseProxy>>
let deployment: string

beforeAll(async () => {
  home = await testConsole()
  proxy = await databaseProxy(home.databaseUrl)
  home.set({ DATABASE_DIRECT_URL: proxy.url })
  server = await scriptedServer()
  deployment = await workspaceFor(server.url)
})
beforeEach(() => void adoptHub(recorderSettings()))
afterAll(async () => {
  await server.close()
  await proxy.close()
  await home.close()
})

/** The recording of a run of a console that has died. */
async function orphan() {
  const run = new ScriptedRun(randomUUID(), randomUUID())
  server.runs.set(run.id, run)
  const id = randomUUID()
  await insertRecording({
    ...{ id, workspace: 'tests', deployment, thread: run.thread, run: run.id, assistant: 'agent' },
    ...{ startedBy: 'ada@example.com', request: '{}', isStateless: false, isResumable: true, owner: DEAD },
  })
  await (await db()).update(recordings).set({ phase: 'live' }).where(eq(recordings.id, id))
  return { id, run }
}

test('a recorder whose database was away at its start begins once it is back', async () => {
  const { id, run } = await orphan()
  proxy.setDown(true)
  await startRecorder()
  expect(await findRecording(id)).toMatchObject({ owner: DEAD })
  proxy.setDown(false)
  await until(() => run.readers.size === 1)
  expect(await findRecording(id)).toMatchObject({ owner: recorderHub().instance })
  run.finish()
  await until(async () => (await findRecording(id))?.phase === 'ended')
  await recorderHub().stop()
})
