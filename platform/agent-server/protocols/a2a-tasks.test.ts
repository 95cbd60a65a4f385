import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'
import { contextOf, threadOf } from './a2a-tasks'
import type { Any } from './testing'

/** Runs as tasks: every run of an assistant is one, however it was started. */

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const rpc = async (assistant: string, method: string, params: object): Promise<Any> =>
  (await server.post(`/a2a/${assistant}`, { jsonrpc: '2.0', id: 1, method, params })).json
const get = async (assistant: string, id: string, more: object = {}) =>
  (await rpc(assistant, 'GetTask', { id, ...more })).result
const stateOf = async (assistant: string, id: string) => (await get(assistant, id)).status.state
const textOf = (message: Any) => message.parts.map((part: Any) => part.text ?? part.data)
/** Starts a run on a thread and waits for its end; its id. */
async function run(thread: string, assistant_id: string, input: unknown, more: object = {}): Promise<string> {
  const { json } = await server.post(`/threads/${thread}/runs`, { assistant_id, input, ...more })
  await server.get(`/threads/${thread}/runs/${json.run_id}/join`)
  return json.run_id
}

test('a context is a thread: one by its id, one of another name by a name of its own', () => {
  const id = '0C0FFEE0-0000-4000-8000-000000000001'
  expect([threadOf(id), threadOf('mine')]).toEqual([id.toLowerCase(), threadOf('mine')])
  expect(threadOf('mine')).toMatch(/^[0-9a-f-]{36}$/)
  expect(threadOf('yours')).not.toBe(threadOf('mine'))
  const thread_id = 't'
  expect(contextOf({ metadata: { a2a_context_id: 'mine' }, thread_id })).toBe('mine')
  for (const metadata of [{}, { a2a_context_id: 7 }]) expect(contextOf({ metadata, thread_id })).toBe('t')
})

describe('the task of a run', () => {
  test('has its conversation, as much of it as is asked for, and its result only once it is complete', async () => {
    const thread = await server.newThread()
    const id = await run(thread, 'chat', { messages: [{ role: 'user', content: 'hi' }] })
    const task = await get('chat', id.toUpperCase())
    expect([task.id, task.contextId, task.history.map(textOf)]).toEqual([id, thread, [['hi'], ['You said: hi']]])
    expect(task.artifacts).toHaveLength(1)
    expect(task.status).toEqual({ state: 'TASK_STATE_COMPLETED', timestamp: expect.any(String) })
    const lengths = await Promise.all(
      [0, 1, 2, 9].map(async (historyLength) => (await get('chat', id, { historyLength })).history?.map(textOf) ?? []),
    )
    expect(lengths).toEqual([[], [['You said: hi']], [['hi'], ['You said: hi']], [['hi'], ['You said: hi']]])
  })

  test('keeps its own result when others follow on its thread', async () => {
    const thread = await server.newThread()
    const ids: string[] = []
    for (const content of ['one', 'two']) ids.push(await run(thread, 'chat', { messages: [{ role: 'user', content }] }))
    const [first, second] = await Promise.all(ids.map((id) => get('chat', id)))
    expect(textOf(first.artifacts[0])).toEqual(['You said: one'])
    expect(first.history.map(textOf)).toEqual([['one'], ['You said: one']])
    expect(textOf(second.artifacts[0])).toEqual(['You said: two'])
    expect(second.history).toHaveLength(4)
  })

  test('fails with the reason, and has no result', async () => {
    const task = await get('failing', await run(await server.newThread(), 'failing', {}))
    expect([task.status.state, textOf(task.status.message), task.artifacts ?? []]).toEqual([
      'TASK_STATE_FAILED',
      ['NoLuck: It was not to be.'],
      [],
    ])
  })

  test('needs input at a question and at a breakpoint, until another run goes on', async () => {
    const [thread, other] = [await server.newThread(), await server.newThread()]
    const asked = await run(thread, 'approval', { topic: 'rain' })
    const { status } = await get('approval', asked)
    expect([status.state, textOf(status.message)]).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      [{ question: 'Send it?', draft: 'About rain' }],
    ])
    const stopped = await run(other, 'approval', { topic: 'rain' }, { interrupt_before: ['review'] })
    const { status: waiting } = await get('approval', stopped)
    expect([waiting.state, textOf(waiting.message)]).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      ['The agent waits before its next step.'],
    ])
    const next = await run(thread, 'approval', undefined, { command: { resume: 'yes' } })
    expect([await stateOf('approval', asked), await stateOf('approval', next)]).toEqual([
      'TASK_STATE_CANCELED',
      'TASK_STATE_COMPLETED',
    ])
  })

  test('is submitted while it is queued, and cancelled if it never begins', async () => {
    const thread = await server.newThread()
    const start = async () =>
      (await server.post(`/threads/${thread}/runs`, { assistant_id: 'counter', input: { until: 2, delay: 60_000 } }))
        .json.run_id
    const [running, queued] = [await start(), await start()]
    await server.until(thread, running, 'running')
    expect([await stateOf('counter', running), await stateOf('counter', queued)]).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_SUBMITTED',
    ])
    for (const id of [queued, running]) {
      const { error, result } = await rpc('counter', 'CancelTask', { id })
      expect([error, result?.status.state]).toEqual([undefined, 'TASK_STATE_CANCELED'])
    }
    expect(await stateOf('counter', queued)).toBe('TASK_STATE_CANCELED')
  })

  test('is not one of another assistant', async () => {
    const id = await run(await server.newThread(), 'counter', { until: 1 })
    expect(await stateOf('counter', id)).toBe('TASK_STATE_COMPLETED')
    expect((await rpc('chat', 'GetTask', { id })).error.code).toBe(-32001)
    expect((await rpc('counter', 'GetTask', { id: randomUUID() })).error.code).toBe(-32001)
  })
})

