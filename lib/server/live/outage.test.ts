import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeFrame } from '@/lib/live/connection'
import { encodeEntries } from '@/lib/stream/entry-text'
import { SseParser } from '@/lib/stream/sse'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { query, testDatabase } from '@/scripts/testing'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { writeSegments } from '../recorder/segments'
import { adoptHub, recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import {
  insertRow,
  logOf,
  ScriptedRun,
  type ScriptedServer,
  scriptedServer,
  summaryOf,
  until,
  workspaceFor,
} from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { serveLive } from './serve'
import { LIVE_TIMING } from './timing'

/** Longer: `DATABASE_OUTAGE_SECONDS=60`. */
const OUTAGE_SECONDS = Number(process.env.DATABASE_OUTAGE_SECONDS ?? 3)

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

async function endedRecording(): Promise<string> {
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  server.latest().finish()
  await until(() => !recorderHub().recorders.has(id))
  recorderHub().release(id) // read from the store again
  return id
}

/** A browser's connection, with the frames that it has received. */
async function open(
  who: Actor,
  subscriptions: Record<string, unknown>[],
  timing: Partial<typeof LIVE_TIMING.connection>,
) {
  const frames: object[] = []
  const abort = new AbortController()
  const connection = { ...LIVE_TIMING.connection, ...timing }
  const response = await serveLive(
    new Request('http://localhost:3000/api/live', {
      method: 'POST',
      headers: { origin: 'http://localhost:3000', 'content-type': 'application/json' },
      body: JSON.stringify({ subscriptions }),
      signal: abort.signal,
    }),
    { who: async () => who, timing: { ...LIVE_TIMING, connection } },
  )
  const parser = new SseParser()
  void (async () => {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
      for (const { data } of parser.push(bytes)) frames.push(decodeFrame(data))
  })().catch(() => {})
  return { frames, abort }
}
const following = (id: string, recording: string) => ({
  id,
  workspace: 'tests',
  kind: 'recording',
  recording,
  cursor: 0,
})

test('a recording that cannot be read because the database is away is read again', async () => {
  const id = await endedRecording()
  proxy.failNext('cut statement', 'last_event_id')
  const { frames, abort } = await open(actor, [following('one', id)], { outageMs: 20 })
  await until(() => frames.some((frame) => 'error' in frame))
  await until(() => frames.some((frame) => 'entries' in frame))
  expect(frames.at(-1)).toMatchObject({ id: 'one', phase: 'ended' })
  abort.abort()
})

test('a subscription that is withdrawn while its read fails is refused once', async () => {
  const id = await endedRecording()
  const person = await testActor({ tests: 'viewer', elsewhere: 'viewer' })
  const blocker = new pg.Client({ connectionString: database.url })
  await blocker.connect()
  await blocker.query('begin; lock table console.recordings in access exclusive mode')
  const elsewhere = { ...following('two', id), workspace: 'elsewhere' } // keeps the connection open
  const { frames, abort } = await open(person, [following('one', id), elsewhere], { rightsMs: 30, outageMs: 20 })
  const errors = () => frames.filter((frame) => 'error' in frame && 'id' in frame && frame.id === 'one')
  await (await db()).execute(sql`delete from console.memberships where workspace = 'tests' and account = ${person.id}`)
  await until(() => errors().length > 0)
  expect(errors()).toMatchObject([{ error: { code: 'forbidden' } }])
  proxy.setDown(true) // its read fails
  proxy.setDown(false)
  await blocker.query('rollback')
  await blocker.end()
  // Of another connection, whose read fails later.
  proxy.failNext('cut statement', 'last_event_id')
  const later = await open(actor, [following('one', id)], { outageMs: 20 })
  await until(() => later.frames.some((frame) => 'entries' in frame))
  expect(errors()).toHaveLength(1)
  abort.abort()
  later.abort.abort()
})

test("a follower of another instance's recording is told when news cannot be read, and gets them later", async () => {
  await recorderHub().stop() // it would read its logs again
  const first = adoptHub()
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  expect(adoptHub()).not.toBe(first)
  const { frames, abort } = await open(actor, [following('one', id)], { outageMs: 20 })
  await until(() => first.line.hasOthers && frames.some((frame) => 'phase' in frame && frame.phase === 'live'))
  const run = server.latest()
  const isTold = () => frames.some((frame) => 'error' in frame)
  const last = () => JSON.stringify(frames.filter((frame) => 'entries' in frame).at(-1))

  proxy.failNext('cut statement', 'news')
  run.emit('custom', 'no other event follows')
  await until(isTold)
  await until(() => last().includes('no other event follows'))

  // No notice comes either.
  frames.length = 0
  proxy.setDown(true)
  await until(isTold, 15_000)
  run.emit('custom', 'sent meanwhile')
  proxy.setDown(false)
  await until(() => last()?.includes('sent meanwhile'), 15_000)

  // The read of how it ended fails.
  frames.length = 0
  proxy.failNext('cut statement', 'object_at::float8')
  run.finish()
  await until(isTold)
  await until(() => last()?.includes('"phase":"ended"'))
  abort.abort()
  await first.stop()
})

test('a log whose opening failed is opened once more, with what happened meanwhile', async () => {
  const first = adoptHub()
  await first.start()
  const id = await insertRow({ owner: first.instance })
  const bytes = Buffer.from(encodeEntries(1, [{ at: 1, kind: 'event', event: 'custom', data: '1' }]))
  await writeSegments(
    [{ recording: id, chunk: { first: 1, last: 1, bytes }, lastEventId: null }],
    first.instance,
    false,
  )
  adoptHub()
  const blocker = new pg.Client({ connectionString: database.url })
  await blocker.connect()
  await blocker.query('begin; lock table console.segments_live in access exclusive mode')
  proxy.failNext('cut statement', 'object_at::float8') // the read of its entries
  const { frames, abort } = await open(actor, [following('one', id)], { outageMs: 20 })
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%greatest(max(last_seq)%'`
  await until(async () => (await query(database.url, waiting)).length > 0)
  // Nobody here listens yet for the notice of that.
  await blocker.query(`update console.recordings set phase = 'ended', owner = null where id = '${id}'; commit`)
  await blocker.end()
  await until(() => frames.some((frame) => 'error' in frame))
  await until(() => frames.some((frame) => 'entries' in frame))
  expect(frames.at(-1)).toMatchObject({ id: 'one', phase: 'ended' })
  abort.abort()
  await first.stop()
})

test('a take-over during which the database fails is tried again before its lease ends', async () => {
  const run = new ScriptedRun('taken-over', 'taken-over')
  server.runs.set(run.id, run)
  const id = await insertRow({ owner: 4711, deployment: deploymentId, thread: run.thread, run: run.id })
  proxy.failNext('cut statement', 'lag(last_seq')
  const hub = adoptHub()
  await hub.start()
  expect(hub.recorders.has(id)).toBe(false)
  await until(() => run.readers.size === 1)
  run.finish()
  await until(() => !hub.recorders.has(id))
})

test(`what a run says while the database is away for ${OUTAGE_SECONDS} s is seen at once, and stored later`, {
  timeout: 30_000 + OUTAGE_SECONDS * 2000,
}, async () => {
  adoptHub()
  const body = { assistant_id: 'agent' }
  const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  const run = server.latest()
  const { frames, abort } = await open(actor, [following('one', id)], {})
  await until(() => frames.some((frame) => 'phase' in frame && frame.phase === 'live'))
  proxy.setDown(true)
  const end = Date.now() + OUTAGE_SECONDS * 1000
  let said = 0
  for (; Date.now() < end; said++) {
    run.emit('custom', `"word ${said}"`)
    // Viewers whose rights cannot be checked for 20 s are sent away.
    if (said < 20) await until(() => JSON.stringify(frames).includes(`word ${said}`))
    else await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(said).toBeGreaterThan(20)
  proxy.setDown(false)
  run.finish()
  await until(async () => (await summaryOf(id)).phase === 'ended', 20_000)
  const events = (await logOf(id)).slice(0, -1)
  expect(events.map((one) => one.kind === 'event' && one.data)).toEqual(run.events.map(({ data }) => data))
  abort.abort()
})
