import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '@/lib/errors'
import type { LogEntry } from '@/lib/stream/log'
import type { Actor } from '../access/actor'
import { insertDirectServer } from '../access/direct-servers'
import { db } from '../process/db'
import { type TestConsole, testActor, testConsole } from '../testing'
import { CHANNEL } from './instances/wake'
import { RecordingLog } from './log/recording-log'
import { recorderSettings } from './log/timing'
import { recordings } from './schema'
import { adoptHub, recorderHub } from './shared-hub'
import { cancelRecording, joinRecording, type StartRecording, startRecording } from './start'
import {
  follow,
  logOf,
  pageOf,
  ScriptedRun,
  type ScriptedServer,
  scriptedServer,
  summaryOf,
  until,
  workspaceFor,
} from './testing'

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
const QUICK = {
  retryFirstMs: 20,
  retryMaxMs: 100,
  quietMs: 300,
  watchMs: 50,
  joinMs: 150,
  statusMs: [0, 20, 40],
  confirmMs: 200,
  heartbeatMinMs: 200,
}

beforeAll(async () => {
  adoptHub(recorderSettings(QUICK))
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
beforeEach(() => {
  server.onRun = () => {}
  server.intercept = () => false
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

const start = (more: Partial<StartRecording> = {}) =>
  startRecording({
    actor,
    workspace: 'tests',
    deploymentId,
    thread: { kind: 'new' },
    body: { assistant_id: 'agent', input: { n: 1 } },
    ...more,
  })
const ended = (id: string) => until(async () => (await summaryOf(id)).phase === 'ended' && summaryOf(id))
const short = (entries: LogEntry[]) =>
  entries.map((one) => (one.kind === 'event' ? `${one.event} ${one.data}` : one.kind))
const said = (run: ScriptedRun) => run.events.map(({ event, data }) => `${event} ${data}`)
const expectGapFree = (entries: LogEntry[]) =>
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))

test('a run is recorded byte by byte from its first event to its end, with the outcome that the server reports', async () => {
  const summary = await start()
  const run = server.latest()
  expect(summary).toMatchObject({
    thread: run.thread,
    run: run.id,
    phase: 'live',
    outcome: null,
    startedBy: actor.email,
  })
  expect(run.body).toMatchObject({
    stream_resumable: true,
    on_disconnect: 'continue',
    multitask_strategy: 'enqueue',
    input: { n: 1 },
  })
  run.emit('values', '{"id": 12345678901234567890, "x":1.0 }')
  for (let i = 0; i < 50; i++) run.emit('messages|a:1', [{ type: 'ai', content: `${i}` }])
  run.state = { values: { id: 1, messages: [] }, next: [], tasks: [] }
  run.finish()
  const done = await ended(summary.id)
  const log = await logOf(summary.id)
  expectGapFree(log)
  expect(short(log)).toEqual([...said(run), 'final'])
  expect(log.at(-1)).toMatchObject({ kind: 'final', outcome: 'success' })
  expect(JSON.parse((log.at(-1) as { state: string }).state)).toMatchObject({ values: { id: 1 } })
  expect(done).toMatchObject({ outcome: 'success', entries: log.length, endedAt: expect.any(String) })
  expect(run.opened).toHaveLength(1)
})

test('a run has the times of its record on the server, in its row and at the end of its log', async () => {
  const summary = await start()
  const run = server.latest()
  run.createdAt = '2026-01-01T00:00:00.100Z'
  run.updatedAt = '2026-01-01T00:00:00.532Z'
  run.finish()
  expect(await ended(summary.id)).toMatchObject({ startedAt: run.createdAt, endedAt: run.updatedAt })
  expect((await logOf(summary.id)).at(-1)).toMatchObject({
    startedAt: Date.parse(run.createdAt),
    endedAt: Date.parse(run.updatedAt),
    // The first token came by the console's clock.
    beganAt: Date.parse(summary.startedAt),
  })
})

test('a server without the mode tasks is asked again without it, on the same thread, and then never for it', async () => {
  const { id } = await insertDirectServer('tests', { name: 'older server', url: server.url })
  const asked: unknown[] = []
  server.onRun = ({ body, thread }) => {
    asked.push([thread, body.stream_mode])
    if ((body.stream_mode as string[]).includes('tasks')) throw new Error("stream_mode.4: Input should be 'values'")
  }
  const older = ['messages-tuple', 'values', 'updates', 'custom']
  const { thread } = await start({ deploymentId: id })
  server.latest().finish()
  await start({ deploymentId: id })
  server.latest().finish()
  expect(asked).toEqual([
    [thread, expect.arrayContaining(['tasks'])],
    [thread, older],
    [expect.not.stringMatching(thread ?? ''), older],
  ])
  server.onRun = () => {
    throw new Error('input.n: Input should be a string')
  }
  await expect(start()).rejects.toMatchObject({ message: 'input.n: Input should be a string' })
})

test('a server known to fail on values with subgraphs is also asked for checkpoints, which are not recorded', async () => {
  const { id } = await insertDirectServer('tests', { name: 'npm server', url: server.url })
  server.intercept = ({ url }, response) => {
    if (url !== '/info') return false
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"version":"2.0.0","context":"js"}')
    return true
  }
  const body = { assistant_id: 'agent', input: {}, stream_mode: ['values' as const] }
  await start({ deploymentId: id, body })
  expect(server.latest().body).toMatchObject({ stream_mode: ['values'] })
  const summary = await start({ deploymentId: id, body: { ...body, stream_subgraphs: true } })
  const run = server.latest()
  expect(run.body).toMatchObject({ stream_mode: ['values', 'checkpoints'] })
  run.emit('checkpoints|sub:1', { id: 'c1' })
  run.emit('values', { x: 1 })
  run.finish()
  await ended(summary.id)
  expect(short(await logOf(summary.id)).filter((line) => line.startsWith('checkpoints'))).toEqual([])
  expect(short(await logOf(summary.id))).toContain('values {"x":1}')
})

test('a run that its server rolled back but keeps as failed ends as rolled back', async () => {
  const summary = await start()
  const run = server.latest()
  run.emit('error', { error: 'Error', message: 'rollback' })
  run.finish('error')
  expect(await ended(summary.id)).toMatchObject({ outcome: 'deleted' })
})

test.each([
  ['npm 2.0.0', { error: 'Error', message: 'interrupt' }, 'error'],
  ['langhost', { error: 'UserInterrupt', message: 'An internal error occurred' }, 'interrupted'],
])('a run that another program stopped ends as cancelled on %s', async (_, error, status) => {
  const summary = await start()
  const run = server.latest()
  run.state = { values: {}, next: ['reply'], tasks: [{ id: 't', name: 'reply', error: null, interrupts: [] }] }
  run.emit('error', error)
  run.finish(status)
  expect(await ended(summary.id)).toMatchObject({ outcome: 'cancelled' })
})

test('a run that a Python server stopped without a word ends as cancelled, not at a breakpoint', async () => {
  const summary = await start()
  const run = server.latest()
  run.state = {
    values: {},
    next: ['reply'],
    tasks: [{ id: 't', name: 'reply', error: 'CancelledError()', interrupts: [] }],
  }
  run.finish('interrupted')
  expect(await ended(summary.id)).toMatchObject({ outcome: 'cancelled' })
})

test("the assistant's version is stored if it was the same before and after the start, and never guessed", async () => {
  const asked: (string | undefined)[] = []
  const tell = (versions: (number | undefined)[]) => {
    server.intercept = (request, response) => {
      if (request.method !== 'GET' || !request.url?.startsWith('/assistants/')) return false
      asked.push(request.url)
      const version = versions.shift()
      response.writeHead(version ? 200 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ assistant_id: 'agent', graph_id: 'agent', version, metadata: {} }))
      return true
    }
  }
  const versionOf = async (versions: (number | undefined)[]) => {
    tell(versions)
    const { id, assistantVersion } = await start()
    expect((await summaryOf(id)).assistantVersion).toBe(assistantVersion)
    server.latest().finish()
    await ended(id)
    return assistantVersion
  }
  expect(await versionOf([3, 3])).toBe(3)
  expect(await versionOf([3, 4])).toBeNull()
  expect(await versionOf([])).toBeNull()
  expect(asked).toHaveLength(6)
  server.intercept = () => false
})

