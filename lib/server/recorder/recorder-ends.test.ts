import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyEntry, createRunView, recordedFigures } from '@/lib/stream/run-view'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { type StartRecording, startRecording } from './start'
import { findRecording, summaryOf } from './store'
import { logOf, type ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

// How a recorder decides that a run is over, and what it leaves.

let console_: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string
const QUICK = { retryFirstMs: 10, retryMaxMs: 40, statusMs: [0, 10, 10], confirmMs: 30 }
const adopt = (more: Parameters<typeof recorderSettings>[0] = {}) => adoptHub(recorderSettings({ ...QUICK, ...more }))
beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
beforeEach(() => void adopt())
afterEach(async () => {
  server.onRun = () => {}
  server.intercept = () => false
  await recorderHub().stop()
})
afterAll(async () => {
  await server.close()
  await console_.close()
})

async function start(more: Partial<StartRecording> & { isResumable?: boolean } = {}) {
  const { isResumable = true, ...rest } = more
  server.onRun = (run) => {
    run.isResumable = isResumable
  }
  const body = { assistant_id: 'agent', stream_resumable: isResumable }
  const { id } = await startRecording({
    ...{ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body },
    ...rest,
  })
  return { id, run: server.latest() }
}
const ended = (id: string) => until(async () => (await findRecording(id))?.phase === 'ended' && findRecording(id))
const heard = async (id: string, entries: number) => {
  const log = await recorderHub().log(id)
  await until(() => log.last === entries)
}
const kindsOf = async (id: string) =>
  (await logOf(id)).map((one) => (one.kind === 'event' ? `${one.event} ${one.data}` : one.kind)).slice(1)
/** Answers requests for the record of a run. */
function answerRecord(run: ScriptedRun, answer: () => { status: number; value: unknown } | undefined) {
  server.intercept = (request, response) => {
    const given = request.url === `/threads/${run.thread}/runs/${run.id}` ? answer() : undefined
    if (!given) return false
    response.writeHead(given.status, { 'content-type': 'application/json' }).end(JSON.stringify(given.value))
    return true
  }
}

test('a server that notes the end of a run a little late is asked again, and the stream is not opened again', async () => {
  const { id, run } = await start()
  let isAsked = 0
  answerRecord(run, () => {
    isAsked += 1
    const record = { run_id: run.id, thread_id: run.thread, assistant_id: 'agent', metadata: {}, kwargs: {} }
    return isAsked < 3 ? { status: 200, value: { ...record, status: 'running' } } : undefined
  })
  run.emit('custom', 1)
  run.finish()
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  expect([await kindsOf(id), run.opened.length, isAsked]).toEqual([['custom 1', 'final'], 1, 3])
})

test('a reader of the last entry is told with it that the recording has ended, also if the entry is large', async () => {
  const { id, run } = await start()
  run.state = { values: { text: 'x'.repeat(200_000) }, next: [], tasks: [] }
  const log = await recorderHub().log(id)
  let told = ''
  log.subscribe(() => {
    told = `${log.last} ${log.phase}`
  })
  run.emit('custom', 1)
  run.finish()
  await ended(id)
  expect(told).toBe('3 ended')
})

test('a server that is away for too long is given up, with what was heard and why', async () => {
  await recorderHub().stop()
  adopt({ giveUpMs: 300 })
  const { id, run } = await start()
  run.emit('custom', 1)
  await heard(id, 2)
  server.intercept = (request, response) => {
    response.destroy()
    return request.url !== undefined
  }
  run.cut()
  expect(await ended(id)).toMatchObject({ outcome: 'unknown', owner: null })
  const log = await logOf(id)
  expect(log.map(({ kind }) => kind)).toEqual(['event', 'event', 'gap', 'final'])
  expect(log[3]).toMatchObject({
    reason: expect.stringMatching(/It is unknown how the run ended\..*be reached.*could not be read/s),
  })
})

test('a run that goes on is followed for a limited time only, and then left as running', async () => {
  await recorderHub().stop()
  adopt({ longestMs: 150 })
  const { id, run } = await start()
  const closing = setInterval(() => run.close(), 20)
  try {
    expect(await ended(id)).toMatchObject({ outcome: 'unknown' })
  } finally {
    clearInterval(closing)
  }
  expect((await logOf(id)).at(-1)).toMatchObject({ reason: expect.stringContaining('reports the run as running') })
})

test('a run that goes on is followed though nothing is heard of it for long', async () => {
  await recorderHub().stop()
  adopt({ giveUpMs: 50 })
  const { id, run } = await start()
  for (let round = 1; round <= 8; round++) {
    await until(() => run.readers.size > 0)
    run.close()
    await until(() => run.opened.length > round)
  }
  run.emit('custom', 1)
  run.finish()
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  expect(await kindsOf(id)).toEqual(['custom 1', 'final'])
})

test('a server that no longer has the stream of a run leaves a gap at its end', async () => {
  const { id, run } = await start()
  run.emit('custom', 1)
  await heard(id, 2)
  let refused = 0
  server.intercept = (request, response) => {
    if (!request.url?.includes(`${run.id}/stream`)) return false
    refused += 1
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"no stream"}')
    return true
  }
  run.cut()
  await until(() => refused > 1)
  run.status = 'success'
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  expect(await kindsOf(id)).toEqual(['custom 1', 'gap', 'final'])
})

