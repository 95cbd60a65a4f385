import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { openStreams } from '../upstream/request'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { waitingStarts } from './source/stream-places'
import { startRecording, startWhenFree } from './start'
import { pageOf, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string

beforeAll(async () => {
  adoptHub(recorderSettings({ retryFirstMs: 20, retryMaxMs: 100, statusMs: [0, 20], confirmMs: 50 }))
  console_ = await testConsole({ PILOTHOUSE_STREAMS: '1', PILOTHOUSE_QUEUED_STARTS: '2' })
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

const inputOf = (key: string) => ({
  actor,
  workspace: 'tests',
  deploymentId,
  thread: { kind: 'new' as const },
  body: { assistant_id: 'agent', input: {} },
  key: `start ${key}`,
})
const start = (key: string) => startRecording(inputOf(key))
const refusalOf = async (key: string) => {
  const error = await start(key).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(AppError)
  return (error as AppError).view
}
const placeOf = async (key: string) => (await refusalOf(key)).queue
const endLatest = async () => {
  server.latest().finish()
  await until(() => openStreams() === 0)
}

test('a start beyond the limit waits in order, leaves nothing behind while it waits, and is made once', async () => {
  const first = await start('a')
  expect(await placeOf('b')).toEqual({ place: 1, of: 1 })
  expect(await placeOf('c')).toEqual({ place: 2, of: 2 })
  expect(waitingStarts()).toBe(2)
  const refused = await refusalOf('d')
  expect(refused).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(/no more .* may wait/) })
  expect(refused).not.toHaveProperty('queue')
  expect([server.runs.size, (await pageOf()).items.length]).toEqual([1, 1])
  // A repeat of a start that was made waits for nothing.
  expect((await start('a')).id).toBe(first.id)

  await endLatest()
  expect(await placeOf('c')).toEqual({ place: 2, of: 2 })
  // Both requests of a double press arrive together.
  const [one, other] = await Promise.all([start('b'), start('b')])
  expect(other.id).toBe(one.id)
  expect(server.runs.size).toBe(2)
  const waiting = startWhenFree(
    () => true,
    async () => inputOf('c'),
  )
  await endLatest()
  expect((await waiting).phase).toBe('live')
  expect([server.runs.size, waitingStarts()]).toEqual([3, 0])
  await endLatest()
})

test('what waits without being asked again is not started, and one that may not wait is refused with its place', async () => {
  const before = server.runs.size
  await start('e')
  await placeOf('f')
  await expect(
    startWhenFree(
      () => false,
      async () => inputOf('f'),
    ),
  ).rejects.toThrow('place 1 of 1, and nothing was started yet')
  await endLatest()
  expect(server.runs.size).toBe(before + 1)
})
