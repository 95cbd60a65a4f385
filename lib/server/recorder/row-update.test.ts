import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '../process/db'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderHub } from './shared-hub'
import { startRecording } from './start'
import { findRecording } from './store'
import { type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

let home: TestConsole
let server: ScriptedServer
let deploymentId: string
beforeAll(async () => {
  home = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  await (await db()).execute(sql`create function away() returns trigger language plpgsql as
    $$ begin raise exception 'the database system is shutting down' using errcode = '57P03'; end $$`)
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await home.close()
})

/** While this holds, the store does not take the ids of runs. */
const goAway = async () =>
  (await db()).execute(sql`create trigger away before update on console.recordings for each row
    when (old.run is null and new.run is not null) execute function away()`)
const comeBack = async () => (await db()).execute(sql`drop trigger away on console.recordings`)

async function start() {
  const actor = await testActor({ tests: 'developer' })
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  return { id, run: server.latest() }
}

test('the id of a run that began while the store was away is stored later, also if the run ends first', async () => {
  await goAway()
  const [live, brief] = [await start(), await start()]
  brief.run.finish()
  await until(() => recorderHub().recorders.get(brief.id) === undefined || undefined, 300).catch(() => {})
  for (const { id } of [live, brief]) expect((await findRecording(id))?.run).toBeNull()
  await comeBack()
  await until(async () => (await findRecording(live.id))?.run === live.run.id)
  await until(async () => (await findRecording(brief.id))?.phase === 'ended')
  expect(await findRecording(brief.id)).toMatchObject({ run: brief.run.id, outcome: 'success' })
  live.run.finish()
  await until(async () => (await findRecording(live.id))?.phase === 'ended')
})
