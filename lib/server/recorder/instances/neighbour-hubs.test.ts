import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { db } from '../../process/db'
import { type TestConsole, testConsole } from '../../testing'
import { Hub } from '../hub'
import { RecordingLog } from '../log/recording-log'
import { recorderSettings } from '../log/timing'
import { recordings } from '../schema'
import { writeSegments } from '../segments'
import { insertRow, noteRecorder, until } from '../testing'
import { WakeLine } from './wake'

// Two processes of one console: what one records, viewers of the other see.

let console_: TestConsole
let folder: string
let hubs: Hub[]
beforeAll(async () => {
  console_ = await testConsole()
})
beforeEach(() => {
  hubs = []
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-'))
  console_.set({ PILOTHOUSE_NEIGHBOURS: folder })
})
afterEach(async () => {
  await Promise.all(hubs.map((hub) => hub.stop()))
  rmSync(folder, { recursive: true })
  await (await db()).delete(recordings)
})
afterAll(async () => {
  await console_.close()
})

async function startHub(): Promise<Hub> {
  const hub = new Hub(async () => {}, recorderSettings())
  hubs.push(hub)
  await hub.start()
  return hub
}

/** The hub records, as its recorder would, after entry `last` of an earlier one. */
async function record(hub: Hub, before?: { id: string; last: number }) {
  const id = before?.id ?? (await insertRow({ owner: hub.instance }))
  const last = before?.last ?? 0
  const log = new RecordingLog({ id, workspace: 'tests' }, [], { phase: 'live', last, totalBytes: 0 })
  hub.writer.accept(id)
  log.onChunk = (chunk) => hub.add(log, chunk, null)
  noteRecorder(hub, id)
  hub.hold(log)
  return log
}
const append = (log: RecordingLog, data = 'x') => {
  log.append({ at: 1, kind: 'event', event: 'custom', data })
  log.seal()
}

test('an entry reaches viewers of another process before it is stored, and counts as stored once it is', async () => {
  const [one, two] = [await startHub(), await startHub()]
  const log = await record(one)
  const copy = await two.log(log.id)
  await until(() => !one.line.hasListeners)
  await (await db()).transaction(async (store) => {
    await store.execute(sql`lock table console.segments_live in share mode`)
    append(log)
    await until(() => copy.last === 1)
    expect([copy.stored, log.stored]).toEqual([0, 0])
  })
  await until(() => log.stored === 1)
  append(log)
  await until(() => copy.last === 2)
  expect(copy.stored).toBe(1)
})

test('what a process has missed comes from the store, and what is not stored yet from the one that records', async () => {
  const [one, two] = [await startHub(), await startHub()]
  const id = await insertRow({ owner: one.instance })
  const copy = await two.log(id)
  const bytes = Buffer.from(encodeEntries(1, [{ at: 1, kind: 'event', event: 'custom', data: '1' }]))
  await writeSegments([{ recording: id, chunk: { first: 1, last: 1, bytes }, lastEventId: null }], one.instance, false)
  const log = await record(one, { id, last: 1 })
  await until(() => !one.line.hasListeners)
  await (await db()).transaction(async (store) => {
    await store.execute(sql`lock table console.segments_live in share mode`)
    append(log)
    await until(() => copy.last === 2)
  })
})

test('other processes of the machine need no notices; an instance elsewhere does', async () => {
  const [one, two] = [await startHub(), await startHub()]
  await until(() => !one.line.hasListeners && !two.line.hasListeners)
  expect(one.line.hasOthers).toBe(true)
  const elsewhere = new WakeLine(7, () => {})
  await elsewhere.open()
  await until(() => one.line.hasListeners && two.line.hasListeners)
  await elsewhere.close()
  await until(async () => {
    await one.line.look()
    return !one.line.hasListeners
  })
})

test('what a process has recorded since it lost its connection comes from the store', async () => {
  const [one, two] = [await startHub(), await startHub()]
  const log = await record(one)
  const copy = await two.log(log.id)
  append(log)
  await until(() => copy.last === 1)
  await one.stop()
  append(log)
  await one.writer.flushed(log.id)
  await until(() => copy.last === 2)
})

test('entries that a crash cut off are not kept by other processes', async () => {
  const [one, two] = [await startHub(), await startHub()]
  const log = await record(one)
  const copy = await two.log(log.id)
  append(log)
  await until(() => copy.last === 1)
  await (await db())
    .update(recordings)
    .set({ cuts: [0] })
    .where(eq(recordings.id, log.id))
  const again = new RecordingLog(log, [0], { phase: 'live', last: 0, totalBytes: 0 })
  again.onChunk = (chunk) => one.add(again, chunk, null)
  one.hold(again)
  append(again, 'another')
  await until(() => copy.isAbandoned)
  const opened = await two.log(log.id)
  await until(() => opened.last === 1)
  expect(opened.epoch).toBe(1)
})