test("credentials that a server echoes in its events are not recorded; the run's own text is", async () => {
  const summary = await start()
  const run = server.latest()
  const echoed = { 'x-api-key': 'lsv2_canary-key', langgraph_auth_user: { token: 'canary-token' } }
  run.emit('messages', [
    { type: 'ai', content: 'my token is canary-word' },
    { langgraph_node: 'model', ...echoed },
  ])
  run.emit('debug', { type: 'task', payload: { id: '1', name: 'model', config: { configurable: echoed } } })
  run.finish()
  await ended(summary.id)
  const text = JSON.stringify(await logOf(summary.id))
  expect(text).toContain('canary-word')
  expect(text).not.toMatch(/canary-(key|token)/)
})

test('a new thread is stored before its run is requested, so that a take-over finds the run', async () => {
  let isRequested = false
  server.onRun = () => {
    isRequested = true
  }
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked: Promise<void> | undefined
  server.intercept = (request, response) => {
    if (request.url !== '/threads') return false
    locked = (async () =>
      (await db()).transaction(async (own) => {
        await own.execute(sql`select from console.recordings where thread is null and phase = 'starting' for update`)
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ thread_id: 'a-new-thread', metadata: {} }))
        await held
      }))()
    return true
  }
  const starting = start()
  await until(async () => (await (await db()).execute(sql`select from pg_locks where not granted`)).rowCount)
  expect(isRequested).toBe(false)
  release()
  await locked
  const { id } = await starting
  expect((await summaryOf(id)).thread).toBe('a-new-thread')
  server.latest().finish()
  await ended(id)
})

