import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../access/actor'
import { insertWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { cancelRecording, joinRecording, startRecording } from './start'
import { findRecording, insertRecording } from './store'
import { logOf, pageOf, ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
const QUICK = { retryFirstMs: 20, retryMaxMs: 100, statusMs: [0, 20], confirmMs: 50, joinMs: 50 }
beforeAll(async () => {
  adoptHub(recorderSettings(QUICK))
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  await insertWorkspace({ kind: 'direct', slug: 'other', name: 'Other', dialect: 'graph', allowedOrigins: [] })
  actor = await testActor({ tests: 'developer', other: 'developer' })
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

const ended = (id: string) => until(async () => (await findRecording(id))?.phase === 'ended' && findRecording(id))
const kindsOf = async (id: string) =>
  (await logOf(id)).map((one) => (one.kind === 'event' ? `${one.event} ${one.data}` : one.kind))

describe('a run that was started elsewhere', () => {
  let made = 0
  const elsewhere = (status = 'running') => {
    made += 1
    const run = new ScriptedRun(`thread-${made}`, `run-${made}`)
    run.status = status
    server.runs.set(run.id, run)
    return run
  }
  const join = (run: ScriptedRun, who = actor) =>
    joinRecording({ actor: who, workspace: 'tests', deploymentId, thread: run.thread, run: run.id })

  test('is recorded as what it is, without credentials, and once however often it is joined', async () => {
    const run = elsewhere()
    const kwargs = { stream_resumable: true, config: { configurable: { 'x-api-key': 'a-key-of-many-letters' } } }
    server.intercept = (request, response) => {
      if (request.url !== `/threads/${run.thread}/runs/${run.id}`) return false
      const record = {
        run_id: run.id,
        thread_id: run.thread,
        assistant_id: 'agent',
        created_at: '2026-03-04T05:06:07Z',
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...record, status: run.status, metadata: { own: 'words' }, kwargs }))
      return true
    }
    const joined = await join(run)
    expect(joined).toMatchObject({
      ...{ thread: run.thread, run: run.id, assistant: 'agent', startedBy: 'API', phase: 'live', isStateless: false },
      startedAt: '2026-03-04T05:06:07.000Z',
    })
    expect(joined.request).toContain('"own":"words"')
    expect(joined.request).not.toContain('a-key-of-many-letters')
    expect(await findRecording(joined.id)).toMatchObject({ isResumable: true, owner: recorderHub().instance })
    expect((await join(run)).id).toBe(joined.id)
    expect(run.opened).toEqual(['-1'])
    run.finish()
    await ended(joined.id)
    expect((await join(run)).id).toBe(joined.id)
  })

  test('cannot be recorded by somebody who may not read runs, nor if it does not exist', async () => {
    const run = elsewhere()
    const before = (await pageOf()).items.length
    const stranger = await testActor({ other: 'admin' })
    await expect(join(run, stranger)).rejects.toMatchObject({ code: 'not_found' })
    await expect(join(new ScriptedRun(run.thread, 'nobody'))).rejects.toMatchObject({ code: 'not_found' })
    expect([(await pageOf()).items.length, run.opened]).toEqual([before, []])
  })

  test('leaves nothing behind if its stream cannot be opened, and can be joined later', async () => {
    const run = elsewhere()
    const before = (await pageOf()).items.length
    server.intercept = (request, response) => {
      if (!request.url?.endsWith('/stream')) return false
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"no"}')
      return true
    }
    await expect(join(run)).rejects.toMatchObject({ code: 'upstream_failed' })
    expect([(await pageOf()).items.length, recorderHub().recorders.size]).toEqual([before, 0])
    server.intercept = () => false
    const { id } = await join(run)
    run.finish()
    await ended(id)
  })

  test('and has not begun yet has no state to begin with, however long that takes', async () => {
    const run = elsewhere('pending')
    run.isResumable = false
    const { id } = await join(run)
    // Another one, joined later, is told that nothing came: so the first one's time has passed too.
    const later = elsewhere()
    later.isResumable = false
    const log = await recorderHub().log((await join(later)).id)
    await until(() => log.last === 1)
    later.finish()
    run.emit('metadata', { run_id: run.id })
    run.finish()
    expect(await ended(id)).toMatchObject({ outcome: 'success' })
    expect(await kindsOf(id)).toEqual([`metadata {"run_id":"${run.id}"}`, 'final'])
  })

  test('and that its server replays although nobody asked it to keep it loses nothing in a break', async () => {
    const run = elsewhere()
    run.emit('metadata', { run_id: run.id })
    server.intercept = (request, response) => {
      if (request.url !== `/threads/${run.thread}/runs/${run.id}`) return false
      const record = { run_id: run.id, thread_id: run.thread, assistant_id: 'agent', metadata: {}, kwargs: {} }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...record, status: run.status }))
      return true
    }
    const { id } = await join(run)
    expect((await findRecording(id))?.isResumable).toBe(false)
    const log = await recorderHub().log(id)
    await until(() => log.last === 1)
    run.cut()
    run.emit('custom', 'meanwhile')
    await until(() => run.opened.length === 2)
    run.finish()
    await ended(id)
    expect(await kindsOf(id)).toEqual([`metadata {"run_id":"${run.id}"}`, 'custom meanwhile', 'final'])
  })

  test('and is in progress begins with the state of that moment if nothing comes', async () => {
    const run = elsewhere()
    run.isResumable = false
    run.state = { values: { at: 'joined' }, next: ['a'], tasks: [] }
    const { id } = await join(run)
    const log = await recorderHub().log(id)
    await until(() => log.last === 1)
    expect((await logOf(id))[0]).toMatchObject({ kind: 'joined', state: expect.stringContaining('"at":"joined"') })
    run.finish()
    await ended(id)
  })
})

