import path from 'node:path'
import { Client as Sdk } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, Client, serverBehindGateway, storeTest, testServer } from '../testing'

const folder = path.join(import.meta.dirname, '../fixtures/secured')
const configPath = path.join(folder, 'graph.json')

let behind: Awaited<ReturnType<typeof serverBehindGateway>>
beforeAll(async () => {
  behind = await serverBehindGateway({ configPath })
})
afterAll(() => behind.close())

const as = (name: string) => new Client(behind.deploymentUrl, { authorization: `Bearer user:${name}` })
const console_ = () => new Client(behind.deploymentUrl, { 'X-Api-Key': API_KEY, 'x-auth-scheme': 'langsmith' })
const whoami = { assistant_id: 'whoami', input: {} }

describe.concurrent('authentication', () => {
  test('comes before every route but /ok and /info, also for unknown ones, without a key of the platform', async () => {
    const nobody = new Client(behind.deploymentUrl)
    for (const path of ['/ok', '/info']) expect((await nobody.get(path)).status).toBe(200)
    for (const path of ['/metrics', '/docs', '/openapi.json', '/threads/x', '/nothing', '/store/items?key=x'])
      expect(await nobody.get(path)).toMatchObject({ status: 401, json: { detail: 'No such user' } })
    for (const path of ['/threads/search', '/runs/stream', '/mcp/', '/a2a/whoami', '/runs/crons/search'])
      expect((await nobody.post(path)).status).toBe(401)
    expect((await nobody.get('/threads/x')).headers.get('www-authenticate')).toBe('Bearer')
    expect((await as('ada').get('/metrics')).status).toBe(200)
  })

  test('a failure of the handler is 500 without its reason, and lets nobody in', async () => {
    const broken = new Client(behind.deploymentUrl, { authorization: 'Bearer broken' })
    const { status, text } = await broken.post('/threads/search')
    expect(status).toBe(500)
    expect(text).not.toContain('directory')
    expect(behind.server.logs.join('\n')).toContain('The user directory is away.')
  })

  test('preflights need none', async () => {
    const headers = { origin: 'https://chat.example', 'access-control-request-method': 'POST' }
    const response = await new Client(behind.deploymentUrl).request('OPTIONS', '/threads', undefined, headers)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('lets the console in with the key of the platform, and nobody who only says that it is one', async () => {
    expect((await console_().post('/threads/search')).status).toBe(200)
    const pretending: Record<string, string>[] = [
      { 'x-auth-scheme': 'langsmith' },
      { 'x-auth-scheme': 'langsmith', 'X-Api-Key': 'wrong' },
      { 'x-auth-scheme': 'langsmith', 'x-pilothouse-operator': 'true' },
    ]
    for (const headers of pretending)
      expect((await new Client(behind.deploymentUrl, headers).post('/threads/search')).status).toBe(401)
  })

  test('does not let the console in where the configuration disables that', async () => {
    const strict = await serverBehindGateway({ configPath: path.join(folder, 'strict.json') })
    const client = new Client(strict.deploymentUrl, { 'X-Api-Key': API_KEY, 'x-auth-scheme': 'langsmith' })
    expect((await client.post('/threads/search')).status).toBe(401)
    await strict.close()
  })
})

describe.concurrent('threads and runs', () => {
  test('of other users stay when an assistant is deleted with its threads', async () => {
    const [editor, bob] = [as('editor'), as('bob')]
    const { json: assistant } = await editor.post('/assistants', { graph_id: 'whoami' })
    const threads = await Promise.all(
      [editor, bob].map(async (user) => {
        const id = await user.newThread()
        const { json: run } = await user.post(`/threads/${id}/runs`, {
          assistant_id: assistant.assistant_id,
          input: {},
        })
        await user.until(id, run.run_id, 'success')
        return id
      }),
    )
    const deleted = await editor.request('DELETE', `/assistants/${assistant.assistant_id}?delete_threads=true`)
    expect(deleted.status).toBe(200)
    expect((await editor.get(`/threads/${threads[0]}`)).status).toBe(404)
    expect((await bob.get(`/threads/${threads[1]}`)).status).toBe(200)
  })

  test('belong to who created them', async () => {
    const [ada, bob] = [as('ada'), as('bob')]
    const id = await ada.newThread({ metadata: { topic: 'mine' } })
    const record = (await ada.get(`/threads/${id}`)).json
    expect(record.metadata).toEqual({ topic: 'mine', owner: 'ada' })
    const { json: run } = await ada.post(`/threads/${id}/runs`, whoami)
    await ada.until(id, run.run_id, 'success')
    const place = `/threads/${id}`
    const hidden: [string, string, unknown?][] = [
      ['GET', place],
      ['PATCH', place, { metadata: { owner: 'bob' } }],
      ['POST', `${place}/copy`],
      ['GET', `${place}/state`],
      ['POST', `${place}/state`, { values: { user: 'x' } }],
      ['GET', `${place}/history`],
      ['POST', `${place}/history`],
      ['GET', `${place}/stream`],
      ['POST', `${place}/stream/events`, { channels: ['values'] }],
      ['POST', `${place}/commands`, { id: 1, method: 'state.get' }],
      ['GET', `${place}/runs`],
      ['POST', `${place}/runs`, whoami],
      ['POST', `${place}/runs/wait`, { ...whoami, if_not_exists: 'create' }],
      ['GET', `${place}/runs/${run.run_id}`],
      ['GET', `${place}/runs/${run.run_id}/join`],
      ['GET', `${place}/runs/${run.run_id}/stream`],
      ['GET', `/runs/${run.run_id}/stream`],
      ['POST', `${place}/runs/${run.run_id}/cancel`],
      ['POST', `${place}/runs/crons`, { ...whoami, schedule: '0 0 * * *' }],
      ['DELETE', `${place}/runs/${run.run_id}`],
      ['DELETE', place],
    ]
    for (const [method, path, body] of hidden)
      expect([path, (await bob.request(method, path, body)).status]).toEqual([path, 404])
    expect((await bob.post('/threads', { thread_id: id, if_exists: 'do_nothing' })).status).toBe(409)
    expect((await bob.post('/threads/search', { ids: [id] })).json).toEqual([])
    expect((await bob.post('/threads/count', { metadata: { topic: 'mine' } })).json).toBe(0)
    expect((await bob.post('/threads/prune', { thread_ids: [id] })).json).toEqual({ pruned_count: 0 })
    expect((await ada.post('/threads/search', { ids: [id] })).json).toHaveLength(1)
    expect((await console_().get(place)).status).toBe(200)
    expect((await ada.get(`${place}/state`)).json.values).toMatchObject({ user: 'ada', plan: 'free' })
  })

  test('a run knows its caller, and nobody can pretend to be another one', async () => {
    const config = { configurable: { langgraph_auth_user_id: 'bob', langgraph_auth_user: { plan: 'paid' } } }
    const events = await as('ada').stream('/runs/stream', { ...whoami, config, stream_mode: ['values', 'debug'] })
    expect(events.findLast(({ event }) => event === 'values')?.data).toMatchObject({ user: 'ada', plan: 'free' })
    expect(JSON.stringify(events)).not.toContain('auth_user')
  })

  test('the SDK works with its own headers', async () => {
    const sdk = new Sdk({
      apiUrl: behind.deploymentUrl,
      apiKey: null,
      defaultHeaders: { authorization: 'Bearer user:eve' },
    })
    const thread = await sdk.threads.create()
    expect(await sdk.runs.wait(thread.thread_id, 'whoami', { input: {} })).toMatchObject({ user: 'eve' })
    expect(await sdk.threads.search({ limit: 100 })).toHaveLength(1)
  })

  test('commands, MCP and A2A run as the caller, and tasks of others are unknown', async () => {
    const [kim, bob] = [as('kim'), as('bob')]
    const id = crypto.randomUUID()
    const start = { id: 1, method: 'run.start', params: { assistant_id: 'whoami', input: {} } }
    const { json } = await kim.post(`/threads/${id}/commands`, start)
    await kim.until(id, json.result.run_id, 'success')
    expect((await kim.get(`/threads/${id}/state`)).json.values.user).toBe('kim')
    expect((await bob.post(`/threads/${id}/commands`, start)).status).toBe(404)

    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } }
    expect((await kim.post('/mcp/', call)).json.result.structuredContent.user).toBe('kim')

    const message = { role: 'ROLE_USER', messageId: '1', parts: [{ data: { wait: 0 } }] }
    const send = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
    const { task } = (await kim.post('/a2a/whoami', send)).json.result
    const get = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } }
    expect((await kim.post('/a2a/whoami', get)).json.result.id).toBe(task.id)
    expect((await bob.post('/a2a/whoami', get)).json.error).toBeDefined()
    const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }
    expect((await bob.post('/a2a/whoami', list)).json.result.tasks).toEqual([])
    expect((await kim.post('/a2a/whoami', list)).json.result.tasks).toHaveLength(2)
  })

  test('only own runs are cancelled together', async () => {
    const [ada, bob] = [as('ada'), as('bob')]
    const id = await ada.newThread()
    const { json: run } = await ada.post(`/threads/${id}/runs`, { ...whoami, input: { wait: 20_000 } })
    expect((await bob.post('/runs/cancel', { thread_id: id, run_ids: [run.run_id] })).status).toBe(404)
    expect((await ada.post('/runs/cancel', { thread_id: id, run_ids: [run.run_id] })).status).toBe(204)
    await ada.until(id, run.run_id, 'interrupted')
  })
})

