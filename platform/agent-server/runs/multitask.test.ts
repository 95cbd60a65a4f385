import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ChildServer, storeTest, type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const long = {
  assistant_id: 'counter',
  input: { until: 1000, delay: 20 },
  config: { recursion_limit: 2000 },
  stream_mode: 'custom',
}
const short = (strategy?: string) => ({ assistant_id: 'counter', input: { until: 1 }, multitask_strategy: strategy })

/** A thread with a run that has made a few steps. */
async function busyThread() {
  const thread = await server.newThread()
  const run = (await server.post(`/threads/${thread}/runs`, long)).json
  await server.until(thread, run.run_id, 'running')
  await sleep(120)
  return { thread, first: run.run_id as string }
}

test('reject: the new run is refused with 409 and the first continues', async () => {
  const { thread, first } = await busyThread()
  expect(await server.post(`/threads/${thread}/runs`, short('reject'))).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining(first) },
  })
  expect((await server.get(`/threads/${thread}/runs`)).json).toHaveLength(1)
  await server.post(`/threads/${thread}/runs/${first}/cancel?wait=1`)
  expect((await server.post(`/threads/${thread}/runs/wait`, short('reject'))).status).toBe(200)
})

test('reject: a pending run makes the thread busy too', async () => {
  const thread = await server.newThread()
  const waiting = (await server.post(`/threads/${thread}/runs`, { ...short(), after_seconds: 3600 })).json
  expect(await server.post(`/threads/${thread}/runs`, short('reject'))).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining(`${waiting.run_id} is pending`) },
  })
})

storeTest(
  'reject: a run of another process makes the thread busy too',
  async ({ store: { start } }) => {
    // Alone at first, so that it claims the run.
    const a = await start()
    const thread = await a.newThread()
    const { run_id: first } = (await a.post(`/threads/${thread}/runs`, long)).json
    await a.until(thread, first, 'running')
    const b = await start()
    const active = async (one: ChildServer) => /^agent_queue_active (\d+)/m.exec((await one.get('/metrics')).text)?.[1]
    expect([await active(a), await active(b)]).toEqual(['1', '0'])
    expect(await b.post(`/threads/${thread}/runs`, short('reject'))).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining(`${first} is running`) },
    })
    expect((await b.get(`/threads/${thread}/runs`)).json).toHaveLength(1)
    await b.post(`/threads/${thread}/runs/${first}/cancel?wait=1`)

    const idle = Array.from({ length: 5 }, () => a.newThread())
    for (const one of await Promise.all(idle)) {
      const starts = [a, b].map((server) =>
        server.post(`/threads/${one}/runs`, { ...long, multitask_strategy: 'reject' }),
      )
      expect((await Promise.all(starts)).map(({ status }) => status).sort()).toEqual([200, 409])
    }
  },
  60_000,
)

test('a rollback stays requested when an interrupt is requested after it', async () => {
  const thread = await server.newThread()
  const { run_id: run } = (await server.post(`/threads/${thread}/runs`, { ...short(), after_seconds: 3600 })).json
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  // Like a run that this server executes and that stops slowly.
  await client.query(
    `update agent_test.runs set status = 'running', owner = (select id from agent_test.instances limit 1) where run_id = $1`,
    [run],
  )
  for (const action of ['rollback', 'interrupt'])
    await server.post(`/threads/${thread}/runs/${run}/cancel?action=${action}`)
  const { rows } = await client.query('select status, cancel from agent_test.runs where run_id = $1', [run])
  expect(rows).toEqual([{ status: 'running', cancel: 'rollback' }])
  await client.query('delete from agent_test.runs where run_id = $1', [run])
  await client.end()
})

test('enqueue is the default: runs execute in order', async () => {
  const thread = await server.newThread()
  const body = { assistant_id: 'counter', input: { until: 2, delay: 30 } }
  const runs = []
  for (let n = 0; n < 4; n++) runs.push((await server.post(`/threads/${thread}/runs`, body)).json)
  expect(runs.map((run) => run.multitask_strategy)).toEqual(Array(4).fill('enqueue'))
  for (const [index, run] of runs.entries()) {
    await server.until(thread, run.run_id, 'success')
    const later = await Promise.all(
      runs.slice(index + 2).map((one) => server.get(`/threads/${thread}/runs/${one.run_id}`)),
    )
    for (const { json } of later) expect(json.status).toBe('pending')
  }
  expect((await server.get(`/threads/${thread}`)).json.status).toBe('idle')
  expect((await server.get(`/threads/${thread}/state`)).json.values.log).toHaveLength(8)
})

test('interrupt: the first run is interrupted and keeps its work, and the new run’s output follows', async () => {
  const { thread, first } = await busyThread()
  const { json } = await server.post(`/threads/${thread}/runs/wait`, short('interrupt'))
  expect((await server.get(`/threads/${thread}/runs/${first}`)).json.status).toBe('interrupted')
  expect(json.log.length).toBeGreaterThan(2)
  expect(json.log.at(-1)).toBe('none 1')
  expect(json.log.at(-2)).not.toBe('none 1')
  expect((await server.get(`/threads/${thread}`)).json.status).toBe('idle')
})

