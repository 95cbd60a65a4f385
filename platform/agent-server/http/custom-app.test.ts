import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, Client, serverBehindGateway, storeTest, testServer } from '../testing'

const config = (name: string) => path.join(import.meta.dirname, '../fixtures/secured', name)

let behind: Awaited<ReturnType<typeof serverBehindGateway>>
let client: Client
beforeAll(async () => {
  behind = await serverBehindGateway({ configPath: config('app.json') })
  client = new Client(behind.deploymentUrl, { 'X-Api-Key': API_KEY })
})
afterAll(() => behind.close())

describe('the app of the graph file', () => {
  test('answers its routes below the address of the deployment, with the key of the platform only', async () => {
    expect((await client.get('/hello/ada')).json).toEqual({ hello: 'ada', headers: [] })
    expect((await client.post('/echo', 'text')).text).toBe('text')
    expect((await new Client(behind.deploymentUrl).get('/hello/ada')).status).toBe(401)
  })

  test('comes before the routes of the server, which keep working', async () => {
    expect((await client.get('/assistants/whoami')).json).toEqual({ mine: true })
    expect((await client.get('/assistants/whoami/schemas')).json.graph_id).toBe('whoami')
    const thread = await client.newThread()
    const events = await client.stream(`/threads/${thread}/runs/stream`, { assistant_id: 'whoami', input: {} })
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    expect((await client.post('/store/items/search')).status).toBe(404)
    expect((await client.get('/nothing')).json).toEqual({ detail: 'Not Found' })
    expect((await client.request('DELETE', '/threads')).status).toBe(405)
  })

  test('its middleware sees the requests of the server too, refused ones included', async () => {
    const { headers } = await client.get('/info')
    expect([headers.get('x-before'), headers.get('x-after')]).toEqual(['yes', '200'])
    expect((await client.get('/threads/none')).headers.get('x-after')).toBe('404')
  })

  test('its failures are responses without their reason, and the server goes on', async () => {
    const failed = await client.get('/fails')
    expect([failed.status, failed.text.includes('secret')]).toEqual([500, false])
    expect(behind.server.logs.join('\n')).toContain('secret reason')
    expect(await client.get('/teapot')).toMatchObject({ status: 418, text: 'short and stout' })
    expect((await client.get('/ok')).json).toEqual({ ok: true })
  })
})

test('the platform itself is asked past the app, authentication and disabled groups', async () => {
  const server = await testServer({ configPath: config('closed.json'), secret: 'secret' })
  const ask = (operator: string) => server.get('/assistants/whoami/graph', { 'x-pilothouse-operator': operator })
  expect((await ask('console')).status).toBe(401)
  expect((await ask('platform')).json.nodes).toBeDefined()
  await server.close()
})

test('authentication comes before it', async () => {
  const secured = await serverBehindGateway({ configPath: config('app-and-auth.json') })
  const refused = await new Client(secured.deploymentUrl).get('/hello/ada')
  expect([refused.status, refused.headers.get('x-before')]).toEqual([401, null])
  const ada = new Client(secured.deploymentUrl, { authorization: 'Bearer user:ada' })
  expect((await ada.get('/hello/ada')).json).toMatchObject({ hello: 'ada' })
  await secured.close()
})

storeTest('a rejection that nobody handles does not end the process', async ({ store }) => {
  const server = await store.start({}, config('app.json'))
  expect((await server.get('/rejects')).text).toBe('done')
  await expect.poll(() => server.output.join('')).toContain('Unhandled rejection')
  expect((await server.get('/hello/ada')).json.hello).toBe('ada')
})

test('a deployment whose app is unusable does not start', async () => {
  await expect(testServer({ configPath: config('no-app.json') })).rejects.toThrow(
    /http.app of the graph configuration file: The export "graph" is not a Hono app/,
  )
})
