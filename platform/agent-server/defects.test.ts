import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseRange } from '@/lib/contracts/wire/address'
import { testDatabase } from '@/scripts/testing'
import { collect, nextEvent, readEvents, storeTest, type TestServer, testServer } from './testing'

// The twenty defects of the npm in-memory server (facts/embedded-engine.md, section 4), one test each: none of them here.

let server: TestServer
let database: pg.Client
const loopback = parseRange('127.0.0.0/8')
beforeAll(async () => {
  server = await testServer({ secret: 's', webhookRanges: loopback ? [loopback] : [] })
  database = new pg.Client({ connectionString: server.databaseUrl, options: '-c search_path=agent_test' })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await server.close()
})

const counting = (until: number, delay = 0, more: object = {}) => ({
  assistant_id: 'counter',
  input: { until, delay },
  stream_mode: 'custom',
  ...more,
})
const runOn = (thread: string, body: object) => server.post(`/threads/${thread}/runs`, body)
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
const timed = async (work: () => Promise<unknown>) => {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

test('1: deleted runs, threads and assistants, and unreachable webhooks do not kill a worker', async () => {
  const { json: assistant } = await server.post('/assistants', { graph_id: 'counter' })
  // In the npm server each of these killed one of ten workers.
  const rounds = Array.from({ length: 12 }, async () => {
    const [first, second, third] = await Promise.all([server.newThread(), server.newThread(), server.newThread()])
    const [deleted] = await Promise.all([
      runOn(first, counting(1000, 5000)),
      runOn(second, counting(1000, 5000)),
      runOn(third, { ...counting(1, 20), assistant_id: assistant.assistant_id }),
      server.post('/runs', counting(0, 0, { webhook: 'http://127.0.0.1:1/' })),
    ])
    await Promise.all([
      server.request('DELETE', `/threads/${first}/runs/${deleted.json.run_id}`),
      server.request('DELETE', `/threads/${second}`),
    ])
  })
  await Promise.all(rounds)
  await server.request('DELETE', `/assistants/${assistant.assistant_id}`)
  expect((await server.post('/runs/wait', counting(2))).json).toMatchObject({ count: 2 })
  await expect
    .poll(async () => (await database.query(`select from runs where status in ('pending', 'running')`)).rowCount)
    .toBe(0)
})

storeTest(
  '2: a run that a kill has cut goes on by itself, and can be cancelled; 3: what was acknowledged is stored, however much is read meanwhile',
  async ({ store: { start, serve } }) => {
    const first = await start()
    const [goesOn, isStopped, done] = [await first.newThread(), await first.newThread(), await first.newThread()]
    const reading = setInterval(() => void first.get(`/threads/${done}`).catch(() => {}), 10)
    // Not ended by the usual limit of 25 steps before it is cancelled.
    const unlimited = { config: { recursion_limit: 10_000 } }
    const create = async (thread: string, until: number) => {
      const events = readEvents(
        await first.open('POST', `/threads/${thread}/runs/stream`, counting(until, 60, unlimited)),
      )
      const { run_id } = (await nextEvent(events, 'metadata')).data
      await nextEvent(events, 'custom')
      return run_id as string
    }
    const [run, other] = [await create(goesOn, 8), await create(isStopped, 1000)]
    const { json: acknowledged } = await first.post(`/threads/${done}/runs/wait`, counting(2))
    await first.kill('SIGKILL')
    clearInterval(reading)
    const second = await serve()
    expect((await second.get(`/threads/${done}`)).json.values).toEqual(acknowledged)
    expect((await second.post(`/threads/${isStopped}/runs/${other}/cancel?wait=true`)).status).toBe(204)
    expect((await second.get(`/threads/${isStopped}`)).json.status).toBe('idle')
    await second.until(goesOn, run, 'success')
    expect((await second.get(`/threads/${goesOn}`)).json.values.log).toHaveLength(8)
  },
  60_000,
)

test('4: an unreadable store is reported and left untouched, never replaced', async () => {
  const { url, drop } = await testDatabase()
  const first = await testServer({ databaseUrl: url })
  const thread = await first.newThread()
  await first.close()
  const client = new pg.Client({ connectionString: url, options: '-c search_path=agent_test' })
  await client.connect()
  await client.query('insert into migrations values (999)')
  await expect(testServer({ databaseUrl: url })).rejects.toThrow('"agent_test" was written by a newer agent server')
  await client.query('delete from migrations where version = 999')
  await client.end()
  const again = await testServer({ databaseUrl: url })
  expect((await again.get(`/threads/${thread}`)).status).toBe(200)
  await again.close()
  await drop()
})

test('5: an unchanged large value is written once and blocks nobody', async () => {
  const topics = Array.from({ length: 2 }, (_, index) => String(index).repeat(5_000_000))
  let longest = 0
  let isDone = false
  const watch = (async () => {
    for (; !isDone; await sleep(20)) longest = Math.max(longest, await timed(() => server.get('/ok')))
  })()
  const threads = await Promise.all(
    topics.map(async (topic) => {
      const thread = await server.newThread()
      await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'approval', input: { topic } })
      await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'approval', command: { resume: 'yes' } })
      return thread
    }),
  )
  isDone = true
  await watch
  const { rows } = await database.query(
    `select thread_id, count(*)::int as count from checkpoint_blobs where thread_id = any($1) and channel = 'topic' group by 1`,
    [threads],
  )
  expect(rows.map(({ count }) => count)).toEqual([1, 1])
  // Up to two seconds in the npm server; a few milliseconds here on an idle machine.
  expect(longest).toBeLessThan(1000)
})

