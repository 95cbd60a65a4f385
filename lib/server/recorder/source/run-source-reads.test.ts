import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Run } from '@/lib/contracts/agents/runs'
import { type TestConsole, testConsole } from '../../testing'
import { ScriptedRun, type ScriptedServer, scriptedServer, workspaceFor } from '../testing'
import { askRun, findRunByKey, openRun, type RunPlace, readState } from './run-source'

let console_: TestConsole
let server: ScriptedServer
let place: RunPlace
let run: ScriptedRun
beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  const deploymentId = await workspaceFor(server.url)
  run = new ScriptedRun('t', 'r')
  server.runs.set(run.id, run)
  place = { workspace: 'tests', deploymentId, thread: 't', run: 'r', isStateless: false }
})
afterEach(() => {
  server.intercept = () => false
})
afterAll(async () => {
  await server.close()
  await console_.close()
})

/** Answers requests whose address ends so, and notes their bodies. */
function answer(end: string, status: number, value: unknown): unknown[] {
  const bodies: unknown[] = []
  const before = server.intercept
  server.intercept = (request, response) => {
    if (!request.url?.split('?')[0]?.endsWith(end)) return before(request, response)
    void (async () => {
      let text = ''
      for await (const part of request) text += part
      bodies.push(text && JSON.parse(text))
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof value === 'string' ? value : JSON.stringify(value))
    })()
    return true
  }
  return bodies
}

test('a run is asked for its status; one that is gone is told from one that cannot be asked', async () => {
  expect(await askRun(place)).toMatchObject({ kind: 'run', status: 'running', run: { run_id: 'r' } })
  expect(await askRun({ ...place, run: 'nobody' })).toEqual({ kind: 'gone' })
  answer('/runs/r', 500, { detail: 'boom' })
  expect(await askRun(place)).toMatchObject({ kind: 'failed', error: { code: 'upstream_failed' } })
})

describe('the state that a run left', () => {
  const ended = { run_id: 'r', created_at: '2026-01-01T00:00:01Z', updated_at: '2026-01-01T00:00:05Z' } as Run
  const state = (run_id: string, second: number) => ({
    ...{ values: { of: run_id }, next: [], tasks: [], metadata: { run_id } },
    created_at: `2026-01-01T00:00:0${second}Z`,
  })

  test('is the current one, as its text, if no later run wrote it', async () => {
    const histories = answer('/history', 200, [state('r', 4)])
    for (const current of [state('r', 4), state('before', 0)]) {
      answer('/state', 200, current)
      const { text, value, reason } = await readState(place, undefined, ended)
      expect([JSON.parse(text ?? ''), value, reason]).toMatchObject([current, current, undefined])
    }
    answer('/state', 200, state('next', 7))
    expect((await readState(place)).value).toMatchObject({ values: { of: 'next' } })
    expect(histories).toEqual([])
  })

  test('is looked for in the history if a later run wrote the current one', async () => {
    answer('/state', 200, state('next', 7))
    const histories = answer('/history', 200, [state('r', 4)])
    expect((await readState(place, undefined, ended)).value).toMatchObject({ values: { of: 'r' } })
    expect(histories).toMatchObject([{ limit: 1, metadata: { run_id: 'r' } }])
  })

  test.each([
    ['has none of it', []],
    ['returns any', [state('other', 3)]],
    ['returns one of nobody', [{ ...state('r', 3), metadata: null }]],
  ])('is not known if the history %s', async (_, history) => {
    answer('/state', 200, state('next', 7))
    answer('/history', 200, history)
    const { text, value, reason } = await readState(place, undefined, ended)
    expect([text, value, reason]).toEqual([undefined, undefined, expect.stringContaining('next run had begun')])
  })

  test('is said to be unreadable, except that of a stateless run, whose thread goes with it', async () => {
    answer('/state', 404, { detail: 'Thread not found' })
    expect(await readState(place)).toEqual({ reason: expect.stringContaining('could not be read: Thread not found') })
    expect(await readState({ ...place, isStateless: true })).toEqual({})
    answer('/state', 500, { detail: 'boom' })
    expect((await readState({ ...place, isStateless: true })).reason).toContain('boom')
  })

  test('is not kept if it is too large, but can be looked at', async () => {
    answer('/state', 200, { values: { long: 'x'.repeat(64 * 1024 * 1024) }, next: ['a'], tasks: [] })
    const { text, value, reason } = await readState(place)
    expect([text, value?.next, reason]).toEqual([undefined, ['a'], expect.stringContaining('too large')])
  })
})

test('a run is found by its key among those of its thread', async () => {
  answer('/threads/t/runs', 200, [
    { run_id: 'one', thread_id: 't', status: 'running', metadata: {} },
    { run_id: 'two', thread_id: 't', status: 'running', metadata: { pilothouse_recording: 'other' } },
    { run_id: 'three', thread_id: 't', status: 'running', metadata: { pilothouse_recording: 'key' } },
  ])
  expect(await findRunByKey(place, 'key')).toBe('three')
  expect(await findRunByKey(place, 'none')).toBeUndefined()
})

test.each<[string, Partial<RunPlace>, string, string | undefined]>([
  ['on its thread', {}, '/threads/t/runs/r/stream', '5'],
  ['of a stateless run, whose thread may go', { isStateless: true }, '/runs/r/stream', '5'],
  ['without a known thread', { thread: null }, '/runs/r/stream', undefined],
])('the stream %s is opened where the server has it', async (_, more, url, lastEventId) => {
  const asked: unknown[] = []
  server.intercept = (request, response) => {
    asked.push([request.url?.split('?')[0], request.headers['last-event-id']])
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': open\n\n')
    return true
  }
  const { body } = await openRun({ ...place, ...more }, { lastEventId })
  await body.cancel()
  expect(asked).toEqual([[url, lastEventId]])
})
