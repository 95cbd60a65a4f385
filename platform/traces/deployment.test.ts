import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixture, type Fixture, waitFor } from '../testing/platform-fixture'

// A real agent server in a deployment: its runs are logged to the project of its name without any tracing settings.

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ agentServerEntry: undefined, readyTimeoutMs: 60_000 })
}, 60_000)
afterAll(() => fixture?.close(), 30_000)

/** A chat whose module records the addresses that its process connects to, and its tracing settings. */
const SOURCE = `
import net from 'node:net'
import { AIMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { MessagesAnnotation, StateGraph, START, END } from '@langchain/langgraph'
const seen = new Set()
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args
  seen.add(typeof first === 'object' ? (first.path ?? first.host + ':' + first.port) : String(first))
  return connect.apply(this, args)
}
const model = new FakeListChatModel({ responses: ['Hello from the graph'], sleep: 5 })
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tell', () => ({ messages: [new AIMessage(JSON.stringify({ seen: [...seen], env: Object.fromEntries(Object.entries(process.env).filter(([key]) => /LANGSMITH|LANGCHAIN/.test(key))) }))] }))
  .addEdge(START, 'model').addEdge('model', 'tell').addEdge('tell', END).compile()
`
const files = { 'graph.json': JSON.stringify({ graphs: { chat: './chat.mjs:graph' } }), 'chat.mjs': SOURCE }
type Message = { content: string }

async function deploy(name: string, fields: Record<string, unknown> = {}) {
  const repository = fixture.repository(name)
  repository.commit(files)
  const { body } = await fixture.client.create(name, repository.url, fields)
  await fixture.client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  return body.id as string
}
async function ask(id: string) {
  const input = { messages: [{ role: 'user', content: 'Hi' }] }
  const { body } = await fixture.client.request('POST', `/agents/${id}/runs/wait`, { assistant_id: 'chat', input })
  return JSON.parse((body.messages as Message[]).at(-1)?.content ?? '') as {
    seen: string[]
    env: Record<string, string>
  }
}
const sessions = async () => (await fixture.client.get('/sessions')).body as { id: string; name: string }[]
const runsOf = async (name: string) => {
  const session = (await sessions()).find((one) => one.name === name)?.id
  return (await fixture.client.request('POST', '/runs/query', { session: [session], select: ['inputs', 'outputs'] }))
    .body.runs
}

test('a run is in its project once and complete within two seconds, and the process contacts only this machine', async () => {
  const id = await deploy('traced')
  const { env } = await ask(id)
  await waitFor('the run is in its project', async () => (await runsOf('traced')).length >= 4, 2000)
  await ask(id)
  // The second response lists the hosts contacted during the first.
  const { seen } = await ask(id)
  await waitFor(
    'three complete runs',
    async () => {
      const runs: { parent_run_id: string | null; status: string }[] = await runsOf('traced')
      const isComplete = runs.every(({ status }) => status === 'success')
      return isComplete && runs.filter(({ parent_run_id }) => parent_run_id === null).length === 3
    },
    2000,
  )
  const hosts = seen.filter((one) => !one.startsWith('/') && !/^(127\.0\.0\.1|localhost|undefined|\d+):?/.test(one))
  expect(hosts).toEqual([])
  expect(seen).toContain(new URL(fixture.platform.url).host)
  expect(env).toMatchObject({
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: fixture.platform.url,
    LANGSMITH_PROJECT: 'traced',
  })

  const runs = await runsOf('traced')
  expect(new Set(runs.map((run: { id: string }) => run.id)).size).toBe(runs.length)
  const root = runs.find((run: { parent_run_id: null }) => run.parent_run_id === null)
  expect(root).toMatchObject({ name: 'chat', inputs_preview: 'Hi', thread_id: expect.any(String) })
  const llm = runs.filter((run: { run_type: string }) => run.run_type === 'llm')
  expect(llm).toHaveLength(3)
  expect(llm[0]).toMatchObject({ outputs_preview: 'Hello from the graph' })

  // The deployment's key can log but not read.
  const key = env.LANGSMITH_API_KEY ?? ''
  expect((await fixture.client.request('GET', '/info', undefined, { 'x-api-key': key })).status).toBe(200)
  for (const path of ['/sessions', '/v2/deployments', `/agents/${id}/info`])
    expect((await fixture.client.request('GET', path, undefined, { 'x-api-key': key })).status).toBe(403)
})