test('a stateless run without a thread is joined by its id alone, and ends with its stream', async () => {
  server.intercept = (request, response) => {
    if (request.method !== 'POST' || request.url !== '/runs/stream') return false
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('id: 1\nevent: metadata\ndata: {"run_id":"alone"}\n\nid: 2\nevent: custom\ndata: 1\n\n')
    setImmediate(() => response.destroy())
    return true
  }
  const joined: unknown[] = []
  const serve = server.intercept
  server.intercept = (request, response) => {
    if (request.url?.split('?')[0] !== '/runs/alone/stream') return serve(request, response)
    joined.push(request.headers['last-event-id'])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(joined.length === 1 ? 'id: 3\nevent: custom\ndata: 2\n\n' : ': nothing more\n\n')
    return true
  }
  const { id } = await start({ thread: { kind: 'stateless' } })
  expect(await ended(id)).toMatchObject({ outcome: 'success', run: 'alone', thread: null })
  expect([await kindsOf(id), joined[0]]).toEqual([['custom 1', 'custom 2', 'final'], '2'])
})

test('a stateless run whose stream broke, and that its server does not know any more, may have ended in any way', async () => {
  const { id, run } = await start({ thread: { kind: 'stateless' } })
  await heard(id, 1)
  server.intercept = (request, response) => {
    if (!request.url?.startsWith('/threads/')) return false
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"not found"}')
    return true
  }
  run.cut()
  expect(await ended(id)).toMatchObject({ outcome: 'unknown' })
  expect(await kindsOf(id)).toEqual(['gap', 'final'])
})

