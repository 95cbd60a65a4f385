import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeFrame } from '@/lib/live/connection'
import { SseParser } from '@/lib/stream/sse'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import type { Actor } from '../access/actor'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { type ScriptedServer, scriptedServer, until, workspaceFor } from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { serveLive } from './serve'
import { LIVE_TIMING } from './timing'

let database: Awaited<ReturnType<typeof testDatabase>>
let proxy: Awaited<ReturnType<typeof databaseProxy>>
let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string

beforeAll(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  console_ = await testConsole({ DATABASE_URL: proxy.url })
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
  await proxy.close()
  await database.drop()
})

test('a recording that cannot be read because the database is away is read again', async () => {
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  server.latest().finish()
  await until(() => !recorderHub().recorders.has(id))
  recorderHub().release(id) // read from the store again
  proxy.failNext('cut statement', 'last_event_id')
  const frames: object[] = []
  const abort = new AbortController()
  const connection = { ...LIVE_TIMING.connection, outageMs: 20 }
  const response = await serveLive(
    new Request('http://localhost:3000/api/live', {
      method: 'POST',
      headers: { origin: 'http://localhost:3000', 'content-type': 'application/json' },
      body: JSON.stringify({
        subscriptions: [{ id: 'one', workspace: 'tests', kind: 'recording', recording: id, cursor: 0 }],
      }),
      signal: abort.signal,
    }),
    { who: async () => actor, timing: { ...LIVE_TIMING, connection } },
  )
  const parser = new SseParser()
  void (async () => {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
      for (const { data } of parser.push(bytes)) frames.push(decodeFrame(data))
  })().catch(() => {})
  await until(() => frames.some((frame) => 'error' in frame))
  await until(() => frames.some((frame) => 'entries' in frame))
  expect(frames.at(-1)).toMatchObject({ id: 'one', phase: 'ended' })
  abort.abort()
})