test('6: each reader of a run gets every event', async () => {
  const thread = await server.newThread()
  const { json: run } = await runOn(thread, counting(8, 40))
  const path = `/threads/${thread}/runs/${run.run_id}`
  const readers = await Promise.all([1, 2, 3].map(() => server.open('GET', `${path}/stream`)))
  const cut = readEvents(await server.open('GET', `${path}/stream`))
  await nextEvent(cut, 'custom')
  await cut.return(undefined)
  const seen = await Promise.all(readers.map((reader) => collect(readEvents(reader))))
  const waited = await server.get(`${path}/join`)
  expect(seen[0]?.filter(({ event }) => event === 'custom').length).toBeGreaterThan(5)
  // A busy machine may join them at different steps; from the last one on, all get the same.
  const counts = seen.map((events) => events.filter(({ event }) => event === 'custom').map(({ data }) => data.count))
  const from = Math.max(...counts.map(([first]) => first))
  for (const one of counts)
    expect(one.filter((count) => count >= from)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].filter((count) => count >= from))
  for (const events of seen) expect(events[0]?.event).toBe('metadata')
  expect(waited.json.count).toBe(8)
})

test('7: a late reader gets only new events, and nothing is buffered for absent readers', async () => {
  const thread = await server.newThread()
  const events = readEvents(await server.open('POST', `/threads/${thread}/runs/stream`, counting(6, 40)))
  const { run_id } = (await nextEvent(events, 'metadata')).data
  for (let count = 0; count < 3; count = (await nextEvent(events, 'custom')).data.count);
  const late = await server.join(`/threads/${thread}/runs/${run_id}/stream`)
  expect(late.find(({ event }) => event === 'custom')?.data.count).toBeGreaterThan(3)
  await collect(events)
  const { rows } = await database.query('select from run_events where run_id = $1', [run_id])
  expect(rows).toHaveLength(0)
})

test('8: setting an earlier version restores every field', async () => {
  const fields = {
    graph_id: 'counter',
    context: { label: 'a' },
    config: { tags: ['a'] },
    metadata: { a: 1 },
    name: 'A',
  }
  const { json: made } = await server.post('/assistants', { ...fields, description: 'first' })
  const path = `/assistants/${made.assistant_id}`
  await server.request('PATCH', path, {
    graph_id: 'chat',
    context: {},
    config: {},
    metadata: { b: 1 },
    name: 'B',
    description: 'second',
  })
  await server.post(`${path}/latest`, { version: 1 })
  expect((await server.get(path)).json).toEqual({ ...made, updated_at: expect.any(String) })
})

