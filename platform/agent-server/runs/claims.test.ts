import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { query, testDatabase } from '@/scripts/testing'
import { collect, nextEvent, readEvents, type TestServer, testServer } from '../testing'

// Generous, because a busy machine is slow: only what is never found should time out.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

// Processes of one deployment that never poll: what becomes claimable is found by notices alone.
let database: Awaited<ReturnType<typeof testDatabase>>
const all: TestServer[] = []
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(async () => {
  await Promise.all(all.map((server) => server.close()))
  await database.drop()
})

async function serve(): Promise<TestServer> {
  const server = await testServer({ databaseUrl: database.url, pollMs: 600_000 })
  all.push(server)
  return server
}
async function pair(): Promise<[TestServer, TestServer]> {
  while (all.length < 2) await serve()
  return all.slice(0, 2) as [TestServer, TestServer]
}
async function stop(server: TestServer): Promise<void> {
  all.splice(all.indexOf(server), 1)
  await server.close()
}
const counting = (until: number, delay = 0) => ({ assistant_id: 'counter', input: { until, delay, count: 0 } })
const rowsOf = (statement: string) =>
  query(database.url, statement.replaceAll(/(from|update) runs/g, '$1 agent_test.runs'))

test.each([1, 2, 4])('a run costs one look at the queue, with %i processes', async (count) => {
  while (all.length < count) await serve()
  const spy = vi.spyOn(pg.Pool.prototype, 'query')
  const looks = () =>
    spy.mock.calls.filter(([text]) => String(text).includes("update runs set status = 'running'")).length
  const threads = await Promise.all(all.map((server) => server.newThread()))
  for (let n = 0; n < 8; n += 1) {
    const server = all[n % count] as TestServer
    const path = `/threads/${threads[n % count]}/runs/wait`
    expect((await server.post(path, counting(2))).json.count).toBe(2)
  }
  const looked = looks()
  spy.mockRestore()
  expect(looked).toBe(8)
})

test('a run on a busy thread begins when the one before it ends in another process', async () => {
  const [a, b] = await pair()
  const thread = await a.newThread()
  const runs: string[] = []
  // The second is still reserved for its creator when the first one ends, the third is not.
  const create = async (server: TestServer, until: number) => {
    runs.push((await server.post(`/threads/${thread}/runs`, counting(until, 20))).json.run_id)
    if (runs.length < 3) await server.until(thread, runs.at(-1) as string, 'running')
  }
  for (const [server, until] of [
    [a, 3],
    [b, 20],
    [a, 1],
  ] as const)
    await create(server, until)
  await a.until(thread, runs[2] as string, 'success')
})

test('a run is found when its creator, or the process that frees its thread, claims no more', async () => {
  const [b] = await pair()
  const a = await serve()
  const thread = await a.newThread()
  const first = (await a.post(`/threads/${thread}/runs`, counting(6, 50))).json
  await a.until(thread, first.run_id, 'running')
  const queued = (await a.post(`/threads/${thread}/runs`, counting(1))).json
  const other = await a.newThread()
  const delayed = (await a.post(`/threads/${other}/runs`, { ...counting(1), after_seconds: 0.5 })).json
  await a.server.drain()
  await b.until(thread, queued.run_id, 'success')
  await b.until(other, delayed.run_id, 'success')
  await stop(a)
})

test('a run that is given back at a stop goes on elsewhere', async () => {
  const [b] = await pair()
  const a = await serve()
  const thread = await a.newThread()
  const { run_id } = (await a.post(`/threads/${thread}/runs`, counting(20, 50))).json
  await a.until(thread, run_id, 'running')
  await stop(a)
  await b.until(thread, run_id, 'success')
})

test('a process that is full leaves the rest to others', async () => {
  const running = async () => (await rowsOf(`select from runs where status = 'running'`)).length
  const [a] = await pair()
  await a.post('/runs/batch', Array(101).fill(counting(1, 30_000)))
  await expect.poll(running, { timeout: 60_000 }).toBe(101)
  await a.post('/runs/cancel', { status: 'running' })
  await expect.poll(running, { timeout: 60_000 }).toBe(0)
})

