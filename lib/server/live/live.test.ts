import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { LiveFrame, Subscription } from '@/lib/contracts/wire/live'
import { decodeFrame } from '@/lib/live/connection'
import { SseParser } from '@/lib/stream/sse'
import type { Actor } from '../access/actor'
import { insertWorkspace } from '../access/workspace-settings'
import { refuseSession } from '../identity/sessions'
import { db } from '../process/db'
import { log } from '../process/log'
import { memberships } from '../process/schema'
import { recordings } from '../recorder/schema'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { findRecording } from '../recorder/store'
import { type ScriptedServer, scriptedServer, summaryOf, until, workspaceFor } from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { serveLive } from './serve'
import { LIVE_TIMING } from './timing'

const ORIGIN = 'http://localhost:3000'
let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
const TIMING = { ...LIVE_TIMING, poll: { ...LIVE_TIMING.poll, movingMs: 50, idleMs: 100, hintMs: 20 } }
let connection = LIVE_TIMING.connection

beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
afterEach(() => {
  connection = LIVE_TIMING.connection
  server.intercept = () => false
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

const post = (
  subscriptions: Subscription[],
  { who = actor, origin = ORIGIN, signal }: { who?: Actor; origin?: string; signal?: AbortSignal } = {},
) =>
  serveLive(
    new Request(`${ORIGIN}/api/live`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ subscriptions }),
      signal,
    }),
    { who: async () => who, timing: { ...TIMING, connection } },
  )
type Reader = { frames: LiveFrame[]; seqs: number[]; comments: number; isDone: boolean; stop: () => void }
/** Reads a stream; the entries' numbers are collected in order of arrival. */
async function watch(subscriptions: Subscription[], options: Parameters<typeof post>[1] = {}): Promise<Reader> {
  const abort = new AbortController()
  const response = await post(subscriptions, { ...options, signal: abort.signal })
  expect(response.status).toBe(200)
  const reader: Reader = { frames: [], seqs: [], comments: 0, isDone: false, stop: () => abort.abort() }
  const parser = new SseParser({ onComment: () => reader.comments++ })
  void (async () => {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
      for (const { data, event } of parser.push(bytes)) {
        expect(event).toBe('frame')
        const frame = decodeFrame(data)
        reader.frames.push(frame)
        if ('entries' in frame)
          reader.seqs.push(...[...(frame.entries as Iterable<{ seq: number }>)].map(({ seq }) => seq))
      }
  })().finally(() => {
    reader.isDone = true
  })
  return reader
}
const start = () =>
  startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body: { assistant_id: 'agent' } })
const recording = (id: string, cursor = 0, more: object = {}): Subscription => ({
  id: `r:${id}`,
  workspace: 'tests',
  kind: 'recording',
  recording: id,
  cursor,
  ...more,
})
const stored = (id: string) => until(async () => (await findRecording(id))?.phase === 'ended')
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('other sites, invalid bodies, and too many subscriptions are refused before anything is opened', async () => {
  expect((await post([recording('x')], { origin: 'https://evil.example' })).status).toBe(403)
  expect((await post([])).status).toBe(422)
  expect((await post([{ ...recording('x'), extra: 1 } as never])).status).toBe(422)
  expect((await post([recording('x'), recording('x')])).status).toBe(422)
  const anonymous = await serveLive(
    new Request(`${ORIGIN}/api/live`, { method: 'POST', headers: { origin: ORIGIN }, body: '{}' }),
    {
      who: async () => {
        const { AppError } = await import('@/lib/errors')
        throw new AppError('unauthenticated', 'You are not signed in.')
      },
    },
  )
  expect(anonymous.status).toBe(401)
  const left = await post([], { signal: AbortSignal.abort() })
  expect([left.status, await left.text()]).toEqual([499, ''])
})

test("a workspace without membership, and another workspace's recording, look as if they did not exist", async () => {
  const { id } = await start()
  const stranger = await testActor({ other: 'admin' })
  const one = await watch([recording(id)], { who: stranger })
  const two = await watch([{ ...recording(id), workspace: 'other' }], { who: stranger })
  for (const reader of [one, two]) {
    await until(() => reader.frames.length > 0)
    expect(reader.frames).toMatchObject([{ error: { code: 'not_found' } }])
    reader.stop()
  }
  server.latest().finish()
})