describe('a run that has ended leaves in its row', () => {
  const rowAfter = async (act: (run: ScriptedRun) => void, more: Parameters<typeof start>[0] = {}) => {
    const { id, run } = await start(more)
    act(run)
    return await ended(id)
  }

  test('its error, as its stream told it or its thread has it', async () => {
    const told = await rowAfter((run) => {
      run.emit('error', { error: 'ValueError', message: 'no such tool' })
      run.finish('error')
    })
    expect(told).toMatchObject({ outcome: 'error', error: 'no such tool' })
    const kept = await rowAfter((run) => {
      run.state = {
        values: {},
        next: ['a'],
        tasks: [{ id: '1', name: 'a', error: "ValueError('no')", interrupts: [] }],
      }
      run.finish('error')
    })
    expect(kept.error).toBe("ValueError('no')")
  })

  test('what it said, from its thread or else from its stream, and its size', async () => {
    const values = (content: string) => ({ messages: [{ type: 'ai', content }] })
    const row = await rowAfter((run) => {
      run.emit('values', values('in the stream'))
      run.state = { values: values('in the thread'), next: [], tasks: [] }
      run.finish()
    })
    const log = await recorderHub().log(row.id)
    expect(row).toMatchObject({ output: 'in the thread', error: null, entries: 3, bytes: log.totalBytes, owner: null })
    const unread = await rowAfter((run) => {
      server.intercept = (request, response) => {
        if (!request.url?.endsWith('/state')) return false
        response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"no state"}')
        return true
      }
      run.emit('values', values('in the stream'))
      run.finish()
    })
    expect(unread.output).toBe('in the stream')
    const final = (await logOf(unread.id)).at(-1)
    expect(final).toMatchObject({ kind: 'final', reason: expect.stringContaining('no state') })
    expect(final).not.toHaveProperty('state')
  })

  test('what its models took, as its log tells', async () => {
    const usage_metadata = { input_tokens: 5, output_tokens: 3, total_tokens: 8 }
    const row = await rowAfter((run) => {
      run.emit('messages', [{ type: 'AIMessageChunk', id: 'm', content: 'Hi' }, { langgraph_node: 'a' }])
      run.emit('messages', [{ type: 'AIMessageChunk', id: 'm', content: '', usage_metadata }, { langgraph_node: 'a' }])
      run.finish()
    })
    expect(row.figures).toEqual({ firstTokenMs: expect.any(Number), usage: { input: 5, output: 3, total: 8 } })
    const view = createRunView()
    for (const entry of await logOf(row.id)) applyEntry(view, entry)
    expect(recordedFigures(view, summaryOf(row))).toEqual(row.figures)
    expect((await rowAfter((run) => run.finish())).figures).toEqual({ usage: { input: 0, output: 0, total: 0 } })
  })

  test('that it stopped at a breakpoint that its request asked for, not that it was cancelled', async () => {
    const outcomeAfter = async (body: object) => {
      const row = await rowAfter(
        (run) => {
          run.state = { values: {}, next: ['a'], tasks: [{ id: '1', name: 'a', interrupts: [] }] }
          run.finish('interrupted')
        },
        { body: { assistant_id: 'agent', ...body } },
      )
      return row.outcome
    }
    expect(await outcomeAfter({ interrupt_before: ['a'] })).toBe('waiting')
    expect(await outcomeAfter({ interrupt_before: [], interrupt_after: null })).toBe('interrupted')
  })
})

describe('a recorder that is stopped', () => {
  test('by a shutdown hands over what it has stored, and leaves the run alone', async () => {
    const { id, run } = await start()
    run.emit('custom', 1)
    await heard(id, 2)
    const log = await recorderHub().log(id)
    const recorder = recorderHub().recorders.get(id)
    await recorder?.stop('shutdown')
    expect(await findRecording(id)).toMatchObject({
      ...{ owner: null, phase: 'reconnecting', entries: 2, bytes: log.totalBytes, outcome: null, run: run.id },
    })
    expect([log.isAbandoned, log.stored, recorderHub().recorders.has(id), run.cancelled]).toEqual([
      ...[true, 2, false, undefined],
    ])
    await until(() => run.readers.size === 0)
    await recorder?.stop('lost')
    run.finish()
  })

  test('by another instance leaves the row to it', async () => {
    const { id, run } = await start()
    await heard(id, 1)
    await until(async () => (await findRecording(id))?.phase === 'live')
    await recorderHub().recorders.get(id)?.stop('lost')
    expect(await findRecording(id)).toMatchObject({ owner: recorderHub().instance, phase: 'live' })
    expect(recorderHub().recorders.has(id)).toBe(false)
    run.finish()
  })

  test('while it waits for its server stops at once', async () => {
    await recorderHub().stop()
    adopt({ retryFirstMs: 60_000, retryMaxMs: 60_000 })
    const { id, run } = await start()
    await heard(id, 1)
    const log = await recorderHub().log(id)
    run.close()
    await until(() => log.phase === 'reconnecting')
    await recorderHub().recorders.get(id)?.stop('shutdown')
    expect(await findRecording(id)).toMatchObject({ owner: null, phase: 'reconnecting' })
    run.finish()
  })
})

test('a recorder that is told of a change looks at its run at once', async () => {
  await recorderHub().stop()
  adopt({ retryFirstMs: 60_000, retryMaxMs: 60_000 })
  const { id, run } = await start()
  await heard(id, 1)
  const log = await recorderHub().log(id)
  run.close()
  await until(() => log.phase === 'reconnecting')
  run.status = 'success'
  recorderHub().recorders.get(id)?.poke()
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
})