test('the runs of a dead process go back to the queue with one statement', async () => {
  const [a] = await pair()
  // Due much later, so that nobody claims them again.
  await a.post('/runs/batch', Array(12).fill({ ...counting(1), after_seconds: 3600 }))
  const ids = (
    await rowsOf(
      `update runs set status = 'running', owner = 987654, attempt = 1 where status = 'pending' returning run_id`,
    )
  ).map(({ run_id }) => run_id)
  await rowsOf(`update runs set cancel = 'interrupt' where run_id = '${ids[0]}'`)
  await rowsOf(`update runs set crashes = 9 where run_id = '${ids[1]}'`)
  const spy = vi.spyOn(pg.Pool.prototype, 'query')
  const quick = await testServer({ databaseUrl: database.url, pollMs: 100 })
  all.push(quick)
  const after = async () => {
    const rows = await rowsOf(`select run_id, status, crashes, error ->> 'error' as error from runs`)
    return ids.map((id) => rows.find(({ run_id }) => run_id === id))
  }
  await expect
    .poll(after, { timeout: 30_000 })
    .toMatchObject([
      { status: 'interrupted' },
      { status: 'error', error: 'ProcessCrashed' },
      ...Array(10).fill({ status: 'pending', crashes: 1 }),
    ])
  const released = spy.mock.calls.filter(([text]) => String(text).includes("set status = 'pending'"))
  spy.mockRestore()
  expect(released).toHaveLength(1)
  await stop(quick)
})

test('a run that may have ended its processes keeps others like it waiting until it has stored steps', async () => {
  await pair()
  const runs = Array(all.length + 1).fill({ ...counting(1000, 100), config: { recursion_limit: 1000 } })
  const [a] = all as [TestServer]
  await a.post(
    '/runs/batch',
    runs.map((run) => ({ ...run, after_seconds: 3600 })),
  )
  await rowsOf(`update runs set crashes = 5, attempt = 5, run_after = now() where status = 'pending' and crashes = 0`)
  await a.post('/runs/wait', counting(1))
  const going = () => rowsOf(`select from runs where crashes = 5 and status = 'running'`)
  await expect.poll(going, { timeout: 30_000 }).toHaveLength(runs.length)
  await a.post('/runs/cancel', { status: 'running' })
  await expect.poll(going, { timeout: 30_000 }).toHaveLength(0)
})

test('what an attempt still writes after another one has the run is neither stored nor sent', async () => {
  const [a, b] = await pair()
  const thread = await a.newThread()
  const body = { ...counting(200, 20), stream_mode: 'custom', stream_resumable: true }
  const location = `/threads/${thread}/runs`
  const { run_id } = (await a.post(location, { ...body, config: { recursion_limit: 1000 } })).json
  const elsewhere = readEvents(await b.open('GET', `${location}/${run_id}/stream`))
  for (let seen = 0; seen < 3; seen = (await nextEvent(elsewhere, 'custom')).data.count);
  // As when others took its process for dead, though it lives.
  // Inserts that are under way end first.
  await rowsOf(
    `lock table agent_test.run_events, agent_test.checkpoints in exclusive mode;
     update runs set attempt = 2, owner = 987654 where run_id = '${run_id}'`,
  )
  const lastStored = `select (select max(id)::int from agent_test.run_events where run_id = '${run_id}') as id,
    (select max(checkpoint_id) from agent_test.checkpoints where thread_id = '${thread}') as checkpoint`
  const [last] = await rowsOf(lastStored)
  const active = async () => /^agent_queue_active (\d+)/m.exec((await a.get('/metrics')).text)?.[1]
  await expect.poll(active).toBe('0')
  expect(await rowsOf(lastStored)).toEqual([last])
  await rowsOf(`delete from runs where run_id = '${run_id}'`)
  expect((await collect(elsewhere)).filter(({ id }) => Number(id) > last.id).map(({ event }) => event)).toEqual(['end'])
})