test('each of many viewers of a run gets every entry once from its cursor, and the server reads the run once', async () => {
  const { id } = await start()
  const run = server.latest()
  for (let i = 0; i < 40; i++) run.emit('custom', i)
  await until(async () => (await summaryOf(id)).entries === 41)
  const readers = await Promise.all(range(0, 19).map((index) => watch([recording(id, index * 2)])))
  for (let i = 0; i < 60; i++) {
    run.emit('custom', i)
    if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 3))
  }
  run.finish()
  await until(() => readers.every(({ seqs }) => seqs.at(-1) === 102))
  for (const [index, { seqs, frames }] of readers.entries()) {
    expect(seqs).toEqual(range(index * 2 + 1, 102))
    expect(frames.at(-1)).toMatchObject({ phase: 'ended', total: 102 })
  }
  expect(run.opened).toHaveLength(1)
  for (const one of readers) one.stop()
})

test('subscriptions to one run get its entries, each under its own id and from its own cursor', async () => {
  const { id } = await start()
  const run = server.latest()
  run.emit('custom', 1)
  await until(async () => (await summaryOf(id)).entries === 2)
  const cursors = { all: 0, new: 2, other: 2 }
  const reader = await watch(Object.entries(cursors).map(([name, cursor]) => recording(id, cursor, { id: name })))
  const framesOf = (name: string) =>
    reader.frames.flatMap((frame) => ('entries' in frame && frame.id === name ? [frame] : []))
  const everyOne = (isDone: (name: string) => boolean) => until(() => Object.keys(cursors).every(isDone))
  await everyOne((name) => framesOf(name).length > 0)
  run.emit('custom', 2)
  run.finish()
  await everyOne((name) => framesOf(name).at(-1)?.phase === 'ended')
  reader.stop()
  const last = (await summaryOf(id)).entries
  for (const [name, cursor] of Object.entries(cursors)) {
    const seqs = framesOf(name).flatMap(({ entries }) => [...(entries as Iterable<{ seq: number }>)])
    expect(seqs.map(({ seq }) => seq)).toEqual(range(cursor + 1, last))
  }
})

test('a late viewer reads a finished recording from the store, with its phase', async () => {
  const { id } = await start()
  server.latest().finish()
  await stored(id)
  recorderHub().release(id)
  const reader = await watch([recording(id)])
  await until(() => reader.seqs.length === 2)
  expect(reader.frames).toMatchObject([{ total: 2, epoch: 0, phase: 'ended' }])
  reader.stop()
  const again = await watch([recording(id, 2)])
  await until(() => again.frames.length > 0)
  expect(again.frames).toMatchObject([{ entries: [], total: 2, phase: 'ended' }])
  again.stop()
})

test('a viewer that has seen more than survived a crash starts over; others continue', async () => {
  const { id } = await start()
  const run = server.latest()
  run.finish()
  await stored(id)
  await (await db())
    .update(recordings)
    .set({ cuts: [1] })
    .where(eq(recordings.id, id))
  recorderHub().release(id)
  const ahead = await watch([recording(id, 2, { epoch: 0 })])
  await until(() => ahead.seqs.length === 2)
  expect(ahead.frames[0]).toEqual({ id: `r:${id}`, reset: true, epoch: 1, cursor: 0 })
  const behind = await watch([recording(id, 1, { epoch: 0 })])
  await until(() => behind.seqs.length === 1)
  expect(behind.frames[0]).toEqual({ id: `r:${id}`, reset: true, epoch: 1, cursor: 1 })
  expect(behind.seqs).toEqual([2])
  ahead.stop()
  behind.stop()
})

test('a stream opens at once, is kept alive in silence, and is told to come back if it reads nothing', async () => {
  connection = { ...connection, keepAliveMs: 30, stalledMs: 150 }
  const { id } = await start()
  const run = server.latest()
  const idle = await watch([recording(id)])
  await until(() => idle.comments > 3)
  idle.stop()

  const response = await post([recording(id)])
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 300; i++) run.emit('custom', 'x'.repeat(20_000))
  await until(async () => (await summaryOf(id)).entries > 300)
  await new Promise((resolve) => setTimeout(resolve, 600))
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += Buffer.from(part.value).toString()
  expect(text).toMatch(/data: \{"resume":true,"reason":"slow"\}\n\n$/)
  // It got one window; the rest stays in the shared log.
  expect(text.length).toBeLessThan(1_500_000)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000)
  run.finish()
})

