import { and, asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { applyEntry, createRunView } from '@/lib/stream/run-view'
import { db } from '../../process/db'
import { type TestConsole, testActor, testConsole } from '../../testing'
import { packSegments } from '../packed/pack'
import { segments } from '../schema'
import { storedEnd } from '../segments'
import { adoptHub, recorderHub } from '../shared-hub'
import { startRecording } from '../start'
import { findRecording } from '../store'
import { logOf, type ScriptedServer, scriptedServer, until, workspaceFor } from '../testing'

// A store that lost some of its rows, for example restored from an old backup or repaired by hand.

let console_: TestConsole
let server: ScriptedServer
let deploymentId: string
beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

/** A finished recording of several segments. */
async function recorded() {
  const actor = await testActor({ tests: 'developer' })
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  const run = server.latest()
  for (let n = 1; n <= 60; n++) {
    run.emit('custom', 'x'.repeat(15_000))
    if (n % 20 === 0) await until(async () => (await storedEnd(id)).last === n + 1)
  }
  run.finish()
  await until(async () => (await findRecording(id))?.phase === 'ended')
  const parts = () =>
    db().then((store) =>
      store
        .select({ first: segments.firstSeq, last: segments.lastSeq })
        .from(segments)
        .where(eq(segments.recording, id))
        .orderBy(asc(segments.firstSeq)),
    )
  await until(async () => (await parts()).length >= 3 && recorderHub().recorders.size === 0)
  const lose = async (first: number) => {
    await (await db()).delete(segments).where(and(eq(segments.recording, id), eq(segments.firstSeq, first)))
    recorderHub().release(id)
  }
  return { id, parts, lose, entries: 62 }
}
const marked = (log: LogEntry[]) => log.filter(({ kind }) => kind === 'gap').map(({ seq }) => seq)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('entries lost from the middle are marked, once in the view, and the rest keep their numbers', async () => {
  const { id, parts, lose, entries } = await recorded()
  const [, middle] = await parts()
  await lose(middle?.first ?? 0)
  const log = await logOf(id)
  expect(log.map(({ seq }) => seq)).toEqual(range(1, entries))
  expect(marked(log)).toEqual(range(middle?.first ?? 0, middle?.last ?? 0))
  expect(log.at(-1)).toMatchObject({ kind: 'final', outcome: 'success' })
  const view = createRunView()
  for (const entry of log) applyEntry(view, entry)
  expect(view.gaps).toMatchObject([{ kind: 'gap', reason: expect.stringContaining('database has lost') }])

  await packSegments(id) // must not join across the gap
  recorderHub().release(id)
  expect(await logOf(id)).toEqual(log)
})

test('a log without its beginning and end has a gap at both, and its outcome is what was known', async () => {
  const { id, parts, lose, entries } = await recorded()
  const [first, ...more] = await parts()
  const last = more.at(-1)
  await lose(first?.first ?? 0)
  await lose(last?.first ?? 0)
  const log = await logOf(id)
  expect(log.map(({ seq }) => seq)).toEqual(range(1, entries))
  expect(marked(log)).toEqual([...range(1, first?.last ?? 0), ...range(last?.first ?? 0, entries - 1)])
  expect(log.at(-1)).toMatchObject({
    kind: 'final',
    outcome: 'success',
    reason: expect.stringContaining('database has lost'),
  })
})

test('a finished recording without any entries says so', async () => {
  const { id, parts, lose, entries } = await recorded()
  for (const { first } of await parts()) await lose(first)
  const log = await logOf(id)
  expect(marked(log)).toEqual(range(1, entries - 1))
  expect(log.at(-1)).toMatchObject({ seq: entries, kind: 'final', outcome: 'success' })
})

test('a takeover resumes from the first gap while the server still has the events', async () => {
  const actor = await testActor({ tests: 'developer' })
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  const run = server.latest()
  for (let n = 1; n <= 3; n++) {
    run.emit('custom', n)
    await until(async () => (await storedEnd(id)).last === n + 1)
  }
  await recorderHub().stop()
  const hub = adoptHub()
  await (await db()).delete(segments).where(and(eq(segments.recording, id), eq(segments.firstSeq, 3)))

  await hub.claim()
  await until(() => run.readers.size === 1)
  run.emit('custom', 4)
  run.finish()
  await until(async () => (await findRecording(id))?.phase === 'ended')
  const entries = await logOf(id)
  expect(entries.map(({ seq }) => seq)).toEqual(range(1, entries.length))
  expect(entries.map((one) => (one.kind === 'event' ? one.event : one.kind))).toEqual([
    ...run.events.map(({ event }) => event),
    'final',
  ])
})
