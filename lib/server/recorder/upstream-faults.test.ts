import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { startRecording } from './start'
import { logOf, pageOf, type ScriptedServer, scriptedServer, summaryOf, until, workspaceFor } from './testing'

// Faults of a run's stream on the agent server, at its start and later. Each must be reported as it was.

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
beforeAll(async () => {
  adoptHub(recorderSettings({ retryFirstMs: 20, retryMaxMs: 100, statusMs: [0, 20], idsMs: 500 }))
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
afterEach(() => {
  server.onRun = () => {}
  server.intercept = () => false
  recorderHub().endSayers.clear()
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

const start = (isResumable = true) => {
  server.onRun = (run) => {
    run.isResumable = isResumable
  }
  const body = { assistant_id: 'agent', stream_resumable: isResumable }
  return startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
}
const endedLogOf = async (id: string): Promise<LogEntry[]> => {
  await until(async () => (await summaryOf(id)).phase === 'ended')
  return await logOf(id)
}
const short = (entries: LogEntry[]) =>
  entries.map((one) => (one.kind === 'event' ? `${one.event} ${one.data}` : one.kind)).slice(1) // without metadata
const heard = (id: string, entries: number) => until(async () => (await summaryOf(id)).entries === entries)

/** A run whose stream the server closed after `custom 1`, with one event after it that nobody received. */
async function startCut(isKept: boolean) {
  const { id } = await start(isKept)
  const run = server.latest()
  run.emit('custom', 1)
  await heard(id, 2)
  run.close()
  run.emit('custom', 2)
  return { id, run }
}

test.each([true, false])('a stream that the server ends mid-run is joined again, kept events: %s', async (isKept) => {
  const { id, run } = await startCut(isKept)
  await until(() => run.readers.size > 0)
  run.emit('custom', 3)
  run.finish()
  const log = await endedLogOf(id)
  expect(short(log)).toEqual(['custom 1', isKept ? 'custom 2' : 'gap', 'custom 3', 'final'])
  if (!isKept)
    expect(log[2]).toMatchObject({
      reason: expect.stringContaining('closed the stream while the run was in progress'),
    })
  expect(log.at(-1)).toMatchObject({ outcome: 'success' })
})

test.each([true, false])(
  'a stream without the usual `end` event was cut, even if its run is over, kept events: %s',
  async (isKept) => {
    const { id: usual } = await start()
    server.latest().emit('end', { status: 'success' })
    server.latest().finish()
    await endedLogOf(usual)
    const { id, run } = await startCut(isKept)
    run.finish()
    const log = await endedLogOf(id)
    expect(short(log)).toEqual(isKept ? ['custom 1', 'custom 2', 'final'] : ['custom 1', 'gap', 'final'])
    expect(log.at(-1)).toMatchObject({ outcome: 'success' })
  },
)

test('a restarted server that sends the run again with new numbers is followed: earlier entries may lack their end', async () => {
  const { id } = await start()
  const run = server.latest()
  for (let n = 1; n <= 5; n++) run.emit('custom', n)
  await heard(id, 6)
  run.events.length = 0
  run.cut()
  await until(() => run.readers.size > 0)
  run.emit('metadata', { run_id: run.id, attempt: 2 })
  for (let n = 1; n <= 7; n++) run.emit('custom', `again ${n}`)
  await heard(id, 15)
  run.cut()
  run.emit('custom', 'last')
  run.finish()
  const log = await endedLogOf(id)
  expect(short(log)).toEqual([
    ...[1, 2, 3, 4, 5].map((n) => `custom ${n}`),
    'gap',
    `metadata {"run_id":"${run.id}","attempt":2}`,
    ...[1, 2, 3, 4, 5, 6, 7].map((n) => `custom again ${n}`),
    'custom last',
    'final',
  ])
})

test.each([
  ['kept all of it', true],
  ['has thrown it away', false],
])('a stream that breaks after the last event has no gap only if the server shows that it %s', async (_, isKept) => {
  const { id } = await start()
  const run = server.latest()
  for (let n = 1; n <= 3; n++) run.emit('custom', n)
  await heard(id, 4)
  run.isResumable = isKept
  run.status = 'success'
  run.cut()
  const log = await endedLogOf(id)
  expect(short(log)).toEqual(['custom 1', 'custom 2', 'custom 3', ...(isKept ? [] : ['gap']), 'final'])
})

const respondWith = (status: number, headers: Record<string, string>, body: string) => (response: ServerResponse) => {
  response.writeHead(status, headers)
  response.end(body)
}
const refusals: [string, (response: ServerResponse) => void, object][] = [
  [
    '200 with a page instead of a stream',
    respondWith(200, { 'content-type': 'text/html' }, '<html>Sign in</html>'),
    { code: 'upstream_shape' },
  ],
  [
    '429, with the time to wait',
    respondWith(429, { 'retry-after': '7' }, 'slow down'),
    { code: 'rate_limited', retryAfterMs: 7000 },
  ],
  [
    'a page of a gateway',
    respondWith(502, { 'content-type': 'text/html' }, '<html>Bad Gateway</html>'),
    { code: 'upstream_failed' },
  ],
  ['nothing', (response) => response.destroy(), { code: 'upstream_unreachable' }],
]
test.each(refusals)('a start with a response of %s fails as such and leaves no recording', async (_, refuse, view) => {
  const before = (await pageOf()).items.length
  server.intercept = (request, response) => {
    if (!request.url?.endsWith('/runs/stream')) return false
    refuse(response)
    return true
  }
  await expect(start()).rejects.toMatchObject({ view })
  expect((await pageOf()).items).toHaveLength(before)
})

test('a stream that ends before it names its run is a recording with unknown outcome, not a success', async () => {
  server.intercept = (request, response) => {
    if (!request.url?.endsWith('/runs/stream')) return false
    respondWith(200, { 'content-type': 'text/event-stream' }, ': open\n\nevent: custom\ndata: {"ha')(response)
    return true
  }
  const { id } = await start()
  expect((await endedLogOf(id)).map(({ kind }) => kind)).toEqual(['final'])
  expect(await summaryOf(id)).toMatchObject({ outcome: 'unknown' })
})