test('a start that the server refuses leaves nothing behind and reports why', async () => {
  const before = (await pageOf()).items.length
  server.onRun = () => {
    throw new Error('Unknown graph')
  }
  await expect(start()).rejects.toMatchObject({
    view: { code: 'invalid', message: expect.stringContaining('Unknown graph') },
  })
  expect((await pageOf()).items).toHaveLength(before)
})

test('a viewer cannot start a run, and nothing is sent', async () => {
  const before = server.runs.size
  const viewer = await testActor({ tests: 'viewer' })
  await expect(start({ actor: viewer })).rejects.toMatchObject({ view: { code: 'forbidden' } })
  expect(server.runs.size).toBe(before)
})

test('a double click starts one run', async () => {
  const before = server.runs.size
  const [one, two] = await Promise.all([start({ key: 'click' }), start({ key: 'click' })])
  expect(one.id).toBe(two.id)
  expect(server.runs.size).toBe(before + 1)
  server.latest().finish()
  await ended(one.id)
})

test('a broken upstream stream resumes where it broke, without loss, duplicates or gaps', async () => {
  const { id } = await start()
  const run = server.latest()
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) run.emit('custom', { round, i })
    await until(() => run.readers.size > 0)
    run.raw('event: custom\ndata: {"half')
    await new Promise((resolve) => setTimeout(resolve, 15))
    run.cut()
    run.emit('custom', { away: round })
    await until(() => run.readers.size > 0)
  }
  run.finish()
  await ended(id)
  const log = await logOf(id)
  expectGapFree(log)
  expect(short(log)).toEqual([...said(run), 'final'])
  expect(run.opened.length).toBe(6)
})

test("a broken stream whose run has ended still gets the rest from the server's buffer", async () => {
  const { id } = await start()
  const run = server.latest()
  run.emit('custom', 1)
  await until(async () => (await summaryOf(id)).entries === 2)
  run.cut()
  run.emit('custom', 2)
  run.emit('custom', 3)
  run.status = 'success'
  await ended(id)
  expect(short(await logOf(id))).toEqual([...said(run), 'final'])
})

test('a run that cannot be replayed gets a marked gap with the state at that moment', async () => {
  server.onRun = (run) => {
    run.isResumable = false
  }
  const { id } = await start({ body: { assistant_id: 'agent', stream_resumable: false } })
  const run = server.latest()
  run.emit('custom', 1)
  await until(async () => (await summaryOf(id)).entries === 2)
  run.state = { values: { at: 'gap' }, next: ['x'], tasks: [] }
  run.cut()
  run.emit('custom', 'lost')
  await until(() => run.readers.size > 0)
  run.emit('custom', 3)
  run.finish()
  await ended(id)
  const log = await logOf(id)
  expectGapFree(log)
  expect(short(log)).toEqual([`metadata {"run_id":"${run.id}","attempt":1}`, 'custom 1', 'gap', 'custom 3', 'final'])
  expect(log[2]).toMatchObject({ kind: 'gap', reason: expect.stringContaining('broke'), since: expect.any(Number) })
  expect((log[2] as { state: string }).state).toContain('"at":"gap"')
})