test.each(['multitask strategy', 'cancel'])('9: a rollback by %s leaves neither run nor checkpoints', async (way) => {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, counting(1))
  const before = (await server.get(`/threads/${thread}/history`)).json
  const { json: run } = await runOn(thread, counting(1000, 10))
  const path = `/threads/${thread}/runs/${run.run_id}`
  await server.until(thread, run.run_id, 'running')
  if (way === 'cancel') await server.post(`${path}/cancel?action=rollback&wait=true`)
  else await runOn(thread, counting(1, 0, { multitask_strategy: 'rollback', after_seconds: 60 }))
  await expect.poll(async () => (await server.get(path)).status).toBe(404)
  expect((await server.get(`/threads/${thread}/history`)).json).toEqual(before)
})

test.each(['false', '0'])('10: cancel with wait=%s does not wait', async (wait) => {
  const thread = await server.newThread()
  const { json: run } = await runOn(thread, counting(1000, 20))
  expect((await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=${wait}`)).status).toBe(202)
})

test('11: a run on an unknown thread is a 404, and a rejected run on a busy thread a 409', async () => {
  const unknown = `/threads/${crypto.randomUUID()}/runs`
  expect((await server.post(unknown, counting(1))).status).toBe(404)
  expect((await server.post(unknown, { ...counting(1), if_not_exists: 'create' })).status).toBe(200)
  const thread = await server.newThread()
  const { json: run } = await runOn(thread, counting(1000, 20))
  expect((await runOn(thread, { ...counting(1), multitask_strategy: 'reject' })).status).toBe(409)
  await server.post(`/threads/${thread}/runs/${run.run_id}/cancel`)
})

test('12: assistants accept only known graphs and contexts that match the graph’s schema', async () => {
  expect((await server.post('/assistants', { graph_id: 'nothing' })).status).toBe(404)
  const wrong = { status: 422, json: { detail: [{ loc: ['body', 'context', 'label'] }] } }
  expect(await server.post('/assistants', { graph_id: 'counter', context: { label: 1 } })).toMatchObject(wrong)
  const { json } = await server.post('/assistants', { graph_id: 'counter' })
  const path = `/assistants/${json.assistant_id}`
  expect(await server.request('PATCH', path, { context: { label: 1 } })).toMatchObject(wrong)
})

test('13: a stateless run may interrupt', async () => {
  const { json } = await server.post('/runs/wait', { assistant_id: 'approval', input: { topic: 'x' } })
  expect(json.__interrupt__).toMatchObject([{ value: { question: 'Send it?' } }])
})

test('14: a thread keeps its values after an interrupt and after a cancel', async () => {
  const [asked, stopped] = [await server.newThread(), await server.newThread()]
  await server.post(`/threads/${asked}/runs/wait`, { assistant_id: 'approval', input: { topic: 'x' } })
  expect((await server.get(`/threads/${asked}`)).json).toMatchObject({
    status: 'interrupted',
    values: { draft: 'About x' },
  })
  const events = readEvents(await server.open('POST', `/threads/${stopped}/runs/stream`, counting(1000, 10)))
  const { run_id } = (await nextEvent(events, 'metadata')).data
  for (let count = 0; count < 2; count = (await nextEvent(events, 'custom')).data.count);
  await server.post(`/threads/${stopped}/runs/${run_id}/cancel?wait=true`)
  const { json } = await server.get(`/threads/${stopped}`)
  expect([json.status, json.values.count > 0]).toEqual(['idle', true])
})

test('15: searches sort by the requested field, filter by values and return the right total', async () => {
  const metadata = { defect: 15 }
  for (const name of ['b', 'c', 'a']) await server.post('/assistants', { graph_id: 'counter', name, metadata })
  const sorted = await server.post('/assistants/search', { metadata, sort_by: 'name', sort_order: 'asc', offset: 1 })
  expect(sorted.json.map(({ name }: { name: string }) => name)).toEqual(['b', 'c'])
  expect(sorted.headers.get('x-pagination-total')).toBe('3')
  await server.newThread({ metadata })
  const full = await server.newThread({ metadata })
  await server.post(`/threads/${full}/runs/wait`, { assistant_id: 'counter', input: { until: 1 } })
  const found = await server.post('/threads/search', { metadata, values: { count: 1 } })
  expect(found.json.map(({ thread_id }: { thread_id: string }) => thread_id)).toEqual([full])
})

/** As long as this many threads take to create, in one round after the other, a run may take on any machine. */
const MOST_WRITES = 40

test('16: a run starts at once, and 16b: readers and waiters learn at once that it ended', async () => {
  const [first, waits, streams]: [number[], number[], number[]] = [[], [], []]
  const writes: number[] = []
  for (let round = 0; round < 15; round++) {
    writes.push(await timed(() => server.newThread()))
    waits.push(await timed(() => server.post('/runs/wait', counting(0))))
    const begin = performance.now()
    const events = readEvents(await server.open('POST', '/runs/stream', counting(0)))
    await events.next()
    first.push(performance.now() - begin)
    await collect(events)
    streams.push(performance.now() - begin)
  }
  // Half a second in the npm server, which looks for runs now and then; here about as long as some writes.
  const slowest = Math.max(median(first), median(waits), median(streams))
  expect(slowest / median(writes)).toBeLessThan(MOST_WRITES)
})

test('17: every refusal is JSON with the right status, and a failure is reported once', async () => {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, counting(1))
  const [update, join, copy, failed] = await Promise.all([
    server.post(`/threads/${thread}/state`, { values: {}, as_node: 'nobody' }),
    server.get(`/threads/${thread}/runs/${crypto.randomUUID()}/join`),
    server.post(`/threads/${crypto.randomUUID()}/copy`),
    server.post('/runs/wait', { assistant_id: 'failing', input: {} }),
  ])
  expect([update.status, join.status, copy.status]).toEqual([422, 404, 404])
  for (const { json } of [update, join, copy]) expect(json).toHaveProperty('detail')
  expect(failed.json).toEqual({ __error__: { error: 'NoLuck', message: 'It was not to be.' } })
  expect((await server.get('/assistants/typed/schemas')).status).toBe(200)
})

test('18: nothing wipes the store, the server is reachable from this machine only, and other sites never get credentials', async () => {
  expect((await server.post('/internal/truncate')).status).toBe(404)
  expect((await fetch(`${server.url}/ok`)).status).toBe(403)
  const response = await server.get('/ok', { origin: 'https://example.com' })
  // Pages of other origins may call with their own key, as on other agent servers.
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  const outside = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .find((one) => !one.internal)
  if (outside?.family !== 'IPv4') return
  const reached = new Promise((resolve) => {
    request({ host: outside.address, port: server.server.port, path: '/ok' }, resolve).on('error', resolve).end()
  })
  expect(await reached).toMatchObject({ code: 'ECONNREFUSED' })
})

test('19: no header of a request is stored', async () => {
  const thread = await server.newThread()
  const headers = { 'x-colour': 'header-red', 'user-agent': 'header-agent', authorization: 'Bearer header-secret' }
  await server.post(`/threads/${thread}/runs/wait`, counting(1), headers)
  const seen = await Promise.all(
    [`/threads/${thread}`, `/threads/${thread}/runs`, `/threads/${thread}/state`].map((path) => server.get(path)),
  )
  for (const { text } of seen) expect(text).not.toContain('header-')
})

test('20: webhooks never go to internal addresses unless the operator allows it, are not redirected, and no feedback keys are requested', async () => {
  const strict = await testServer()
  for (const webhook of [
    'http://127.0.0.1/x',
    'http://localhost/x',
    'http://10.0.0.1/',
    'http://[::1]/',
    'file:///etc',
  ])
    expect([webhook, (await strict.post('/runs', counting(0, 0, { webhook }))).status]).toEqual([webhook, 422])
  expect(await strict.post('/runs', counting(0, 0, { feedback_keys: ['a'] }))).toMatchObject({
    status: 422,
    json: { detail: [{ loc: ['body', 'feedback_keys'] }] },
  })
  await strict.close()
  const paths: (string | undefined)[] = []
  const target = createServer((incoming, response) => {
    paths.push(incoming.url)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as AddressInfo
  await server.post('/runs', counting(0, 0, { webhook: `http://127.0.0.1:${port}/told` }))
  await expect.poll(() => paths.length).toBeGreaterThan(0)
  expect(paths).not.toContain('/elsewhere')
  target.closeAllConnections()
  target.close()
})
