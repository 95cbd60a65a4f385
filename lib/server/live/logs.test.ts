import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStubUpstream } from '@/e2e/support/stub-upstream'
import type { LogLine } from '@/lib/contracts/deployments/logs'
import type { LiveFrame, Subscription } from '@/lib/contracts/wire/live'
import { SseParser } from '@/lib/stream/sse'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { serveLive } from './serve'
import { LIVE_TIMING } from './timing'

const ORIGIN = 'http://localhost:3000'
const timing = { ...LIVE_TIMING, logs: { ...LIVE_TIMING.logs, busyMs: 20, quietMs: 40, errorMaxMs: 50, lingerMs: 200 } }
/** Enough on a busy machine. */
const SLOW = { timeout: 15_000 }
let home: TestConsole
let stub: Awaited<ReturnType<typeof startStubUpstream>>
let actor: Actor
/** The server's lines by revision; undefined if it has no such endpoint. */
const logs = new Map<string, number | undefined>()

beforeAll(async () => {
  stub = await startStubUpstream(({ path }) => {
    const url = new URL(path, ORIGIN)
    const [, revision] = /\/revisions\/([^/]+)\/logs$/.exec(url.pathname) ?? []
    const search = url.pathname === '/v2/deployment-logs' ? url.searchParams.get('revision_id') : null
    const [, whole] = /\/deployments\/([^/]+)\/logs$/.exec(url.pathname) ?? []
    const of = revision ?? whole ?? search ?? ''
    const isMissing = logs.get(of) === undefined || (of === 'searched' && !search)
    if (isMissing) return { status: 404, body: { detail: 'Not Found' } }
    const from = Number(url.searchParams.get('offset') ?? url.searchParams.get('cursor') ?? 0)
    const size = Math.min(100, (logs.get(of) ?? 0) - from)
    const lines = Array.from({ length: Math.max(0, size) }, (_, index) => ({
      id: from + index,
      message: `line ${from + index}`,
    }))
    const next = size > 0 ? String(from + size) : null
    return { body: search ? { items: lines, next_cursor: next } : { logs: lines, next_offset: next } }
  })
  home = await testConsole({ CONTROL_PLANE_URL: stub.url, CONTROL_PLANE_API_KEY: 'key' })
  actor = await testActor({ '*': 'viewer' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})

type Wanted = Extract<Subscription, { kind: 'logs' }>
const wanted = (revision: string, more: Partial<Wanted> = {}): Wanted => ({
  id: 'log',
  workspace: 'default',
  kind: 'logs',
  deployment: 'd',
  revision,
  type: 'build',
  cursor: 0,
  ...more,
})

async function follow(subscription: Wanted) {
  const abort = new AbortController()
  const response = await serveLive(
    new Request(`${ORIGIN}/api/live`, {
      method: 'POST',
      headers: { origin: ORIGIN, 'content-type': 'application/json' },
      body: JSON.stringify({ subscriptions: [subscription] }),
      signal: abort.signal,
    }),
    { who: async () => actor, timing },
  )
  expect(response.status).toBe(200)
  const seen = { frames: [] as LiveFrame[], lines: [] as LogLine[], stop: () => abort.abort() }
  const parser = new SseParser()
  void (async () => {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
      for (const { data } of parser.push(bytes)) {
        const frame = JSON.parse(data) as LiveFrame
        seen.frames.push(frame)
        if ('entries' in frame) seen.lines.push(...(frame.entries as LogLine[]))
      }
  })().catch(() => {})
  return seen
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const epochOf = (frames: LiveFrame[]) => frames.flatMap((frame) => ('epoch' in frame ? [frame.epoch] : [])).at(-1)

test('a log arrives whole and is followed; a returning viewer resumes from its cursor, and one read serves all', async () => {
  logs.set('long', 2_345)
  const one = await follow(wanted('long'))
  await expect.poll(() => one.lines.length, SLOW).toBe(2_345)
  const asked = stub.seen.filter(({ path }) => path.includes('/long/')).length
  const two = await follow(wanted('long', { cursor: 2_000, epoch: epochOf(one.frames) }))
  await expect.poll(() => two.lines.length, SLOW).toBe(345)
  expect(stub.seen.filter(({ path }) => path.includes('/long/')).length - asked).toBeLessThan(10)
  logs.set('long', 2_400)
  await expect.poll(() => [one.lines.length, two.lines.length], SLOW).toEqual([2_400, 400])
  expect(one.lines.map(({ seq }) => seq)).toEqual(range(1, 2_400))
  expect(two.lines.map(({ seq }) => seq)).toEqual(range(2_001, 2_400))
  expect(one.lines.at(-1)?.message).toBe('line 2399')
  one.stop()
  two.stop()
})

test('a cursor from another numbering restarts the log, with a notice', async () => {
  logs.set('other', 5)
  const seen = await follow(wanted('other', { cursor: 3, epoch: 1 }))
  await expect.poll(() => seen.lines.length, SLOW).toBe(5)
  expect(seen.frames[0]).toMatchObject({ reset: true, cursor: 0 })
  seen.stop()
})

test('a log that nobody reads any longer is read from its beginning by who comes later', async () => {
  const asked = () => stub.seen.filter(({ path }) => path.includes('/left/')).length
  logs.set('left', 5)
  const first = await follow(wanted('left'))
  await expect.poll(() => first.lines.length, SLOW).toBe(5)
  first.stop()
  let before = -1
  const isQuiet = () => {
    const [last, now] = [before, asked()]
    before = now
    return last === now
  }
  await expect.poll(isQuiet, { ...SLOW, interval: 200 }).toBe(true)
  const later = await follow(wanted('left'))
  await expect.poll(() => later.lines.length, SLOW).toBe(5)
  expect(asked()).toBeGreaterThan(before)
  later.stop()
})

test('a filter is sent to the server', async () => {
  logs.set('filtered', 5)
  const seen = await follow(wanted('filtered', { level: 'ERROR', query: 'disk & co' }))
  await expect.poll(() => seen.lines.length, SLOW).toBe(5)
  const asked = stub.seen.find(({ path }) => path.includes('/filtered/'))
  expect(Object.fromEntries(new URL(asked?.path ?? '', ORIGIN).searchParams)).toMatchObject({
    type: 'build',
    level: 'ERROR',
    query: 'disk & co',
    order: 'asc',
  })
  seen.stop()
})

test('the lines of all revisions in a span of time are read from the deployment', async () => {
  logs.set('all-of-it', 120)
  const span = { from: '2026-11-24T04:00:00.000Z', to: '2026-11-24T05:00:00.000Z' }
  const seen = await follow(wanted('', { revision: undefined, deployment: 'all-of-it', type: 'deploy', ...span }))
  await expect.poll(() => seen.lines.length, SLOW).toBe(120)
  const asked = stub.seen.find(({ path }) => path.includes('/all-of-it/'))
  expect(Object.fromEntries(new URL(asked?.path ?? '', ORIGIN).searchParams)).toMatchObject({
    type: 'deploy',
    start_time: span.from,
    end_time: span.to,
  })
  seen.stop()
})

test('a server with the other endpoint is read there; one with neither is reported to have no logs', async () => {
  logs.set('searched', 250)
  const found = await follow(wanted('searched'))
  await expect.poll(() => found.lines.length, SLOW).toBe(250)
  const none = await follow(wanted('none'))
  await expect
    .poll(() => none.frames.find((frame) => 'error' in frame), SLOW)
    .toMatchObject({ error: { code: 'unsupported' } })
  found.stop()
  none.stop()
})
