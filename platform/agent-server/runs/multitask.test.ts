import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'

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
  const answers = await Promise.all(
    strategies.map((strategy) => server.post(`/threads/${thread}/runs`, body(strategy))),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  for (let tries = 0; tries < 200 && (await server.get(`/threads/${thread}`)).json.status === 'busy'; tries++) {
    const { json } = await server.get(`/threads/${thread}/runs?limit=100`)
    expect(json.filter((run: { status: string }) => run.status === 'running').length).toBeLessThanOrEqual(1)
    await sleep(20)
  }
  const { json } = await server.get(`/threads/${thread}/runs?limit=100`)
  for (const run of json) expect(['success', 'interrupted']).toContain(run.status)
})

test('fifty one-second runs on fifty threads take little longer than one', async () => {
  const begun = Date.now()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      server.post('/runs/wait', { assistant_id: 'counter', input: { until: 1, delay: 1000 } }),
    ),
  )
  expect(answers.every(({ json }) => json.count === 1)).toBe(true)
  expect(Date.now() - begun).toBeLessThan(6000)
})