test('a withdrawn role ends the stream at the next check, and is not taken for the end of the session', async () => {
  connection = { ...connection, rightsMs: 50 }
  const guest = await testActor({ tests: 'viewer' })
  const { id } = await start()
  const reader = await watch([recording(id)], { who: guest })
  await until(() => reader.frames.length > 0)
  await (await db()).delete(memberships).where(eq(memberships.account, guest.id))
  await until(() => reader.isDone)
  expect(reader.frames.slice(-2)).toMatchObject([{ error: { code: 'forbidden' } }, { resume: true, reason: 'rights' }])
  server.latest().finish()
})

test('a session that ends is told as such at the next check, and not as a withdrawn right', async () => {
  connection = { ...connection, rightsMs: 50 }
  const guest = await testActor({ tests: 'viewer' })
  const { id } = await start()
  const reader = await watch([recording(id)], { who: guest })
  await until(() => reader.frames.length > 0)
  await refuseSession(guest.session?.id ?? '', new Date(guest.session?.endsAt ?? 0))
  await until(() => reader.isDone)
  expect(reader.frames.filter((one) => 'error' in one)).toEqual([])
  expect(reader.frames.at(-1)).toEqual({ ended: true, reason: 'Your session has ended. Sign in again.' })
  server.latest().finish()
})

test('a role withdrawn in one workspace ends its subscriptions only; a refused one leaves the stream open', async () => {
  connection = { ...connection, rightsMs: 50, keepAliveMs: 20 }
  await insertWorkspace({ kind: 'direct', slug: 'second', name: 'Second', dialect: 'graph', allowedOrigins: [] })
  const guest = await testActor({ tests: 'viewer', second: 'viewer' })
  const lists = ['tests', 'second'].map((workspace): Subscription => ({ id: workspace, workspace, kind: 'recordings' }))
  const reader = await watch(lists, { who: guest })
  const errors = () => reader.frames.filter((one) => 'error' in one)
  await until(() => reader.frames.length >= 2)
  const isOfSecond = and(eq(memberships.account, guest.id), eq(memberships.workspace, 'second'))
  await (await db()).delete(memberships).where(isOfSecond)
  await until(() => errors().length > 0)

  const refused = await watch([recording(randomUUID())])
  await until(() => refused.frames.length > 0)
  expect(refused.frames).toMatchObject([{ error: { code: 'not_found' } }])
  // Long after the next checks, both are still there.
  for (const one of [reader, refused]) {
    const { comments } = one
    await until(() => one.comments > comments + 10)
    expect(one.isDone).toBe(false)
    one.stop()
  }
  expect(errors()).toMatchObject([{ id: 'second', error: { code: 'forbidden' } }])
})

test('streams whose rights cannot be checked for long are ended, with one line in the log for each outage', async () => {
  connection = { ...connection, rightsMs: 30, uncheckedMs: 300 }
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  const unchecked = () => warn.mock.calls.filter(([event]) => event === 'live.rights_unchecked').length
  const store = await db()
  const { id } = await start()
  for (const outages of [1, 2]) {
    const readers = await Promise.all(range(1, 3).map(() => watch([recording(id)])))
    await until(() => readers.every(({ frames }) => frames.length > 0))
    await store.execute('alter table console.memberships rename to memberships_away')
    try {
      await until(() => readers.every(({ isDone }) => isDone))
    } finally {
      await store.execute('alter table console.memberships_away rename to memberships')
    }
    for (const { frames } of readers) expect(frames.at(-1)).toMatchObject({ resume: true, reason: 'shutdown' })
    expect(unchecked()).toBe(outages)
  }
  warn.mockRestore()
  server.latest().finish()
})