test("a deployment's key logs its own traces only", async () => {
  const [mine, theirs] = [await deploy('mine'), await deploy('theirs')]
  const keyOf = async (id: string) => ({ 'x-api-key': (await ask(id)).env.LANGSMITH_API_KEY ?? '' })
  const key = await keyOf(mine)
  await ask(theirs)
  await waitFor('the other run has ended', async () => {
    const runs = await runsOf('theirs')
    return runs.length >= 4 && runs.every((run: { end_time?: string | null }) => run.end_time)
  })
  const query = { session: [(await sessions()).find(({ name }) => name === 'theirs')?.id], select: ['name', 'outputs'] }
  const [victim] = (await fixture.client.request('POST', '/runs/query', query)).body.runs
  const before = await fixture.client.get(`/runs/${victim.id}`)
  const start = { run_type: 'chain', start_time: new Date().toISOString(), inputs: {} }
  const planted = { ...start, id: randomUUID(), name: 'planted' }
  for (const [method, path, body] of [
    ['POST', '/runs', { ...planted, session_name: 'theirs' }],
    ['POST', '/runs', { ...planted, session_name: 'a project of my own' }],
    ['POST', '/runs', { ...planted, session_name: 'mine', trace_id: victim.trace_id ?? victim.id }],
    ['POST', '/runs', { ...planted, session_name: 'mine', parent_run_id: victim.id }],
    ['POST', '/runs', { ...start, id: victim.id, name: 'planted' }],
    ['PATCH', `/runs/${victim.id}`, { name: 'planted', outputs: { planted: true }, end_time: '2100-01-01T00:00:00Z' }],
    ['POST', '/feedback', { key: 'planted', run_id: victim.id, score: 0 }],
  ] as const) {
    const { status, body: response } = await fixture.client.request(method, path, body, key)
    expect([status, JSON.stringify(response)]).toEqual([422, expect.stringContaining('runs of this deployment only')])
  }
  const hex = (id: string) => id.replaceAll('-', '')
  const send = (span: object, headers: Record<string, string> = key) => {
    const body = {
      resourceSpans: [{ scopeSpans: [{ spans: [{ spanId: '53337d93b3f9b2a0', name: 'span', ...span }] }] }],
    }
    return fixture.client.request('POST', '/otel/v1/traces', body, headers)
  }
  const traceId = hex(randomUUID())
  for (const answer of [
    await send({ traceId: hex(victim.trace_id ?? victim.id) }),
    await send({ traceId }, { ...key, 'langsmith-project': 'theirs' }),
  ])
    expect([answer.status, answer.body.partialSuccess]).toMatchObject([200, { rejectedSpans: 1 }])
  expect((await fixture.client.get(`/runs/${victim.id}`)).body).toEqual(before.body)
  expect((await fixture.client.get(`/traces/${victim.trace_id}/runs`)).body.runs).not.toContainEqual(
    expect.objectContaining({ name: 'span' }),
  )
  expect((await send({ traceId })).body).toEqual({})
  expect(await runsOf('mine')).toContainEqual(expect.objectContaining({ name: 'span' }))
  expect((await sessions()).map(({ name }) => name)).not.toContain('a project of my own')
  // A run that names no project goes to the deployment's.
  expect((await fixture.client.request('POST', '/runs', { ...planted, name: 'own' }, key)).status).toBe(202)
  await waitFor('it is in its project', async () =>
    (await runsOf('mine')).some(({ id }: { id: string }) => id === planted.id),
  )
})

test('the last traces are sent before the process exits', async () => {
  const id = await deploy('last')
  const { body } = await fixture.client.request('POST', `/agents/${id}/runs/wait`, {
    assistant_id: 'chat',
    input: { messages: [{ role: 'user', content: 'Bye' }] },
  })
  expect(body.messages).toHaveLength(3)
  // A restart of the platform stops the process at once.
  await fixture.platform.stop()
  await fixture.start()
  const runs = await runsOf('last')
  expect(runs.map((run: { name: string; status: string }) => `${run.name} ${run.status}`).sort()).toEqual(
    expect.arrayContaining(['chat success', 'model success', 'tell success']),
  )
})
