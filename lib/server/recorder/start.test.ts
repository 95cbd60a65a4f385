import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Actor } from '../access/actor'
import { insertDirectServer } from '../access/direct-servers'
import { db } from '../process/db'
import { noteOutside } from '../process/outside'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { type RunBody, type StartRecording, startRecording } from './start'
import { findRecording } from './store'
import { logOf, pageOf, ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
beforeAll(async () => {
  adoptHub(recorderSettings({ retryFirstMs: 20, retryMaxMs: 100, statusMs: [0, 20], confirmMs: 50, idsMs: 400 }))
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
afterEach(() => {
  server.onRun = () => {}
  server.intercept = () => false
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

const start = (more: Partial<StartRecording> = {}) =>
  startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body: body(), ...more })
const body = (more: Partial<RunBody> = {}): RunBody => ({ assistant_id: 'agent', ...more })
const textOf = async (request: IncomingMessage) => {
  let text = ''
  for await (const part of request) text += part
  return text
}
/** Its row, once the store has the run's id. */
const named = (id: string) =>
  until(async () => {
    const row = await findRecording(id)
    return row?.run ? row : undefined
  })
const textIn = (asked: unknown) => (typeof asked === 'string' ? asked : (asked as { text: string }).text)
const count = async () => (await pageOf({ limit: 500 })).items.length

test('what a start asks for is sent as it was asked for, with the key by which the run is found again', async () => {
  const asked = body({
    stream_mode: ['values', 'custom'],
    stream_resumable: false,
    on_disconnect: 'cancel',
    multitask_strategy: 'reject',
    metadata: { own: 'words' },
  })
  const { id } = await start({ body: asked })
  const run = server.latest()
  expect(run.body).toEqual({ ...asked, metadata: { own: 'words', pilothouse_recording: id } })
  expect(await findRecording(id)).toMatchObject({ isResumable: false, isStateless: false, idempotencyKey: null })
  run.finish()
})

test('a start on an existing thread makes no other thread, and one mode needs no list', async () => {
  const requests: (string | undefined)[] = []
  server.intercept = ({ url, method }) => {
    if (method === 'POST') requests.push(url)
    return false
  }
  const { id, thread } = await start({
    thread: { kind: 'existing', id: 'mine' },
    body: body({ stream_mode: 'values' }),
  })
  expect(requests).toEqual(['/threads/mine/runs/stream'])
  expect([thread, server.latest().thread, server.latest().body.stream_mode]).toEqual(['mine', 'mine', ['values']])
  expect(await named(id)).toMatchObject({ thread: 'mine', run: server.latest().id, isResumable: true })
  server.latest().finish()
})

test('a stateless start has no thread of its own and waits for none', async () => {
  const { id, isStateless } = await start({ thread: { kind: 'stateless' } })
  const run = server.latest()
  expect(isStateless).toBe(true)
  expect(run.body).not.toHaveProperty('multitask_strategy')
  // The server names the thread that it made for it.
  expect(await named(id)).toMatchObject({ thread: run.thread, run: run.id, isStateless: true })
  run.finish()
})

test('what records a run keeps nothing of the request that started it', async () => {
  noteOutside()
  const requests = new AsyncLocalStorage<string>()
  const { id } = await requests.run('the request', () => start())
  const log = await recorderHub().log(id)
  const seen: (string | undefined)[] = []
  log.subscribe(() => seen.push(requests.getStore()))
  server.latest().emit('custom', '1')
  await until(() => seen.length > 0)
  server.latest().finish()
  await until(() => log.phase === 'ended')
  expect(new Set(seen)).toEqual(new Set([undefined]))
})

test('the request is kept without its credentials', async () => {
  const { id, request } = await start({
    body: body({
      input: { say: 'hello' },
      config: { configurable: { 'x-api-key': 'a-key-of-many-letters' } } as never,
    }),
  })
  expect(JSON.parse(request)).toMatchObject({ assistant_id: 'agent', input: { say: 'hello' } })
  expect(JSON.stringify(server.latest().body)).toContain('a-key-of-many-letters')
  expect([request, (await findRecording(id))?.request].join()).not.toContain('a-key-of-many-letters')
  server.latest().finish()
})

test('a key counts for one person; without one each start is a new run', async () => {
  const other = await testActor({ tests: 'developer' })
  const first = await start({ key: 'k' })
  const started = [first.id]
  for (const more of [{ key: 'k', actor: other }, { key: 'l' }, {}, {}]) started.push((await start(more)).id)
  expect(new Set(started).size).toBe(5)
  const again = await start({ key: 'k' })
  expect([again.id, again.startedBy, again.run]).toEqual([first.id, actor.email, first.run])
  for (const run of server.runs.values()) run.finish()
})

test('a repeat of a start that fails is told so, and may try again', async () => {
  let refuse = () => {}
  const sent = new Promise<void>((resolve) => {
    server.intercept = (request, response) => {
      if (!request.url?.endsWith('/runs/stream')) return false
      refuse = () =>
        void response.writeHead(422, { 'content-type': 'application/json' }).end('{"detail":"No such graph"}')
      resolve()
      return true
    }
  })
  const before = await count()
  const first = start({ key: 'twice' }).catch((error: unknown) => error)
  await sent
  const query = vi.spyOn((await db()).$client, 'query')
  const repeat = start({ key: 'twice' }).catch((error: unknown) => error)
  const looks = () => query.mock.calls.filter(([asked]) => /^select.*"idempotency_key" = /.test(textIn(asked)))
  await until(() => looks().length > 1)
  query.mockRestore()
  refuse()
  expect(await first).toMatchObject({ code: 'invalid' })
  expect(await repeat).toMatchObject({ code: 'conflict', message: expect.stringContaining('failed. Try again') })
  expect(await count()).toBe(before)
  server.intercept = () => false
  expect((await start({ key: 'twice' })).phase).toBe('live')
  server.latest().finish()
})

test('a repeat of a start whose run has no name yet waits for it only so long', async () => {
  server.intercept = (request, response) => {
    if (!request.url?.endsWith('/runs/stream')) return false
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
    return true
  }
  const [first, repeat] = await Promise.all([start({ key: 'unnamed' }), start({ key: 'unnamed' })])
  expect(repeat.id).toBe(first.id)
  expect([first.run, repeat.run]).toEqual([null, null])
  await recorderHub().recorders.get(first.id)?.stop('lost')
})

test('a repeat of a start that its server does not answer is told that it is starting', async () => {
  let refuse = () => {}
  const sent = new Promise<void>((resolve) => {
    server.intercept = (request, response) => {
      if (!request.url?.endsWith('/runs/stream')) return false
      refuse = () => void response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"late"}')
      resolve()
      return true
    }
  })
  const first = start({ key: 'silent' }).catch((error: unknown) => error)
  await sent
  expect(await start({ key: 'silent' })).toMatchObject({ phase: 'starting', run: null })
  refuse()
  expect(await first).toMatchObject({ code: 'upstream_failed' })
})

test('a run whose server took the request and lost the response is found by its key, and not started again', async () => {
  let requests = 0
  let made!: ScriptedRun
  server.intercept = (request, response) => {
    const [, thread] = /^\/threads\/([^/]+)\/runs\/stream$/.exec(request.url ?? '') ?? []
    if (!thread) return false
    requests++
    void (async () => {
      const other = new ScriptedRun(thread, 'of-somebody')
      other.body = { metadata: { pilothouse_recording: 'another' } }
      made = new ScriptedRun(thread, 'made')
      made.body = JSON.parse(await textOf(request))
      for (const run of [other, made]) server.runs.set(run.id, run)
      made.emit('metadata', { run_id: made.id })
      made.emit('custom', 'first')
      response.destroy()
    })()
    return true
  }
  const { id, run, thread } = await start()
  expect([run, thread, requests, made.opened]).toEqual(['made', made.thread, 1, ['-1']])
  made.finish()
  await until(async () => (await findRecording(id))?.phase === 'ended')
  expect((await logOf(id)).map((one) => (one.kind === 'event' ? one.data : one.kind))).toEqual([
    ...['{"run_id":"made"}', 'first', 'final'],
  ])
})

test('a refusal is not taken for a lost response, whatever runs the thread has', async () => {
  const lists: string[] = []
  server.intercept = (request, response) => {
    if (request.method === 'GET' && request.url?.endsWith('/runs')) lists.push(request.url)
    if (!request.url?.endsWith('/runs/stream')) return false
    response.writeHead(409, { 'content-type': 'application/json' }).end('{"detail":"The thread is busy"}')
    return true
  }
  await expect(start()).rejects.toMatchObject({ code: 'conflict' })
  expect(lists).toEqual([])
})

test('a deployment that does not exist fails as such and leaves no recording', async () => {
  const before = await count()
  await expect(start({ deploymentId: crypto.randomUUID() })).rejects.toMatchObject({ code: 'not_found' })
  const { id } = await insertDirectServer('tests', { name: 'away', url: 'http://127.0.0.1:9' })
  await expect(start({ deploymentId: id })).rejects.toMatchObject({ code: 'upstream_unreachable' })
  expect(await count()).toBe(before)
  expect(recorderHub().recorders.size).toBe(0)
})

test('a start that a shutdown cuts off is left to the next instance, because its run may have begun', async () => {
  const shared = globalThis as { pilothouseShutdown?: AbortController }
  const before = shared.pilothouseShutdown
  let id = ''
  server.onRun = (run) => {
    id = String((run.body.metadata as Record<string, unknown>).pilothouse_recording)
    const stopping = new AbortController()
    stopping.abort()
    shared.pilothouseShutdown = stopping
    throw new Error('stopping')
  }
  try {
    await expect(start()).rejects.toMatchObject({ code: 'invalid' })
  } finally {
    shared.pilothouseShutdown = before
  }
  expect(await findRecording(id)).toMatchObject({ owner: null, phase: 'starting', thread: expect.any(String) })
  expect(recorderHub().recorders.has(id)).toBe(false)
  await (await db()).execute(sql`delete from console.recordings where id = ${id}`)
})

test.each([
  [
    'the store did not take its thread',
    'alter table console.recordings add constraint none check (thread is null) not valid',
  ],
  ['another instance has taken it over', `update console.recordings set owner = 1 where phase = 'starting'`],
])('a start sends no run if %s: after a crash, nobody would find it', async (_, statement) => {
  const before = [server.runs.size, await count()]
  server.intercept = ({ method, url }, response) => {
    if (method !== 'POST' || url !== '/threads') return false
    void db()
      .then((store) => store.execute(sql.raw(statement)))
      .then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"thread_id":"unstored"}'))
    return true
  }
  try {
    await expect(start()).rejects.toThrow('Nothing was started')
    expect([server.runs.size, await count()]).toEqual(before)
  } finally {
    await (await db()).execute(sql`alter table console.recordings drop constraint if exists none`)
  }
})