test('a list is requested once for all viewers, sent when it changes, and not requested without viewers', async () => {
  const threads: string[] = []
  server.intercept = (request, response) => {
    if (request.url !== '/threads/search') return false
    threads.push(request.url)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify([
        {
          thread_id: 'watched',
          status: threads.length > 4 ? 'idle' : 'busy',
          values: { secret: 'large' },
          metadata: {},
        },
      ]),
    )
    return true
  }
  const wanted: Subscription = {
    id: 'thread',
    workspace: 'tests',
    kind: 'thread',
    deployment: deploymentId,
    thread: 'watched',
  }
  const readers = await Promise.all(range(1, 10).map(() => watch([wanted])))
  await until(() => readers.every(({ frames }) => frames.length === 2))
  for (const { frames } of readers)
    expect(frames).toMatchObject([
      { value: { status: 'busy', values: null } },
      { value: { status: 'idle' }, at: expect.any(Number) },
    ])
  expect(threads.length).toBeLessThan(12)
  for (const one of readers) one.stop()
  await until(() => readers.every(({ isDone }) => isDone))
  const asked = threads.length
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(threads.length).toBeLessThanOrEqual(asked + 1)
})

test('a read error is reported once, and the value is sent once it can be read again', async () => {
  let isDown = false
  server.intercept = (request, response) => {
    // A server without `ids` returns another thread, so the thread is read on its own.
    if (request.url === '/threads/search' && !isDown) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify([{ thread_id: 'another', status: 'busy', metadata: {} }]))
      return true
    }
    if (request.url !== '/threads/flaky' && request.url !== '/threads/search') return false
    response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isDown ? { detail: 'boom' } : { thread_id: 'flaky', status: 'idle', metadata: {} }))
    return true
  }
  const reader = await watch([
    { id: 't', workspace: 'tests', kind: 'thread', deployment: deploymentId, thread: 'flaky' },
  ])
  await until(() => reader.frames.length === 1)
  isDown = true
  await until(() => reader.frames.length === 2)
  isDown = false
  await until(() => reader.frames.length === 3)
  expect(reader.frames.map((frame) => Object.keys(frame)[1] && ('value' in frame ? 'value' : 'error'))).toEqual([
    'value',
    'error',
    'value',
  ])
  reader.stop()
})

test('the list of recordings shows a run as soon as it starts', async () => {
  const reader = await watch([{ id: 'list', workspace: 'tests', kind: 'recordings', deployment: deploymentId }])
  await until(() => reader.frames.length > 0)
  const { id } = await start()
  await until(() => JSON.stringify(reader.frames.at(-1)).includes(id))
  server.latest().finish()
  await until(
    () =>
      JSON.stringify(reader.frames.at(-1)).includes(`"${id}"`) &&
      /"phase":"ended"/.test(JSON.stringify((reader.frames.at(-1) as { value: { items: unknown[] } }).value.items[0])),
  )
  reader.stop()
})

test('a change of deployments ends a stream, and what is no longer allowed is refused when the browser connects again', async () => {
  connection = { ...connection, rightsMs: 30 }
  const { id } = await start()
  const other = randomUUID()
  const person = await testActor({ tests: { [deploymentId]: 'viewer', [other]: 'viewer' } })
  const wanted: Subscription[] = [
    recording(id),
    { id: 'thread', workspace: 'tests', kind: 'thread', deployment: deploymentId, thread: 'any' },
    { id: 'inbox', workspace: 'tests', kind: 'inbox' },
  ]
  const reader = await watch(wanted, { who: person })
  await until(() => new Set(reader.frames.flatMap((one) => ('id' in one ? one.id : []))).size === 3)
  expect(JSON.stringify(reader.frames)).toContain('entries')
  const store = await db()
  const change = (deployments: Record<string, 'viewer' | 'admin'>) =>
    store.update(memberships).set({ deployments }).where(eq(memberships.account, person.id))
  await change({ [deploymentId]: 'admin', [other]: 'viewer' }) // the same deployments
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(reader.isDone).toBe(false)

  await change({ [other]: 'viewer' })
  await until(() => reader.isDone)
  expect(reader.frames.at(-1)).toEqual({ resume: true, reason: 'rights' })
  const again = await watch(wanted, { who: person })
  await until(() => again.frames.length >= 3)
  const errors = again.frames.flatMap((one) => ('error' in one ? [[one.id, one.error.code]] : []))
  expect(Object.fromEntries(errors)).toEqual({ [`r:${id}`]: 'not_found', thread: 'not_found' })
  expect(JSON.stringify(again.frames)).not.toContain(deploymentId)
  again.stop()

  await store.delete(memberships).where(eq(memberships.account, person.id))
  const last = await watch([wanted[2] as Subscription], { who: person })
  await until(() => last.frames.length > 0)
  expect(last.frames).toMatchObject([{ error: { code: 'not_found' } }])
  last.stop()
  server.latest().finish()
})
