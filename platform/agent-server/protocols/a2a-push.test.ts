import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AddressRange, parseRange } from '@/lib/contracts/wire/address'
import { type TestServer, testServer } from '../testing'

type Json = Record<string, unknown>
type Seen = { path: string; headers: IncomingHttpHeaders; body: Json }

const seen: Seen[] = []
let refusals = 0
const receiver = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Json
  seen.push({ path: request.url ?? '', headers: request.headers, body })
  response.writeHead(refusals-- > 0 ? 503 : 200).end()
})
let server: TestServer
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  server = await testServer({ webhookRanges: [parseRange('127.0.0.0/8') as AddressRange], backOffMs: [20, 20] })
})
afterAll(async () => {
  await server.close()
  receiver.close()
})

/** What came to a path, once there are `count`. */
async function received(path: string, count = 1): Promise<Seen[]> {
  const found = () => seen.filter((one) => one.path === path)
  for (let tries = 0; found().length < count && tries < 500; tries++) await sleep(10)
  return found()
}
async function rpc(assistant: string, method: string, params: object, to = server) {
  const { json } = await to.post(`/a2a/${assistant}`, { jsonrpc: '2.0', id: 1, method, params })
  return json as { result?: Json & { id: string }; error?: { code: number; message: string } }
}
const message = (part: Json, more: object = {}) => ({ messageId: randomUUID(), role: 'user', parts: [part], ...more })
const text = (words: string) => message({ kind: 'text', text: words })

test('version 0.3: a configuration is set, read, listed and deleted, and one of an unknown task is refused', async () => {
  const { result: task } = await rpc('chat', 'message/send', { message: text('hello') })
  const taskId = task?.id ?? ''
  const given = {
    id: 'mine',
    url: `${url}/crud`,
    token: 'secret',
    authentication: { schemes: ['Bearer'], credentials: 'c' },
  }
  const set = await rpc('chat', 'tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: given })
  expect(set.result).toEqual({ taskId, pushNotificationConfig: given })
  const another = { url: `${url}/crud` }
  await rpc('chat', 'tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: another })
  const named = { id: taskId, pushNotificationConfigId: 'mine' }
  expect((await rpc('chat', 'tasks/pushNotificationConfig/get', named)).result).toEqual(set.result)
  const list = async () => (await rpc('chat', 'tasks/pushNotificationConfig/list', { id: taskId })).result
  expect(await list()).toEqual([set.result, { taskId, pushNotificationConfig: { ...another, id: taskId } }])
  await rpc('chat', 'tasks/pushNotificationConfig/delete', named)
  expect(await list()).toHaveLength(1)
  expect((await rpc('chat', 'tasks/pushNotificationConfig/get', named)).error?.code).toBe(-32001)
  for (const assistant of ['chat', 'approval']) {
    const wrong = assistant === 'chat' ? randomUUID() : taskId
    const refused = await rpc(assistant, 'tasks/pushNotificationConfig/set', {
      taskId: wrong,
      pushNotificationConfig: given,
    })
    expect(refused.error?.code).toBe(-32001)
  }
})

test('the task is delivered when it needs input and when it completes, with its token, until it is accepted', async () => {
  refusals = 1
  const pushNotificationConfig = { url: `${url}/steps`, token: 'secret token' }
  const asked = await rpc('approval', 'message/send', {
    message: message({ kind: 'data', data: { topic: 'rain' } }),
    configuration: { pushNotificationConfig },
  })
  const [first, second] = await received('/steps', 2)
  expect(first?.body).toMatchObject({ kind: 'task', id: asked.result?.id, status: { state: 'input-required' } })
  expect(first?.headers).toMatchObject({
    'x-a2a-notification-token': 'secret token',
    'content-type': expect.stringContaining('json'),
  })
  expect(second?.body).toEqual(first?.body)
  await rpc('approval', 'message/send', {
    message: message({ kind: 'text', text: 'yes' }, { taskId: asked.result?.id }),
  })
  const done = (await received('/steps', 3))[2]
  expect(done?.body).toMatchObject({ id: asked.result?.id, status: { state: 'completed' }, artifacts: [{}] })
})

test('version 1.0: a failed and a cancelled task are delivered, with an Authorization header', async () => {
  const config = (path: string) => ({
    taskPushNotificationConfig: { url: url + path, authentication: { scheme: 'Bearer', credentials: 'abc' } },
    returnImmediately: true,
  })
  const send = (assistant: string, data: Json, path: string) =>
    rpc(assistant, 'SendMessage', {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data }] },
      configuration: config(path),
    })
  await send('failing', {}, '/failed')
  const [failed] = await received('/failed')
  expect(failed?.body).toMatchObject({ task: { status: { state: 'TASK_STATE_FAILED' } } })
  expect(failed?.headers.authorization).toBe('Bearer abc')
  const waiting = await send('approval', { topic: 'x' }, '/cancelled')
  await received('/cancelled')
  const id = (waiting.result as { task?: { id: string } } | undefined)?.task?.id
  await rpc('approval', 'CancelTask', { id })
  expect((await received('/cancelled', 2))[1]?.body).toMatchObject({
    task: { id, status: { state: 'TASK_STATE_CANCELED' } },
  })
})