test('missing heartbeats mean a dead connection; silence without heartbeats does not, but its end is noticed', async () => {
  const { id } = await start()
  const run = server.latest()
  for (let i = 0; i < 3; i++) {
    run.raw(': heartbeat\n\n')
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  run.emit('custom', 1)
  const [stuck] = run.readers
  run.readers.clear() // the run goes on, but this connection receives nothing more
  run.emit('custom', 2)
  await until(() => run.opened.length === 2)
  await until(async () => (await summaryOf(id)).entries === 3)
  // The second stream has no heartbeat, so it may stay silent until the run is over.
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(run.opened).toHaveLength(2)
  run.status = 'success'
  await ended(id)
  stuck?.destroy()
  expect(short(await logOf(id))).toEqual([...said(run), 'final'])
})

test('a 429 response is waited out; HTML and an error page are not a stream', async () => {
  const { id } = await start()
  const run = server.latest()
  const responses = [
    { status: 429, headers: { 'retry-after': '1' }, body: 'slow down' },
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>login</html>' },
    { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>bad gateway</html>' },
  ]
  const times: number[] = []
  server.intercept = (request, response) => {
    if (!request.url?.includes(`${run.id}/stream`)) return false
    times.push(Date.now())
    const next = responses.shift()
    if (!next) return false
    response.writeHead(next.status, next.headers)
    response.end(next.body)
    return true
  }
  run.cut()
  run.emit('custom', 1)
  await until(() => run.readers.size > 0)
  run.finish()
  await ended(id)
  expect(short(await logOf(id))).toEqual([...said(run), 'final'])
  expect(responses).toHaveLength(0)
  expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(990)
})

test('outcomes: an error event is an error, an open question needs input, and a missing run was deleted', async () => {
  const failed = await start()
  server.latest().emit('error', { error: 'ValueError', message: 'no' })
  server.latest().finish('error')
  expect(await ended(failed.id)).toMatchObject({ outcome: 'error' })

  const asked = await start()
  server.latest().state = {
    values: {},
    next: ['ask'],
    tasks: [{ id: '1', name: 'ask', interrupts: [{ id: 'i', value: 'ok?' }] }],
  }
  server.latest().finish('success')
  expect(await ended(asked.id)).toMatchObject({ outcome: 'waiting' })

  const gone = await start()
  const run = server.latest()
  server.runs.delete(run.id)
  run.close()
  expect(await ended(gone.id)).toMatchObject({ outcome: 'deleted' })
})

test('a cancel is sent to the server and recorded as such, whatever status the server gives', async () => {
  const { id } = await start()
  const run = server.latest()
  await cancelRecording(actor, { workspace: 'tests', recording: id }, 'interrupt')
  expect(run.cancelled).toBe('interrupt')
  expect(await ended(id)).toMatchObject({ outcome: 'cancelled' })
  const viewer = await testActor({ tests: 'viewer' })
  const other = await start()
  await expect(
    cancelRecording(viewer, { workspace: 'tests', recording: other.id }, 'interrupt'),
  ).rejects.toBeInstanceOf(AppError)
  server.latest().finish()
  await ended(other.id)
})

test('a cancel that is confirmed after the end of a run in the middle of a node is recorded as such', async () => {
  const { id } = await start()
  const run = server.latest()
  run.state = { values: {}, next: ['talk'], tasks: [{ id: '1', name: 'talk', interrupts: [] }] }
  server.intercept = (request, response) => {
    if (!request.url?.includes('/cancel')) return false
    run.finish('interrupted')
    setTimeout(() => response.writeHead(202, { 'content-type': 'application/json' }).end('{}'), QUICK.confirmMs / 10)
    return true
  }
  await cancelRecording(actor, { workspace: 'tests', recording: id }, 'interrupt')
  expect(await ended(id)).toMatchObject({ outcome: 'cancelled' })
})

test('a stateless run ends with its stream if the server keeps no record of it', async () => {
  server.onRun = (run) => {
    run.hasIds = false
  }
  server.intercept = (request, response) => {
    if (!request.url?.startsWith('/threads/tmp')) return false
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"detail":"not found"}')
    return true
  }
  const { id } = await start({ thread: { kind: 'stateless' } })
  server.latest().emit('custom', 1)
  server.latest().finish()
  expect(await ended(id)).toMatchObject({ outcome: 'success', isStateless: true })
})

test('a run started elsewhere is replayed if the server kept it, otherwise joined with the current state', async () => {
  const { id } = await start()
  const run = server.latest()
  run.emit('custom', 1)
  const again = await joinRecording({ actor, workspace: 'tests', deploymentId, thread: run.thread, run: run.id })
  expect(again.id).toBe(id) // one reader per run
  const elsewhere = async (isResumable: boolean) => {
    await start()
    const other = server.latest()
    const copy = new ScriptedRun(other.thread, `${other.id}x`)
    copy.isResumable = isResumable
    copy.events.push(...other.events)
    server.runs.set(copy.id, copy)
    other.finish()
    return copy
  }
  const kept = await elsewhere(true)
  const first = await joinRecording({ actor, workspace: 'tests', deploymentId, thread: kept.thread, run: kept.id })
  expect(first).toMatchObject({ startedBy: 'API', startedAt: '2026-01-01T00:00:00.000Z' })
  kept.finish()
  await ended(first.id)
  expect((await logOf(first.id))[0]).toMatchObject({ kind: 'event', event: 'metadata' })

  const lost = await elsewhere(false)
  lost.body = { metadata: { cron_id: 'c' } }
  const second = await joinRecording({ actor, workspace: 'tests', deploymentId, thread: lost.thread, run: lost.id })
  expect(second.startedBy).toBe('Cron')
  await until(async () => (await summaryOf(second.id)).entries === 1)
  lost.emit('custom', 'late')
  lost.finish()
  await ended(second.id)
  expect(short(await logOf(second.id))).toEqual(['joined', 'custom late', 'final'])
  run.finish()
  await ended(id)
})

test('a run that is over when it is joined is told with its end, never as running', async () => {
  await start()
  const other = server.latest()
  const copy = new ScriptedRun(other.thread, `${other.id}x`)
  copy.events.push(...other.events)
  server.runs.set(copy.id, copy)
  other.finish()
  copy.finish('error')
  const joined = await joinRecording({ actor, workspace: 'tests', deploymentId, thread: copy.thread, run: copy.id })
  expect(joined).toMatchObject({ phase: 'ended', outcome: 'error' })
})

test('a recording over its size limit stops with a notice and still gets its outcome', async () => {
  await recorderHub().stop()
  adoptHub(recorderSettings(QUICK, 5000))
  try {
    const { id } = await start()
    const run = server.latest()
    const held = await recorderHub().log(id)
    // Each is read before the next is sent: what comes in one read is recorded whole.
    for (const before = held.last; held.last < before + 6; ) {
      const { last } = held
      run.emit('custom', 'x'.repeat(1000))
      await expect.poll(() => held.last).toBeGreaterThan(last)
    }
    for (let more = 0; more < 5; more++) run.emit('custom', 'x'.repeat(1000))
    run.finish()
    await ended(id)
    const log = await logOf(id)
    expectGapFree(log)
    expect(log.filter((one) => one.kind === 'event' && one.event === 'custom')).toHaveLength(6) // five reach it, the next shows it
    expect(short(log).slice(-2)).toEqual(['gap', 'final'])
  } finally {
    await recorderHub().stop()
    adoptHub(recorderSettings(QUICK))
  }
})

test('a subscriber gets the same log from any cursor, live and afterwards', async () => {
  const { id } = await start()
  const run = server.latest()
  const got: Record<number, LogEntry[]> = { 0: [], 3: [], 10: [] }
  const stops = Object.keys(got).map((cursor) =>
    follow(
      id,
      Number(cursor),
      (entries) => void got[Number(cursor)]?.push(...entries),
      (error) => expect(error).toBeUndefined(),
    ),
  )
  for (let i = 0; i < 30; i++) {
    run.emit('custom', i)
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  run.finish()
  const { entries } = await ended(id)
  const log = await logOf(id)
  await until(() => Object.values(got).every((list) => list.at(-1)?.seq === entries))
  for (const stop of stops) stop()
  for (const [cursor, list] of Object.entries(got)) expect(list).toEqual(log.slice(Number(cursor)))
})

test('the list pages through all recordings once, newest first', async () => {
  const all = (await pageOf({ limit: 500 })).items.map(({ id }) => id)
  const paged: string[] = []
  let after: string | undefined
  do {
    const page = await pageOf({ limit: 3, after })
    paged.push(...page.items.map(({ id }) => id))
    after = page.next ?? undefined
  } while (after)
  expect(paged).toEqual(all)
  expect((await pageOf({ workspace: 'other' })).items).toEqual([])
})

test("a second instance shows the first one's recording, and continues it when the first is gone", async () => {
  const { id } = await start()
  const run = server.latest()
  run.emit('custom', 1)
  const first = recorderHub()
  await until(async () => (await summaryOf(id)).entries === 2)

  const second = adoptHub(recorderSettings(QUICK))
  expect(second).not.toBe(first)
  const seen: LogEntry[] = []
  const stop = follow(
    id,
    0,
    (entries) => void seen.push(...entries),
    (error) => expect(error).toBeUndefined(),
  )
  await until(() => seen.length === 2)
  run.emit('custom', 2)
  await until(() => seen.length === 3)
  expect(second.recorders.size).toBe(0)

  await first.stop()
  await second.claim()
  await until(() => run.readers.size === 1)
  run.emit('custom', 3)
  run.finish()
  await ended(id)
  await until(() => seen.at(-1)?.kind === 'final')
  stop()
  expectGapFree(seen)
  expect(short(seen)).toEqual([...said(run), 'final'])
})

test('many recordings of another instance are followed with few reads, to their ends', async () => {
  const first = recorderHub()
  const runs: ScriptedRun[] = []
  const ids: string[] = []
  while (ids.length < 20) {
    ids.push((await start()).id)
    runs.push(server.latest())
  }
  const second = adoptHub(recorderSettings(QUICK))
  const logs = await Promise.all(ids.map((id) => second.log(id)))
  await until(() => first.line.hasOthers)

  const ends = logs.map(({ last }) => last)
  const query = vi.spyOn((await db()).$client, 'query')
  const textOf = ([asked]: unknown[]) => (typeof asked === 'string' ? asked : (asked as { text: string }).text)
  const reads = () =>
    query.mock.calls.map(textOf).filter((text) => /select[^;]+body/.test(text) && !/insert/.test(text))
  for (let round = 1; round <= 5; round++) {
    for (const run of runs) run.emit('custom', round)
    await until(() => logs.every(({ last }, index) => last === (ends[index] ?? 0) + round))
  }
  // One after another, they took a hundred.
  expect(reads().length).toBeLessThan(50)

  for (const run of runs) run.finish()
  await until(() => logs.every(({ phase }) => phase === 'ended'))
  query.mockRestore()
  const [id = ''] = ids
  const [run] = runs
  const seen = await logOf(id)
  expectGapFree(seen)
  expect(short(seen)).toEqual([...said(run as ScriptedRun), 'final'])
  expect(logs[0]?.last).toBe(seen.length)
  await first.stop()
})

test('a log taken over during another check of the store is kept', async () => {
  const { id } = await start()
  server.latest().emit('custom', 1)
  const first = recorderHub()
  await until(async () => (await summaryOf(id)).entries === 2)
  const second = adoptHub(recorderSettings(QUICK))
  await second.log(id)

  const store = await db()
  const taken = new RecordingLog({ id, workspace: 'tests' }, [2], { phase: 'live', last: 2, totalBytes: 0 })
  await store.transaction(async (one) => {
    await one.execute(sql`lock table ${recordings} in access exclusive mode`)
    await one
      .update(recordings)
      .set({ cuts: [2] })
      .where(eq(recordings.id, id))
    await store.execute(sql`select pg_notify(${CHANNEL}, ${`0:${id}`})`)
    const looking = sql`select 1 from pg_locks where not granted and relation = 'console.recordings'::regclass`
    await until(async () => (await one.execute(looking)).rows.length > 0)
    second.hold(taken)
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(taken.isAbandoned).toBe(false)
  expect(await second.log(id)).toBe(taken)
  await first.stop()
})
