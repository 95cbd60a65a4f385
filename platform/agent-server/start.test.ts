import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { query } from '@/scripts/testing'
import { nextEvent, readEvents, storeTest, testServer } from './testing'

/** How a server starts, what it leaves behind if it cannot, and how it stops. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'agent-start-'))
afterAll(() => rmSync(folder, { recursive: true }))
const counter = path.join(import.meta.dirname, 'fixtures/counter.mjs:graph')
let files = 0
function configure(more: object, graphs: object = { counter }): string {
  const file = path.join(folder, `graph-${++files}.json`)
  writeFileSync(file, JSON.stringify({ graphs, ...more }))
  return file
}
const connections = async (url: string) => {
  const [row] = await query(
    url,
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  return (row as { count: number }).count
}

describe('a start that fails', () => {
  storeTest.for([
    [
      'a header that cannot be filled',
      { webhooks: { headers: { a: '$' + '{{ env.OTHER }}' } } },
      /names OTHER, which does not begin with/,
    ],
    ['an app that is none', { http: { app: './nothing.mjs' } }, /^http\.app of the graph configuration file: /],
    ['authentication that is none', { auth: { path: './nothing.mjs' } }, /^auth of the graph configuration file: /],
    ['an unusable file', { http: { cors: { max_age: -1 } } }, /is not a graph configuration: http\.cors\.max_age/],
  ] as const)('because of %s blames no graph, and leaves no connection', async ([, more, message], { store }) => {
    const failure = await testServer({ databaseUrl: store.url, configPath: configure(more) }).catch((error) => error)
    expect(failure).toMatchObject({ name: 'GraphLoadError', graph: undefined, message: expect.stringMatching(message) })
    await expect.poll(() => connections(store.url)).toBe(0)
  })

  storeTest('because of its port is no failure of a graph, and leaves no connection', async ({ store }) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const failure = await testServer({ databaseUrl: store.url, configPath: configure({}), port }).catch(
      (error) => error,
    )
    expect(failure).toMatchObject({ code: 'EADDRINUSE' })
    await expect.poll(() => connections(store.url)).toBe(0)
    other.close()
  })

  test('because its file cannot be read says which', async () => {
    await expect(testServer({ configPath: path.join(folder, 'none.json') })).rejects.toMatchObject({
      graph: undefined,
      message: expect.stringMatching(/none\.json cannot be read: /),
    })
  })
})

describe('a server', () => {
  storeTest('is where it says, for this machine only, and stops once', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: configure({}) })
    expect(server.url).toBe(`http://127.0.0.1:${server.server.port}`)
    expect([server.server.port > 0, server.server.authenticates]).toEqual([true, false])
    expect((await server.get('/ok')).status).toBe(200)
    const [first, second] = [server.server.stop(), server.server.stop()]
    expect(second).toBe(first)
    await first
    await expect(server.get('/ok')).rejects.toThrow()
    await expect.poll(() => connections(store.url)).toBe(0)
  })

  storeTest('that is drained answers, but starts no more runs', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: configure({}) })
    const thread = await server.newThread()
    const start = async () =>
      (await server.post(`/threads/${thread}/runs`, { assistant_id: 'counter', input: { until: 2, delay: 700 } })).json
        .run_id
    const begun = await start()
    await server.until(thread, begun, 'running')
    await server.server.drain()
    expect((await server.get(`/threads/${thread}/runs/${begun}`)).json.status).toBe('success')
    const later = await start()
    expect((await server.get(`/threads/${thread}/runs/${later}`)).json.status).toBe('pending')
    const other = await testServer({ databaseUrl: store.url, configPath: configure({}), pollMs: 50 })
    await other.until(thread, later, 'success')
    await Promise.all([server.close(), other.close()])
  })

  storeTest('that stops cuts its streams with an error, so that clients connect again', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: configure({}) })
    const thread = await server.newThread()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, {
      assistant_id: 'counter',
      input: { until: 20, delay: 500 },
      stream_mode: 'values',
    })
    const events = readEvents(response)
    await nextEvent(events, 'values')
    const rest = (async () => {
      for await (const _ of events);
    })()
    const cut = expect(rest).rejects.toThrow()
    await server.server.stop()
    await cut
  })

  storeTest('deletes the threads of an assistant with it, and no others', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: configure({}) })
    const { assistant_id } = (await server.post('/assistants', { graph_id: 'counter' })).json
    const ran = async (assistant: string) => {
      const thread = await server.newThread()
      await server.post(`/threads/${thread}/runs/wait`, { assistant_id: assistant, input: { until: 1 } })
      return thread
    }
    const [own, others] = [await ran(assistant_id), await ran('counter')]
    await server.request('DELETE', `/assistants/${assistant_id}?delete_threads=true`)
    expect([(await server.get(`/threads/${own}`)).status, (await server.get(`/threads/${others}`)).status]).toEqual([
      404, 200,
    ])
    await server.close()
  })
})

describe('the graph file', () => {
  storeTest('switches groups off, allows origins and sets how long threads live', async ({ store }) => {
    const more = {
      http: { disable_mcp: true, cors: { allow_origins: ['https://a.example'], allow_credentials: true } },
      checkpointer: { ttl: { default_ttl: 60 } },
    }
    const server = await testServer({ databaseUrl: store.url, configPath: configure(more) })
    expect((await server.post('/mcp/', { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404)
    const origin = async (name: string) => (await server.get('/ok', { origin: name })).headers
    expect((await origin('https://a.example')).get('access-control-allow-credentials')).toBe('true')
    expect((await origin('https://b.example')).get('access-control-allow-origin')).toBeNull()
    const thread = await server.newThread()
    expect((await server.get(`/threads/${thread}?include=ttl`)).json.ttl).toMatchObject({ ttl_minutes: 60 })
    await server.close()
  })

  storeTest('without settings leaves threads for ever and lets every origin call', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: configure({}) })
    const thread = await server.newThread()
    expect((await server.get(`/threads/${thread}?include=ttl`)).json.ttl ?? null).toBeNull()
    expect((await server.get('/ok', { origin: 'https://b.example' })).headers.get('access-control-allow-origin')).toBe(
      '*',
    )
    expect((await server.post('/mcp/', { jsonrpc: '2.0', id: 1, method: 'ping' })).json.result).toEqual({})
    await server.close()
  })

  storeTest('says what an unknown field of a client was, once for each client', async ({ store }) => {
    const server = await testServer({ databaseUrl: store.url, configPath: configure({}) })
    const send = (agent: string) => server.post('/threads/search', { colour: 'red' }, { 'user-agent': agent })
    for (const agent of ['one/1', 'one/2', `two${'x'.repeat(200)}`]) await send(agent)
    const lines = server.logs.filter((line) => line.includes('body.colour'))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toBe('one/1 sent body.colour to /threads/search; this server does not know it.')
    expect(lines[1]).toMatch(/^twox{97} sent /)
    await server.close()
  })
})