describe('the list of tasks', () => {
  test('is of one context, newest change first, and tells where its next page begins', async () => {
    const thread = await server.newThread()
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.unshift(await run(thread, 'counter', { until: 1 }))
    const list = async (more: object): Promise<Any> =>
      (await rpc('counter', 'ListTasks', { contextId: thread.toUpperCase(), ...more })).result
    const idsOf = ({ tasks = [] }: Any) => tasks.map(({ id }: Any) => id)
    const exact = await list({ pageSize: 3 })
    expect([idsOf(exact), exact.nextPageToken ?? '', exact.totalSize]).toEqual([ids, '', 3])
    const pages: string[][] = []
    for (let pageToken = ''; pages.length < 4; ) {
      const page = await list({ pageSize: 2, pageToken })
      pages.push(idsOf(page))
      pageToken = page.nextPageToken
      if (!pageToken) break
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)])
    expect(exact.tasks[0].status).not.toHaveProperty('total')
    const changed = exact.tasks[1].status.timestamp
    expect(idsOf(await list({ statusTimestampAfter: changed })).slice(0, 1)).toEqual([ids[0]])
    expect(idsOf(await list({ statusTimestampAfter: '2999-01-01T00:00:00Z' }))).toEqual([])
    expect(idsOf(await list({ status: 'TASK_STATE_WORKING' }))).toEqual([])
    expect(idsOf(await list({ status: 'TASK_STATE_COMPLETED' }))).toEqual(ids)
    expect((await list({ pageSize: 1, status: 'TASK_STATE_COMPLETED' })).totalSize).toBe(3)
  })

  test('has a task once that needed several runs', async () => {
    const send = async (part: object, more: object = {}) =>
      (
        await rpc('approval', 'SendMessage', {
          message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [part], ...more },
        })
      ).result.task
    const asked = await send({ data: { topic: 'x' } })
    const place = { taskId: asked.id, contextId: asked.contextId }
    await send({ text: 'yes' }, place)
    const { tasks, totalSize } = (await rpc('approval', 'ListTasks', { contextId: asked.contextId })).result
    expect([tasks.map(({ id, status }: Any) => [id, status.state]), totalSize]).toEqual([
      [[asked.id, 'TASK_STATE_COMPLETED']],
      1,
    ])
  })
})
