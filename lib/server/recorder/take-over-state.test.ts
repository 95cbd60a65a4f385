import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { encodeEntries, type NewEntry } from '@/lib/stream/entry-text'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { writeSegments } from './segments'
import { adoptHub, recorderHub } from './shared-hub'
import { REPLAY_MS } from './source/intake'
import { findRecording } from './store'
import { takeOver } from './take-over'
import { insertRow, logOf, ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

let console_: TestConsole
let server: ScriptedServer
let deployment: string
let made = 0
beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  deployment = await workspaceFor(server.url)
})
const TIMING = { retryFirstMs: 20, retryMaxMs: 50, statusMs: [0, 20], confirmMs: 20 }
beforeEach(() => {
  adoptHub(recorderSettings(TIMING))
})
afterEach(async () => {
  server.intercept = () => false
  await recorderHub().stop()
  await (await db()).execute(sql`delete from console.recordings`)
})
afterAll(async () => {
  await server.close()
  await console_.close()
})

/** A run of the server, and a recording of it that this instance has just claimed. */
async function claimed(more: Parameters<typeof insertRow>[0] = {}) {
  made += 1
  const run = new ScriptedRun(`thread-${made}`, `run-${made}`)
  server.runs.set(run.id, run)
  const { instance } = recorderHub()
  const id = await insertRow({ owner: instance, deployment, thread: run.thread, run: run.id, ...more })
  /** Stores entries in a segment of their own. */
  const store = async (first: number, entries: NewEntry[], text = encodeEntries(first, entries)) => {
    const chunk = { first, last: first + entries.length - 1, bytes: Buffer.from(text) }
    const lastEventId = entries.flatMap((one) => ('id' in one && one.id ? [one.id] : [])).at(-1) ?? null
    await writeSegments([{ recording: id, chunk, lastEventId }], instance, false)
  }
  const begin = async (wasCrash = true) => {
    const row = await findRecording(id)
    if (row) await takeOver(recorderHub(), row, wasCrash)
  }
  return { id, run, store, begin }
}
const event = (id: number, data: string | number = id, at = Date.now()): NewEntry => ({
  ...{ at, kind: 'event', event: 'custom', data: String(data), id: String(id) },
})
const kindsOf = async (id: string) =>
  (await logOf(id)).map((one) => (one.kind === 'event' ? `${one.event} ${one.data}` : one.kind))
const ended = (id: string) => until(async () => (await findRecording(id))?.phase === 'ended')

test('a log without a gap takes two statements to read', async () => {
  const { run, store, begin } = await claimed({ isResumable: true })
  await store(1, [event(1), event(2)])
  const statements = vi.spyOn((await db()).$client, 'query')
  await begin()
  const texts = statements.mock.calls.map(([one]) => JSON.stringify(one))
  const reads = texts.filter((text) => /select.*segments/.test(text))
  statements.mockRestore()
  expect(reads).toHaveLength(2)
  run.finish()
  await until(() => recorderHub().recorders.size === 0)
})

test.each([
  ['with its times', { startedAt: 5_000, endedAt: 7_000 }, 5_000, 7_000],
  ['of an earlier version, without them', {}, 1_000, 9_000],
])('a log that has its end %s only needs its row', async (_, times, startedAt, endedAt) => {
  const { id, run, store, begin } = await claimed({ startedAt: new Date(1_000) })
  await store(1, [event(1), { at: 9_000, kind: 'final', outcome: 'error', ...times }])
  const log = await recorderHub().log(id)
  await begin()
  expect(await findRecording(id)).toMatchObject({
    ...{ phase: 'ended', outcome: 'error', owner: null, entries: 2, cuts: [2] },
    ...{ startedAt: new Date(startedAt), endedAt: new Date(endedAt), bytes: log.totalBytes },
  })
  // Who reads it opens it again, and nobody follows the run.
  expect([log.isAbandoned, recorderHub().recorders.size, run.opened]).toEqual([true, 0, []])
})

test.each([
  ['crash', true, [1, 3]],
  ['shutdown', false, [1]],
])('a crash makes viewers start over after what is stored, a shutdown does not: %s', async (_, wasCrash, cuts) => {
  const { id, run, store, begin } = await claimed({ cuts: [1] })
  run.emit('metadata', {})
  for (const n of [1, 2]) run.emit('custom', n)
  await store(1, [{ at: 1, kind: 'event', event: 'metadata', data: '{}', id: '0' }, event(1), event(2)])
  await begin(wasCrash)
  await until(() => run.readers.size > 0)
  const log = await recorderHub().log(id)
  expect([(await findRecording(id))?.cuts, log.cuts, run.opened]).toEqual([cuts, cuts, ['2']])
  run.emit('custom', 3)
  run.finish()
  await ended(id)
  expect(await kindsOf(id)).toEqual(['metadata {}', 'custom 1', 'custom 2', 'custom 3', 'final'])
})

