import { randomUUID } from 'node:crypto'
import { Message, type Part, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import {
  type Client as A2aClient,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, Client, collect, readEvents, serverBehindGateway } from '../testing'

let behind: Awaited<ReturnType<typeof serverBehindGateway>>
let raw: Client
const headers = { 'X-Api-Key': API_KEY }
const fetchImpl: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } })
beforeAll(async () => {
  behind = await serverBehindGateway()
  raw = new Client(behind.deploymentUrl, headers)
})
afterAll(() => behind.close())

/** A client that knows nothing but the agent's address. */
const connect = (assistant: string): Promise<A2aClient> =>
  new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  ).createFromUrl(`${behind.deploymentUrl}/a2a/${assistant}/`)

const request = (part: object, more: object = {}) => ({
  tenant: '',
  message: Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [part], ...more }),
  configuration: undefined,
  metadata: undefined,
})
const textsOf = (parts: Part[] = []) => parts.map(({ content }) => content?.value)
const answerOf = (task: Task) => textsOf(task.artifacts[0]?.parts)

describe('an A2A client through the gateway', () => {
  test('lists tasks by context and state, page by page, most recently changed first', async () => {
    const client = await connect('chat')
    const contextId = randomUUID()
    const ids: string[] = []
    for (const text of ['one', 'two', 'three'])
      ids.unshift(((await client.sendMessage(request({ text }, { contextId }))) as Task).id)
    const list = (more: object) =>
      client.listTasks({
        tenant: '',
        contextId,
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageToken: '',
        statusTimestampAfter: undefined,
        ...more,
      })
    const first = await list({ pageSize: 2, includeArtifacts: true, historyLength: 1 })
    expect(first).toMatchObject({ totalSize: 3, pageSize: 2 })
    expect(first.tasks.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(first.tasks.map(answerOf)).toEqual([['You said: three'], ['You said: two']])
    const rest = await list({ pageSize: 2, pageToken: first.nextPageToken })
    expect([rest.tasks.map(({ id }) => id), rest.nextPageToken, rest.totalSize]).toEqual([ids.slice(2), '', 3])
    expect(await list({ status: TaskState.TASK_STATE_FAILED })).toMatchObject({ tasks: [], totalSize: 0 })
    expect((await list({ status: TaskState.TASK_STATE_COMPLETED })).tasks).toHaveLength(3)
    expect((await list({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).tasks).toEqual([])
    await expect(list({ pageToken: 'nonsense' })).rejects.toThrow('pageToken')
    await expect(list({ pageSize: 101 })).rejects.toThrow('1 to 100')
  })

  test('names a context as it likes, and finds its tasks by that name', async () => {
    const client = await connect('approval')
    const contextId = `my context ${randomUUID()}`
    const sent = (await client.sendMessage(request({ data: { topic: 'x' } }, { contextId }))) as Task
    expect(sent.contextId).toBe(contextId)
    const answer = request({ data: { ok: true } }, { contextId, taskId: sent.id })
    const answered = (await client.sendMessage(answer)) as Task
    expect([answered.contextId, answered.id, answered.status?.state]).toEqual([
      contextId,
      sent.id,
      TaskState.TASK_STATE_COMPLETED,
    ])
    const list = (contextId: string) =>
      client.listTasks({ tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined })
    expect((await list(contextId)).tasks.map(({ id, contextId }) => [id, contextId])).toEqual([[sent.id, contextId]])
    expect((await list('another')).tasks).toEqual([])
  })

  test('sends a message and can fetch the task afterwards', async () => {
    const client = await connect('chat')
    const sent = (await client.sendMessage(request({ text: 'hello there' }))) as Task
    expect([sent.status?.state, answerOf(sent)]).toEqual([TaskState.TASK_STATE_COMPLETED, ['You said: hello there']])
    expect(sent.history.map(({ parts }) => textsOf(parts)[0])).toEqual(['hello there', 'You said: hello there'])
    const read = await client.getTask({ tenant: '', id: sent.id, historyLength: 1 })
    expect(read.history).toHaveLength(1)
    expect({ ...read, history: sent.history }).toEqual(sent)
    // Other clients see the task as a run and the context as its thread.
    expect((await raw.get(`/threads/${sent.contextId}/runs/${sent.id}`)).json.status).toBe('success')
    // A second task in the same context continues the conversation; the first task is unchanged.
    const next = (await client.sendMessage(request({ text: 'again' }, { contextId: sent.contextId }))) as Task
    expect(next).toMatchObject({ contextId: sent.contextId, history: { length: 4 } })
    expect(next.id).not.toBe(sent.id)
    expect(answerOf(await client.getTask({ tenant: '', id: sent.id }))).toEqual(['You said: hello there'])
  })

  test('streams a task’s text as it is produced', async () => {
    const client = await connect('chat')
    const events: StreamResponse['payload'][] = []
    for await (const { payload } of client.sendMessageStream(request({ text: 'one two three' }))) events.push(payload)
    const pieces = events.flatMap((one) =>
      one?.$case === 'artifactUpdate' && !one.value.lastChunk ? textsOf(one.value.artifact?.parts) : [],
    )
    expect([pieces.length > 2, pieces.join('')]).toEqual([true, 'You said: one two three'])
    expect(events[0]).toMatchObject({ $case: 'task', value: { status: { state: TaskState.TASK_STATE_SUBMITTED } } })
    expect(events.at(-2)).toMatchObject({ $case: 'artifactUpdate', value: { append: false, lastChunk: true } })
    expect(events.at(-1)).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
  })

  test('answers a task’s question, and the task continues under the same id', async () => {
    const client = await connect('approval')
    const asked = (await client.sendMessage(request({ data: { topic: 'rain' } }))) as Task
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    expect(textsOf(asked.status?.message?.parts)).toEqual([{ question: 'Send it?', draft: 'About rain' }])
    const { id: taskId, contextId } = asked
    await expect(client.sendMessage(request({ text: 'yes' }, { taskId, contextId: randomUUID() }))).rejects.toThrow()
    const done = (await client.sendMessage(request({ text: 'yes' }, { taskId, contextId }))) as Task
    expect(done).toMatchObject({ id: taskId, status: { state: TaskState.TASK_STATE_COMPLETED } })
    expect(answerOf(done)).toEqual([{ topic: 'rain', draft: 'About rain (yes)', answer: 'yes' }])
    await expect(client.sendMessage(request({ text: 'yes' }, { taskId }))).rejects.toThrow('is not waiting')
  })

  test('cancels a working task and one that needs input', async () => {
    const counter = await connect('counter')
    const slow = request({ data: { until: 1000, delay: 50 } })
    const begun = (await counter.sendMessage({
      ...slow,
      configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
    })) as Task
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(begun.status?.state)
    const stopped = await counter.cancelTask({ tenant: '', id: begun.id, metadata: undefined })
    expect(stopped.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    await expect(counter.cancelTask({ tenant: '', id: begun.id, metadata: undefined })).rejects.toThrow('already ended')

    const approval = await connect('approval')
    const waiting = (await approval.sendMessage(request({ data: { topic: 'x' } }))) as Task
    const dropped = await approval.cancelTask({ tenant: '', id: waiting.id, metadata: undefined })
    expect(dropped.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
  })

  test('resubscribes to a running task', async () => {
    const client = await connect('counter')
    const stream = client.sendMessageStream(request({ data: { until: 6, delay: 60 } }))
    const first = (await stream.next()).value?.payload
    const id = first?.$case === 'task' ? first.value.id : ''
    await stream.return(undefined)
    const events = await collect(client.resubscribeTask({ tenant: '', id }))
    expect(events.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
  })

  test('a failed run is a failed task, with the reason', async () => {
    const failed = (await (await connect('failing')).sendMessage(request({ data: {} }))) as Task
    expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(textsOf(failed.status?.message?.parts)).toEqual(['NoLuck: It was not to be.'])
  })

  test('unsupported requests are refused with the protocol’s named errors', async () => {
    const client = await connect('approval')
    await expect(client.sendMessage(request({ text: 'hello' }))).rejects.toThrow('topic, draft, answer')
    await expect(client.sendMessage(request({ url: 'https://example.com/a.pdf' }))).rejects.toThrow(
      'text and data parts',
    )
    await expect(client.getTask({ tenant: '', id: randomUUID() })).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    // Another assistant's tasks cannot be found here.
    const other = (await (await connect('chat')).sendMessage(request({ text: 'hi' }))) as Task
    await expect(client.getTask({ tenant: '', id: other.id })).rejects.toThrow('not found')
  })
})

describe('the protocol as of version 0.3', () => {
  const legacy = (assistant: string) =>
    new LegacyJsonRpcTransport({ endpoint: `${behind.deploymentUrl}/a2a/${assistant}`, fetchImpl })

  test('its client sends, streams, reads and cancels', async () => {
    const client = legacy('chat')
    const sent = (await client.sendMessage(request({ text: 'hi you' }))) as Task
    expect([sent.status?.state, answerOf(sent)]).toEqual([TaskState.TASK_STATE_COMPLETED, ['You said: hi you']])
    expect((await client.getTask({ tenant: '', id: sent.id })).id).toBe(sent.id)
    const events = await collect(client.sendMessageStream(request({ text: 'hi' })))
    expect(events.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
    await expect(client.cancelTask({ tenant: '', id: sent.id, metadata: undefined })).rejects.toThrow('already ended')
  })

  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 'a', method, params })
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] }

  test('responds in the older format', async () => {
    const sent = await raw.post('/a2a/chat', rpc('message/send', { message }))
    expect(sent.json).toMatchObject({
      id: 'a',
      result: {
        kind: 'task',
        contextId: expect.any(String),
        status: { state: 'completed' },
        artifacts: [{ parts: [{ kind: 'text', text: 'You said: hello' }] }],
        history: [{ messageId: 'm', role: 'user' }, { role: 'agent' }],
      },
    })
    const stream = await raw.open('POST', '/a2a/chat', rpc('message/stream', { message }))
    const events = await collect(readEvents(stream))
    expect(events.map(({ data }) => data.result.kind)).toEqual([
      'task',
      'status-update',
      ...events.slice(2, -1).map(() => 'artifact-update'),
      'status-update',
    ])
    expect(events.at(-1)?.data).toMatchObject({ id: 'a', result: { final: true, status: { state: 'completed' } } })
  })

  test('invalid requests get an error in the protocol’s format', async () => {
    const send = (body: string) => raw.request('POST', '/a2a/chat', body)
    const problem = (code: number) => ({ jsonrpc: '2.0', error: { code, message: expect.any(String) } })
    expect(await send('{"a":')).toMatchObject({ status: 200, json: problem(-32700) })
    const method = 'tasks/get'
    for (const body of [
      7,
      [],
      {},
      { jsonrpc: '2.0', id: 1 },
      { method, id: 1 },
      { ...rpc(method, {}), jsonrpc: '1.0' },
    ])
      expect(await send(JSON.stringify(body))).toMatchObject({ status: 200, json: problem(-32600) })
    expect((await raw.post('/a2a/chat', { ...rpc(method, {}), id: {} })).json).toMatchObject({
      ...problem(-32600),
      id: null,
    })
    for (const params of [
      { statusTimestampAfter: 'soon' },
      { statusTimestampAfter: '-1' },
      { status: 'TASK_STATE_DANCING' },
      { historyLength: -1 },
    ])
      expect((await raw.post('/a2a/chat', rpc('ListTasks', params))).json).toMatchObject(problem(-32602))
    expect((await raw.post('/a2a/chat', rpc('tasks/dance', {}))).json).toMatchObject(problem(-32601))
    expect((await raw.post('/a2a/chat', rpc('tasks/get', { id: randomUUID() }))).json).toMatchObject(problem(-32001))
    expect((await raw.post('/a2a/chat', rpc('message/send', {}))).json.error).toBeTruthy()
    const refused = await collect(
      readEvents(await raw.open('POST', '/a2a/approval', rpc('message/stream', { message }))),
    )
    expect(refused.map(({ data }) => data)).toMatchObject([problem(-32005)])
    const version = await raw.post('/a2a/chat', rpc('tasks/get', { id: 'x' }), { 'a2a-version': '9.9' })
    expect(version.json).toMatchObject(problem(-32009))
    expect(await raw.post('/a2a/nobody', rpc('tasks/get', { id: 'x' }))).toMatchObject({ status: 404 })
  })
})

test('the card gives the agent’s address however it is requested', async () => {
  const card = (await raw.get('/.well-known/agent-card.json?assistant_id=chat')).json
  expect(card).toMatchObject({
    name: 'chat',
    protocolVersion: '0.3.0',
    url: `${behind.deploymentUrl}/a2a/${(await raw.get('/assistants/chat')).json.assistant_id}`,
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'chat' }],
  })
  expect(Object.values(card.securitySchemes as object).map((scheme) => Object.keys(scheme))).toEqual([
    ['apiKeySecurityScheme'],
  ])
  expect((await raw.get('/a2a/chat/.well-known/agent-card.json')).json).toEqual(card)
  const proxied = await raw.get('/a2a/approval/.well-known/agent-card.json', {
    'x-forwarded-host': 'agents.example.com',
    'x-forwarded-proto': 'https',
  })
  expect(proxied.json).toMatchObject({
    url: expect.stringMatching(/^https:\/\/agents\.example\.com\/agents\//),
    defaultInputModes: ['application/json'],
  })
})