test('an address that is not allowed is refused before the run starts, and so is what no header can hold', async () => {
  const closed = await testServer()
  const send = (to: TestServer, pushNotificationConfig: object) =>
    rpc('chat', 'message/send', { message: text('hello'), configuration: { pushNotificationConfig } }, to)
  const refused = await send(closed, { url })
  expect(refused.error).toMatchObject({ message: expect.stringContaining('is not a public address') })
  expect((await closed.post('/threads/search', {})).json).toEqual([])
  await closed.close()
  for (const wrong of [{ url: 'ftp://example.com' }, { url, token: 'a\r\nb: c' }, { url: '/relative' }])
    expect((await send(server, wrong)).error?.code).toBeLessThan(0)
})

test('a task has at most twenty configurations; one with the same id is replaced', async () => {
  const { result: task } = await rpc('chat', 'message/send', { message: text('hello') })
  const taskId = task?.id ?? ''
  const set = (id: string, more: Json = {}) =>
    rpc('chat', 'tasks/pushNotificationConfig/set', {
      taskId,
      pushNotificationConfig: { id, url: `${url}/many`, ...more },
    })
  for (let count = 1; count <= 20; count++) expect((await set(`c${count}`)).error).toBeUndefined()
  expect((await set('c21')).error?.message).toContain('A task has at most 20 push notification configurations')
  expect((await set('c20', { token: 'new' })).error).toBeUndefined()
  const { result } = await rpc('chat', 'tasks/pushNotificationConfig/list', { id: taskId })
  const configs = (result as unknown as { pushNotificationConfig: Json }[]).map((one) => one.pushNotificationConfig)
  expect(configs.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `c${index + 1}`))
  expect(configs.filter(({ token }) => token === 'new')).toHaveLength(1)
})

test('the texts of a configuration fit into headers', async () => {
  const { result: task } = await rpc('chat', 'message/send', { message: text('hello') })
  const set = async (more: Json) =>
    (
      await rpc('chat', 'tasks/pushNotificationConfig/set', {
        taskId: task?.id,
        pushNotificationConfig: { id: 'one', url: `${url}/texts`, ...more },
      })
    ).error?.message
  const credentials = (words: string, scheme = 'Bearer') => ({
    authentication: { schemes: [scheme], credentials: words },
  })
  for (const allowed of [{ token: 'x'.repeat(4096) }, credentials('a b~'), { id: 'x'.repeat(4096) }])
    expect(await set(allowed)).toBeUndefined()
  for (const [wrong, message] of [
    [{ token: 'x'.repeat(4097) }, 'at most 4096 printable ASCII characters'],
    [{ token: 'é' }, 'printable ASCII'],
    [{ id: 'a\tb' }, 'printable ASCII'],
    [credentials('a\nb'), 'printable ASCII'],
    [credentials('a', 'Bearer token'), 'A scheme is one word'],
  ] as const)
    expect([wrong, await set(wrong)]).toEqual([wrong, expect.stringContaining(message)])
})

test('a run that ends before its configuration is stored is told too', async () => {
  const sent = await rpc('counter', 'message/send', {
    message: message({ kind: 'data', data: { until: 1 } }),
    configuration: { pushNotificationConfig: { url: `${url}/quick` }, blocking: false },
  })
  const [first] = await received('/quick')
  expect(first?.body).toMatchObject({ id: sent.result?.id, status: { state: 'completed' } })
  expect(first?.headers).not.toHaveProperty('authorization')
  expect(first?.headers).not.toHaveProperty('x-a2a-notification-token')
})