test('rollback: the first run and its checkpoints are removed, and the new run starts from the state before it', async () => {
  const { thread, first } = await busyThread()
  const joined = server.join(`/threads/${thread}/runs/${first}/stream`)
  await sleep(50)
  const { json } = await server.post(`/threads/${thread}/runs/wait`, short('rollback'))
  expect(json.log).toEqual(['none 1'])
  expect((await server.get(`/threads/${thread}/runs/${first}`)).status).toBe(404)
  expect((await server.get(`/threads/${thread}/history?limit=100`)).json).toHaveLength(3)
  expect((await joined).at(-1)).toMatchObject({ event: 'end', data: { status: 'rollback' } })
})

test('pending runs are interrupted or removed too', async () => {
  const { thread, first } = await busyThread()
  const waiting = (await server.post(`/threads/${thread}/runs`, short())).json
  await server.post(`/threads/${thread}/runs/wait`, short('interrupt'))
  expect((await server.get(`/threads/${thread}/runs/${waiting.run_id}`)).json.status).toBe('interrupted')
  expect((await server.get(`/threads/${thread}/runs/${first}`)).json.status).toBe('interrupted')
})

test('mixed strategies never run two runs of a thread at once, and every run ends', async () => {
  const thread = await server.newThread()
  const strategies = ['enqueue', 'interrupt', 'rollback', 'enqueue', 'interrupt', 'rollback', 'enqueue', 'interrupt']
  const body = (multitask_strategy: string) => ({
    assistant_id: 'counter',
    input: { until: 3, delay: 15 },
    multitask_strategy,
  })
  const responses = await Promise.all(
    strategies.map((strategy) => server.post(`/threads/${thread}/runs`, body(strategy))),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
  for (let tries = 0; tries < 200 && (await server.get(`/threads/${thread}`)).json.status === 'busy'; tries++) {
    const { json } = await server.get(`/threads/${thread}/runs?limit=100`)
    expect(json.filter((run: { status: string }) => run.status === 'running').length).toBeLessThanOrEqual(1)
    await sleep(20)
  }
  const { json } = await server.get(`/threads/${thread}/runs?limit=100`)
  for (const run of json) expect(['success', 'interrupted']).toContain(run.status)
})

test('ten runs of ten threads execute at the same time', async () => {
  const threads = await Promise.all(Array.from({ length: 10 }, () => server.newThread()))
  const slow = { ...long, input: { until: 1000, delay: 1000 } }
  const runs = await Promise.all(threads.map((thread) => server.post(`/threads/${thread}/runs`, slow)))
  const paths = runs.map(({ json }) => `/threads/${json.thread_id}/runs/${json.run_id}`)
  const statuses = async () => (await Promise.all(paths.map((one) => server.get(one)))).map(({ json }) => json.status)
  // None ends without an answer, so they must run at the same time.
  await expect.poll(statuses, { timeout: 15_000 }).toEqual(Array(10).fill('running'))
  await Promise.all(paths.map((one) => server.post(`${one}/cancel?wait=1`)))
})

/** A connection whose transaction other requests wait for. */
async function rival() {
  const client = new pg.Client({ connectionString: server.databaseUrl, options: '-c search_path=agent_test' })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  const blocked = async () =>
    (
      await client.query(
        `select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      )
    ).rowCount
  return { client, blocked }
}
const delayed = { ...short(), after_seconds: 3600 }

test.each(['interrupt', 'rollback'])(
  '%s: a run that is claimed meanwhile is stopped by its process',
  async (action) => {
    const thread = await server.newThread()
    const { run_id } = (await server.post(`/threads/${thread}/runs`, delayed)).json
    const { client, blocked } = await rival()
    await client.query(
      `update runs set status = 'running', owner = (select id from instances limit 1) where run_id = $1`,
      [run_id],
    )
    const created = server.post(`/threads/${thread}/runs`, short(action))
    await expect.poll(blocked, { timeout: 20_000 }).toBe(1)
    await client.query('commit')
    expect((await created).status).toBe(200)
    const { rows } = await client.query('select status, cancel from runs where run_id = $1', [run_id])
    expect(rows).toEqual([{ status: 'running', cancel: action }])
    await client.query('delete from runs where run_id = $1', [run_id])
  },
)

test.each(['cancel', 'delete'])('a new run and the %s of a pending one do not block each other', async (action) => {
  const thread = await server.newThread()
  const { run_id } = (await server.post(`/threads/${thread}/runs`, delayed)).json
  const { client, blocked } = await rival()
  await client.query('select from threads where thread_id = $1 for update', [thread])
  const created = server.post(`/threads/${thread}/runs`, short('interrupt'))
  await expect.poll(blocked, { timeout: 20_000 }).toBe(1)
  const path = `/threads/${thread}/runs/${run_id}`
  const ended = action === 'cancel' ? server.post(`${path}/cancel`) : server.request('DELETE', path)
  await expect.poll(blocked, { timeout: 20_000 }).toBe(2)
  await client.query('commit')
  expect((await created).status).toBe(200)
  expect((await ended).status).toBeLessThan(500)
})