describe('a cancel', () => {
  const start = (thread: Parameters<typeof startRecording>[0]['thread'] = { kind: 'new' }) =>
    startRecording({ actor, workspace: 'tests', deploymentId, thread, body: { assistant_id: 'agent' } })
  const cancel = (recording: string, workspace = 'tests', who = actor) =>
    cancelRecording(who, { workspace, recording }, 'interrupt')

  test('with a rollback is sent as one, and its time is stored', async () => {
    const { id } = await start()
    const run = server.latest()
    await cancelRecording(actor, { workspace: 'tests', recording: id }, 'rollback')
    expect(run.cancelled).toBe('rollback')
    expect((await ended(id)).cancelledAt).toBeInstanceOf(Date)
  })

  test('is refused for a recording of another workspace, for an unknown one, and to those who may not cancel', async () => {
    const { id } = await start()
    const run = server.latest()
    for (const [recording, workspace] of [
      [id, 'other'],
      [randomUUID(), 'tests'],
      ['no id', 'tests'],
    ] as const)
      await expect(cancel(recording, workspace)).rejects.toMatchObject({ code: 'not_found' })
    const viewer = await testActor({ tests: 'viewer' })
    // Whether it exists is not for them.
    for (const recording of [id, randomUUID()])
      await expect(cancel(recording, 'tests', viewer)).rejects.toMatchObject({ code: 'forbidden' })
    expect([run.cancelled, (await findRecording(id))?.cancelledAt]).toEqual([undefined, null])
    run.finish()
    await ended(id)
  })

  test('that the server refuses is not stored', async () => {
    const { id } = await start()
    const run = server.latest()
    server.intercept = (request, response) => {
      if (!request.url?.includes('/cancel')) return false
      response.writeHead(409, { 'content-type': 'application/json' }).end('{"detail":"Too late"}')
      return true
    }
    await expect(cancel(id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('Too late') })
    expect((await findRecording(id))?.cancelledAt).toBeNull()
    run.finish()
    expect(await ended(id)).toMatchObject({ outcome: 'success' })
  })

  test('shows at once, though its recorder waits before it looks again', async () => {
    await recorderHub().stop()
    adoptHub(recorderSettings({ ...QUICK, retryFirstMs: 60_000, retryMaxMs: 60_000 }))
    try {
      const { id } = await start()
      const log = await recorderHub().log(id)
      await until(() => log.last === 1)
      server.latest().close()
      await until(() => log.phase === 'reconnecting')
      await cancel(id)
      expect(await ended(id)).toMatchObject({ outcome: 'cancelled' })
    } finally {
      await recorderHub().stop()
      adoptHub(recorderSettings(QUICK))
    }
  })

  test('of a run that another instance records is sent too', async () => {
    const run = new ScriptedRun('elsewhere', 'run-elsewhere')
    server.runs.set(run.id, run)
    const id = randomUUID()
    const row = {
      id,
      workspace: 'tests',
      deployment: deploymentId,
      assistant: 'agent',
      startedBy: 'ada',
      request: '{}',
    }
    await insertRecording({
      ...{ ...row, thread: run.thread, run: run.id, isStateless: false, isResumable: true },
      owner: recorderHub().instance,
    })
    await cancel(id)
    expect([run.cancelled, (await findRecording(id))?.cancelledAt]).toEqual(['interrupt', expect.any(Date)])
  })

  test('needs the ids of the run, which not every server tells', async () => {
    const opened = (events: string) => {
      server.intercept = (request, response) => {
        if (!request.url?.endsWith('/runs/stream')) return false
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`: open\n\n${events}`)
        return true
      }
    }
    await recorderHub().stop()
    adoptHub(recorderSettings({ ...QUICK, idsMs: 50 }))
    try {
      opened('')
      const unnamed = await start()
      await expect(cancel(unnamed.id)).rejects.toMatchObject({ code: 'conflict' })
      opened('event: metadata\ndata: {"run_id":"r"}\n\n')
      const stateless = await start({ kind: 'stateless' })
      await until(() => recorderHub().recorders.get(stateless.id)?.place.run)
      await expect(cancel(stateless.id)).rejects.toMatchObject({ code: 'unsupported' })
    } finally {
      await Promise.all([...recorderHub().recorders.values()].map((one) => one.stop('lost')))
      await recorderHub().stop()
      adoptHub(recorderSettings(QUICK))
    }
  })
})