describe.concurrent('other records', () => {
  test('assistants: read by everybody, created by the editor only', async () => {
    expect((await as('ada').get('/assistants/whoami')).status).toBe(200)
    expect((await as('ada').post('/assistants/search', { metadata: { created_by: 'system' } })).json).toHaveLength(1)
    expect((await as('ada').post('/assistants', { graph_id: 'whoami' })).status).toBe(403)
    expect((await as('ada').request('PATCH', '/assistants/whoami', { name: 'Mine' })).status).toBe(404)
  })

  test('a hidden assistant is not run either, in no protocol; that of a graph itself is', async () => {
    const [editor, guest] = [as('editor'), as('guest')]
    const { json: assistant } = await editor.post('/assistants', { graph_id: 'whoami' })
    const hidden = { ...whoami, assistant_id: assistant.assistant_id }
    const id = await guest.newThread()
    const asked: [string, unknown][] = [
      ['/runs', hidden],
      ['/runs/stream', hidden],
      ['/runs/batch', [whoami, hidden]],
      [`/threads/${id}/runs`, hidden],
      [`/threads/${id}/runs/wait`, hidden],
    ]
    for (const [path, body] of asked) expect([path, (await guest.post(path, body)).status]).toEqual([path, 404])
    const command = { id: 1, method: 'run.start', params: hidden }
    expect(JSON.stringify((await guest.post(`/threads/${id}/commands`, command)).json)).toContain('not found')
    expect((await editor.post('/runs/wait', hidden)).status).toBe(200)
    expect((await guest.post('/runs/wait', whoami)).status).toBe(200)
  })

  test('crons belong to who created them', async () => {
    const [ada, bob] = [as('ada'), as('bob')]
    const { json: cron } = await ada.post('/runs/crons', { ...whoami, schedule: '0 0 1 1 *' })
    expect(cron).toMatchObject({ user_id: 'ada', metadata: { owner: 'ada' } })
    expect((await bob.get(`/runs/crons/${cron.cron_id}`)).status).toBe(404)
    expect((await bob.request('DELETE', `/runs/crons/${cron.cron_id}`)).status).toBe(404)
    expect((await bob.post('/runs/crons/search')).json).toEqual([])
    expect((await ada.post('/runs/crons/count')).json).toBe(1)
    expect((await ada.request('DELETE', `/runs/crons/${cron.cron_id}`)).status).toBe(204)
  })

  test('items: the handler gives everybody a namespace of their own', async () => {
    const [ada, bob] = [as('ada'), as('bob')]
    const put = { namespace: ['notes'], key: 'a', value: { text: 'hi' } }
    expect((await ada.request('PUT', '/store/items', put)).status).toBe(204)
    expect((await ada.get('/store/items?namespace=notes&key=a')).json.namespace).toEqual(['ada', 'notes'])
    expect((await bob.get('/store/items?namespace=notes&key=a')).json).toBeNull()
    expect((await bob.post('/store/items/search', {})).json.items).toEqual([])
    expect((await ada.post('/store/items/search', { namespace_prefix: ['notes'] })).json.items).toHaveLength(1)
    expect((await bob.post('/store/namespaces', {})).json.namespaces).toEqual([])
    await bob.request('DELETE', '/store/items', { namespace: ['notes'], key: 'a' })
    expect((await ada.get('/store/items?namespace=notes&key=a')).json.value).toEqual({ text: 'hi' })
  })
})

storeTest(
  'a run that is taken over after a restart keeps its caller',
  async ({ store }) => {
    const headers = { authorization: 'Bearer user:ada' }
    const first = await store.start({}, configPath)
    const id = (await first.post('/threads', {}, headers)).json.thread_id
    const body = { ...whoami, input: { wait: 4000 } }
    const { json: run } = await first.post(`/threads/${id}/runs`, body, headers)
    const running = () => first.get(`/threads/${id}/runs/${run.run_id}`, headers)
    await expect.poll(async () => (await running()).json.status).toBe('running')
    await first.kill('SIGKILL')
    const second = await store.start({}, configPath)
    const state = () => second.get(`/threads/${id}/state`, headers)
    await expect.poll(async () => (await state()).json.values.user, { timeout: 30_000 }).toBe('ada')
  },
  60_000,
)

test('a deployment whose handlers are unusable does not start', async () => {
  const start = (auth: string) =>
    testServer({ configPath: path.join(folder, auth) }).then(
      (server) => server.close(),
      (error: Error) => error.message,
    )
  expect(await start('none.json')).toMatch(/auth of the graph configuration file: .*no export "other"/)
})