test('a log of several megabytes is continued after its last event, whatever its size', async () => {
  const { id, run, store, begin } = await claimed()
  for (let n = 0; n < 4; n++) {
    run.emit('custom', 'x'.repeat(600_000))
    await store(n + 1, [event(n, 'x'.repeat(600_000))])
  }
  await begin()
  await until(() => run.readers.size > 0)
  run.emit('custom', 'last')
  run.finish()
  await ended(id)
  expect(run.opened).toEqual(['3'])
  expect((await kindsOf(id)).map((one) => one.slice(0, 12))).toEqual([
    ...['custom xxxxx', 'custom xxxxx', 'custom xxxxx', 'custom xxxxx', 'custom last', 'final'],
  ])
})

test('a run that may have lost events says since when, and why', async () => {
  const { id, run, store, begin } = await claimed({ isResumable: false })
  run.isResumable = false
  await store(1, [event(1, 1, 12_345)])
  await begin()
  await until(() => run.readers.size > 0)
  run.finish()
  await ended(id)
  expect((await logOf(id))[1]).toMatchObject({
    ...{ kind: 'gap', since: 12_345, reason: expect.stringContaining('console was stopped') },
  })
  const empty = await claimed({ isResumable: false, startedAt: new Date(777) })
  empty.run.finish()
  await empty.begin()
  await ended(empty.id)
  expect((await logOf(empty.id))[0]).toMatchObject({ kind: 'gap', since: 777 })
})

test('a run that was silent for long is not given up because its server does not answer at once', async () => {
  const { id, run, store, begin } = await claimed()
  const at = Date.now() - 3_600_000
  for (const n of [0, 1]) run.emit('custom', n)
  await store(1, [event(0, 0, at), event(1, 1, at)])
  let refused = 0
  server.intercept = (request, response) => {
    if (!request.url?.includes(run.id) || refused === 4) return false
    refused += 1
    response.writeHead(503, { 'content-type': 'application/json' }).end('{"detail":"starting"}')
    return true
  }
  await begin()
  await until(() => run.readers.size > 0)
  run.emit('custom', 2)
  run.finish()
  await ended(id)
  expect(await kindsOf(id)).toEqual(['custom 0', 'custom 1', 'custom 2', 'final'])
})

test.each([
  ['is found by the key of its recording', false],
  ['is found once its server has it, if its start was still on its way', true],
])('a run whose id was never stored %s', async (_, isOnItsWay) => {
  const { id, run, begin } = await claimed({ run: null })
  if (isOnItsWay) server.runs.delete(run.id)
  let looks = 0
  server.intercept = ({ url = '' }, response) => {
    if (!isOnItsWay || !url.endsWith('/runs')) return false
    if (++looks === 3) server.runs.set(run.id, run)
    // Its server is away at first.
    if (looks === 1) response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"away"}')
    return looks === 1
  }
  run.body = { metadata: { pilothouse_recording: id } }
  run.emit('custom', 1)
  await begin()
  await until(async () => (await findRecording(id))?.run === run.id)
  run.finish()
  await ended(id)
  expect(await kindsOf(id)).toEqual(['custom 1', 'final'])
})

test.each([
  ['the thread does not have', () => false],
  ['cannot be looked for', (url = '') => url.endsWith('/runs')],
])('a run without a stored id that %s has an unknown end', async (_, isAway) => {
  adoptHub(recorderSettings({ ...TIMING, sentMs: 100, giveUpMs: 100 }))
  const { id, begin } = await claimed({ run: null })
  server.intercept = (request, response) => {
    if (!isAway(request.url)) return false
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"away"}')
    return true
  }
  await begin()
  await ended(id)
  expect(await findRecording(id)).toMatchObject({ run: null, outcome: 'unknown' })
})

test('a log that cannot be read is left to the next look, with nothing held', async () => {
  const { id, store, begin } = await claimed()
  await store(1, [event(1)], '{"no entry')
  await store(2, [event(2)])
  await expect(begin()).rejects.toThrow()
  expect(recorderHub().recorders.size).toBe(0)
  expect(await findRecording(id)).toMatchObject({ phase: 'live', outcome: null })
})

test.each<[string, number, boolean, boolean]>([
  ['a recent one that the server still has', 0, true, true],
  ['one that is too old for a replay', REPLAY_MS + 1_000, true, false],
  ['one of a run that the server does not keep', 0, false, false],
])('a gap in the store, %s, is filled again or stays', async (_, age, isResumable, isFilled) => {
  const { id, run, store, begin } = await claimed({ isResumable })
  run.isResumable = isResumable
  for (let n = 0; n < 4; n++) run.emit('custom', n)
  const at = Date.now() - age
  for (const n of [0, 1, 3]) await store(n + 1, [event(n, n, at)])
  await begin(false)
  // What was read again has another epoch.
  expect((await findRecording(id))?.cuts).toEqual(isFilled ? [2] : [])
  await until(() => run.readers.size > 0)
  run.finish()
  await ended(id)
  const log = await kindsOf(id)
  expect(log.slice(0, 4)).toEqual(['custom 0', 'custom 1', isFilled ? 'custom 2' : 'gap', 'custom 3'])
  expect(log.at(-1)).toBe('final')
})

test('a start that had not stored its thread has sent no run, and leaves no recording', async () => {
  const { id, begin } = await claimed({ thread: null, run: null, phase: 'starting' })
  await begin()
  expect(await findRecording(id)).toBeUndefined()
  expect(recorderHub().recorders.has(id)).toBe(false)
})
