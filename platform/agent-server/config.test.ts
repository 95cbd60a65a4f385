import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestServer, testServer } from './testing'

// Keys of the graph configuration file that change what a server does.

let server: TestServer
beforeAll(async () => {
  server = await testServer({ configPath: path.join(import.meta.dirname, 'fixtures/rules.json') })
})
afterAll(() => server.close())

const ttlOf = async (thread: string) => (await server.get(`/threads/${thread}?include=ttl`)).json.ttl

test('checkpointer.ttl is that of threads without one of their own, also of those that a run creates', async () => {
  expect(await ttlOf(await server.newThread())).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 60 })
  expect(await ttlOf(await server.newThread({ ttl: 5 }))).toMatchObject({ strategy: 'delete', ttl_minutes: 5 })
  const thread = 'a0000000-0000-4000-8000-00000000000a'
  const body = { assistant_id: 'counter', input: {}, if_not_exists: 'create' }
  expect((await server.post(`/threads/${thread}/runs/wait`, body)).status).toBe(200)
  expect(await ttlOf(thread)).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 60 })
})

test('a group that http switches off is a 404, and a webhook is refused where they are off', async () => {
  expect((await server.post('/store/items/search', {})).status).toBe(404)
  const run = { assistant_id: 'counter', input: {}, webhook: 'https://example.com/' }
  expect(await server.post('/runs/wait', run)).toMatchObject({
    status: 422,
    json: { detail: [{ loc: ['body', 'webhook'], msg: 'This deployment sends no webhooks' }] },
  })
})
