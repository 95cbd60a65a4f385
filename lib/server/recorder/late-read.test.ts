import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { startRecording } from './start'
import { type ScriptedServer, scriptedServer, summaryOf, until, workspaceFor } from './testing'

/** While set, what the database answers arrives only when this has happened. */
const late = vi.hoisted(() => ({ until: undefined as (() => Promise<unknown>) | undefined }))
vi.mock('./store', async (original) => {
  const store = await original<typeof import('./store')>()
  return {
    ...store,
    findRecording: async (id: string) => {
      const row = await store.findRecording(id)
      const wait = late.until
      late.until = undefined
      await wait?.()
      return row
    },
  }
})

let console_: TestConsole
let server: ScriptedServer
beforeAll(async () => {
  adoptHub(recorderSettings({ retryFirstMs: 20, retryMaxMs: 100, statusMs: [0, 20], confirmMs: 50 }))
  console_ = await testConsole()
  server = await scriptedServer()
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

test('a recording whose end is written while it is read is not told as live', async () => {
  const deploymentId = await workspaceFor(server.url)
  const { id } = await startRecording({
    ...{ actor: await testActor({ tests: 'developer' }), workspace: 'tests', deploymentId },
    thread: { kind: 'new' },
    body: { assistant_id: 'agent', input: {} },
  })
  late.until = async () => {
    server.latest().finish()
    await until(() => !recorderHub().recorders.has(id))
  }
  expect(await summaryOf(id)).toMatchObject({ phase: 'ended', outcome: 'success' })
})
