import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { startRecording } from './start'
import { findRecording } from './store'
import { logOf, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

// What a recorder asks its server while it waits, and how long it waits.

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
const QUICK = { retryFirstMs: 10, retryMaxMs: 40, statusMs: [0, 10], confirmMs: 30 }
beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
beforeEach(() => void adoptHub(recorderSettings(QUICK)))
afterEach(async () => {
  server.intercept = () => false
  await recorderHub().stop()
})
afterAll(async () => {
  await server.close()
  await console_.close()
})

async function start() {
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  return { id, run: server.latest(), log: await recorderHub().log(id) }
}
const ended = (id: string) => until(async () => (await findRecording(id))?.phase === 'ended' && findRecording(id))
test.each([
  ['as long as it says', '1', 60_000, 990],
  ['no longer than it would wait for a dead one', '3600', 2_500, 0],
])('a server that asks for patience is left alone for %s', async (_, seconds, giveUpMs, atLeastMs) => {
  await recorderHub().stop()
  adoptHub(recorderSettings({ ...QUICK, giveUpMs }))
  const { id, run, log } = await start()
  const asked: { what: string; at: number }[] = []
  server.intercept = ({ url = '' }, response) => {
    if (!url.startsWith(`/threads/${run.thread}/runs/${run.id}`)) return false
    asked.push({ what: url.split('?')[0]?.endsWith('/stream') ? 'stream' : 'run', at: Date.now() })
    if (asked.length > 1) return false
    response
      .writeHead(429, { 'retry-after': seconds, 'content-type': 'application/json' })
      .end('{"detail":"slow down"}')
    return true
  }
  await until(() => log.last === 1)
  run.close()
  await until(() => run.opened.length === 2, 15_000)
  const [refused, next] = asked
  expect([refused?.what, next?.what]).toEqual(['run', 'stream'])
  expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(atLeastMs)
  run.finish()
  await ended(id)
})

test('a run that was heard of lately is not given up because its server does not answer at once', async () => {
  await recorderHub().stop()
  const giveUpMs = 2_000
  adoptHub(recorderSettings({ ...QUICK, giveUpMs }))
  const began = Date.now()
  const { id, run, log } = await start()
  // It is followed for longer than that.
  while (Date.now() - began <= giveUpMs) {
    const { last } = log
    run.emit('custom', last)
    await until(() => log.last > last)
  }
  let refused = 0
  server.intercept = ({ url }, response) => {
    if (!url?.includes(run.id) || refused === 2) return false
    refused += 1
    response.writeHead(503, { 'content-type': 'application/json' }).end('{"detail":"busy"}')
    return true
  }
  run.close()
  await until(() => run.readers.size > 0)
  run.finish()
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  expect((await logOf(id)).every(({ kind }) => kind !== 'gap')).toBe(true)
})

test('a recording that is full is not read again, and still learns how its run ends', async () => {
  await recorderHub().stop()
  adoptHub(recorderSettings(QUICK, 1_000))
  const { id, run, log } = await start()
  run.emit('custom', 'x'.repeat(2_000))
  await until(() => log.last === 2)
  run.emit('custom', 'one more, which shows it')
  await until(() => log.last === 4)
  let asked = 0
  server.intercept = ({ url }) => {
    if (url === `/threads/${run.thread}/runs/${run.id}`) asked += 1
    return false
  }
  run.close()
  await until(() => asked > 3)
  expect([run.opened.length, log.phase]).toEqual([1, 'live'])
  run.status = 'success'
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  expect((await logOf(id)).map(({ kind }) => kind)).toEqual(['event', 'event', 'event', 'gap', 'final'])
})

test('a recording shows that its stream is away, and that it is back', async () => {
  const { id, run, log } = await start()
  const phases: string[] = []
  log.subscribe(() => {
    if (phases.at(-1) !== log.phase) phases.push(log.phase)
  })
  await until(() => log.last === 1)
  run.close()
  await until(() => run.opened.length === 2)
  await until(async () => (await findRecording(id))?.phase === 'live' && log.phase === 'live')
  run.finish()
  await ended(id)
  expect(phases).toEqual(['reconnecting', 'live', 'ended'])
})

test('a run keeps the state that it left, though the next run of its thread has begun', async () => {
  const { id, run } = await start()
  run.createdAt = '2026-01-01T00:00:01Z'
  run.updatedAt = '2026-01-01T00:00:05Z'
  const state = (run_id: string, second: number) =>
    JSON.stringify({
      ...{ values: { of: run_id }, next: [], tasks: [], metadata: { run_id } },
      created_at: `2026-01-01T00:00:0${second}Z`,
    })
  server.intercept = ({ url = '' }, response) => {
    if (!/\/(state|history)$/.test(url)) return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(url.endsWith('/state') ? state('next', 7) : `[${state(run.id, 4)}]`)
    return true
  }
  run.finish()
  await ended(id)
  const final = (await logOf(id)).at(-1)
  expect(final).toMatchObject({ kind: 'final', state: expect.stringContaining(`"of":"${run.id}"`) })
  expect(final).toMatchObject({ run: expect.stringContaining('"status":"success"') })
  expect(final).not.toHaveProperty('reason')
})

test('the end of a run is told to lists, and its log is no longer written', async () => {
  let changes = 0
  const { id, run, log } = await start()
  await until(async () => (await findRecording(id))?.phase === 'live')
  const recorder = recorderHub().recorders.get(id)
  const leave = recorderHub().onChange(() => changes++)
  run.finish()
  await ended(id)
  await until(() => !recorderHub().recorders.has(id))
  expect([log.onChunk, changes > 0]).toEqual([undefined, true])
  leave()
  expect(recorder).toBeDefined()
  // It is told to stop with the rest of the process, which must not change what is stored.
  await recorder?.stop('shutdown')
  expect(await findRecording(id)).toMatchObject({ phase: 'ended', outcome: 'success' })
})
