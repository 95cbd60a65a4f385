import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { type TestServer, testServer } from '../testing'

type Json = Record<string, unknown>
const START = Date.parse('2030-05-01T10:00:30Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Servers that use this clock. */
class Time {
  at = START
  readonly now = () => new Date(this.at)
}

const create = async (server: TestServer, body: Json, path = '/runs/crons') => {
  const { status, json } = await server.post(path, { assistant_id: 'counter', schedule: '* * * * *', ...body })
  expect(status).toBe(200)
  return json
}
const read = async (server: TestServer, id: string) => (await server.get(`/runs/crons/${id}`)).json
/** Any change makes the server check its crons; it is done once the due firing has been moved on. */
async function look(server: TestServer, id: string, time: Time): Promise<void> {
  await server.request('PATCH', `/runs/crons/${id}`, {})
  await until(async () => {
    const next = (await read(server, id)).next_run_date
    return next === null || Date.parse(next) > time.at
  })
}
async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 8000; Date.now() < end; ) {
    if (await isDone()) return
    await sleep(10)
  }
  throw new Error('What was waited for did not come.')
}
const threadsOf = async (server: TestServer, id: string) =>
  (await server.post('/threads/search', { metadata: { cron_id: id }, limit: 100 })).json as {
    thread_id: string
    status: string
  }[]
const quiet = { input: { until: 1 } }

describe('a cron', () => {
  const time = new Time()
  let server: TestServer
  beforeAll(async () => {
    server = await testServer({ now: time.now })
  })
  afterAll(() => server.close())

  test('stores its run request and reports its next firing', async () => {
    const cron = await create(server, {
      schedule: '0 9 * * *',
      timezone: 'Europe/Berlin',
      end_time: '2031-01-01T00:00:00Z',
      input: { until: 2 },
      context: { label: 'a' },
      config: { tags: ['t'] },
      stream_mode: ['values'],
      metadata: { team: 'x' },
      on_run_completed: 'keep',
    })
    expect(cron).toMatchObject({
      thread_id: null,
      schedule: '0 9 * * *',
      timezone: 'Europe/Berlin',
      end_time: '2031-01-01T00:00:00.000+00:00',
      enabled: true,
      on_run_completed: 'keep',
      metadata: { team: 'x' },
      next_run_date: '2030-05-02T07:00:00.000+00:00',
      payload: {
        assistant_id: cron.assistant_id,
        input: { until: 2 },
        context: { label: 'a' },
        config: { tags: ['t'] },
        stream_mode: ['values'],
        metadata: { team: 'x', cron_id: cron.cron_id },
      },
    })
    expect(await read(server, cron.cron_id)).toEqual(cron)
    expect((await create(server, {})).timezone).toBe('UTC')
  })

  test('is updated field by field, including its next firing', async () => {
    const { cron_id } = await create(server, { ...quiet, schedule: '0 9 * * *', metadata: { a: 1 } })
    const patch = async (body: Json) => (await server.request('PATCH', `/runs/crons/${cron_id}`, body)).json
    expect(await patch({ metadata: { b: 2 }, input: { until: 7 } })).toMatchObject({
      metadata: { a: 1, b: 2 },
      payload: { input: { until: 7 }, metadata: { a: 1, b: 2, cron_id } },
      next_run_date: '2030-05-02T09:00:00.000+00:00',
    })
    expect(await patch({ schedule: '0 11 * * *' })).toMatchObject({ next_run_date: '2030-05-01T11:00:00.000+00:00' })
    expect(await patch({ timezone: 'Asia/Tokyo' })).toMatchObject({ next_run_date: '2030-05-02T02:00:00.000+00:00' })
    expect(await patch({ timezone: null })).toMatchObject({ timezone: 'UTC' })
    expect(await patch({ enabled: false })).toMatchObject({ enabled: false, next_run_date: null })
    expect(await patch({ enabled: true })).toMatchObject({ next_run_date: '2030-05-01T11:00:00.000+00:00' })
    expect(await patch({ end_time: '2030-05-01T10:30:00Z' })).toMatchObject({ next_run_date: null })
    expect(await patch({ end_time: null })).toMatchObject({
      end_time: null,
      next_run_date: '2030-05-01T11:00:00.000+00:00',
    })
    expect((await server.request('DELETE', `/runs/crons/${cron_id}`)).status).toBe(204)
    expect((await server.get(`/runs/crons/${cron_id}`)).status).toBe(404)
  })

  test.each([
    [{ schedule: '* * * * * *' }, 'schedule', 'five fields'],
    [{ schedule: '@daily' }, 'schedule', 'five fields'],
    [{ schedule: '0 0 30 2 *' }, 'schedule', 'never fires'],
    [{ timezone: 'Mars/Base' }, 'timezone', 'not a time zone'],
    [{ end_time: 'soon' }, 'end_time', 'ISO 8601'],
    [{ end_time: '2029-01-01T00:00:00Z' }, 'end_time', 'already passed'],
    [{ context: { label: 7 } }, 'context', ''],
    [{ webhook: 'http://127.0.0.1:1/' }, 'webhook', 'not a public address'],
    [{ on_run_completed: 'burn' }, 'on_run_completed', ''],
  ])('with %j is refused by its field', async (body, field, message) => {
    const response = await server.post('/runs/crons', { assistant_id: 'counter', schedule: '0 0 1 1 *', ...body })
    expect([response.status, response.json.detail[0].loc.slice(0, 2)]).toEqual([422, ['body', field]])
    expect(response.json.detail[0].msg).toContain(message)
  })

  test('of an unknown assistant or thread is a 404', async () => {
    const body = { assistant_id: 'nobody', schedule: '0 0 1 1 *' }
    expect((await server.post('/runs/crons', body)).status).toBe(404)
    const path = `/threads/${crypto.randomUUID()}/runs/crons`
    expect((await server.post(path, { ...body, assistant_id: 'counter' })).status).toBe(404)
  })

  test('can be searched by assistant, thread, metadata and enabled state', async () => {
    const { json: assistant } = await server.post('/assistants', { graph_id: 'counter', name: 'mine' })
    const mine = { assistant_id: assistant.assistant_id, ...quiet }
    const thread = await server.newThread()
    const a = await create(server, { ...mine, schedule: '0 3 * * *', metadata: { k: 1 } })
    const b = await create(server, { ...mine, schedule: '0 2 * * *', enabled: false })
    const c = await create(server, { ...mine, schedule: '0 1 * * *' }, `/threads/${thread}/runs/crons`)
    expect(c).toMatchObject({ thread_id: thread, on_run_completed: null })
    const find = async (body: Json) => {
      const response = await server.post('/runs/crons/search', body)
      return { ids: response.json.map((cron: Json) => cron.cron_id), headers: response.headers }
    }
    const assistant_id = assistant.assistant_id
    expect(new Set((await find({ assistant_id })).ids)).toEqual(new Set([a.cron_id, b.cron_id, c.cron_id]))
    expect((await find({ thread_id: thread })).ids).toEqual([c.cron_id])
    expect((await find({ metadata: { k: 1 } })).ids).toEqual([a.cron_id])
    expect((await find({ assistant_id, enabled: false })).ids).toEqual([b.cron_id])
    const sorted = await find({ assistant_id, enabled: true, sort_by: 'next_run_date', sort_order: 'asc', limit: 1 })
    expect(sorted.ids).toEqual([c.cron_id])
    expect([sorted.headers.get('x-pagination-total'), sorted.headers.get('x-pagination-next')]).toEqual(['2', '1'])
    expect((await server.post('/runs/crons/count', { assistant_id })).json).toBe(3)
    const selected = await server.post('/runs/crons/search', { thread_id: thread, select: ['cron_id', 'schedule'] })
    expect(selected.json).toEqual([{ cron_id: c.cron_id, schedule: '0 1 * * *' }])

    await server.request('DELETE', `/threads/${thread}`)
    expect((await find({ assistant_id })).ids).toHaveLength(2)
    await server.request('DELETE', `/assistants/${assistant_id}`)
    expect((await server.get(`/runs/crons/${a.cron_id}`)).status).toBe(404)
  })

  test('creates each run on a new thread; kept threads can be found by the cron id', async () => {
    const kept = await create(server, { ...quiet, on_run_completed: 'keep' })
    const fleeting = await create(server, quiet)
    for (let n = 0; n < 2; n++) {
      time.at += MINUTE
      await look(server, kept.cron_id, time)
      await look(server, fleeting.cron_id, time)
    }
    await until(async () => (await threadsOf(server, kept.cron_id)).every(({ status }) => status === 'idle'))
    const threads = await threadsOf(server, kept.cron_id)
    expect(threads).toHaveLength(2)
    const runs = await server.get(`/threads/${threads[0]?.thread_id}/runs`)
    expect(runs.json).toEqual([
      expect.objectContaining({
        status: 'success',
        metadata: expect.objectContaining({ cron_id: kept.cron_id }),
        kwargs: expect.objectContaining({ input: { until: 1 } }),
      }),
    ])
    expect(await threadsOf(server, fleeting.cron_id)).toEqual([])
    for (const { cron_id } of [kept, fleeting]) await server.request('DELETE', `/runs/crons/${cron_id}`)
    time.at += MINUTE
    await look(server, (await create(server, quiet)).cron_id, time)
    expect(await threadsOf(server, kept.cron_id)).toHaveLength(2)
  })

  test('on a thread runs there, one run at a time', async () => {
    const thread = await server.newThread()
    const cron = await create(server, quiet, `/threads/${thread}/runs/crons`)
    for (let n = 0; n < 2; n++) {
      time.at += MINUTE
      await look(server, cron.cron_id, time)
    }
    await until(async () => (await server.get(`/threads/${thread}`)).json.status === 'idle')
    const { json } = await server.get(`/threads/${thread}/runs`)
    expect(json.map(({ status, metadata }: Json) => [status, (metadata as Json).cron_id])).toEqual([
      ['success', cron.cron_id],
      ['success', cron.cron_id],
    ])
    await server.request('DELETE', `/runs/crons/${cron.cron_id}`)
  })

  test('reports a refused run and tries again at its next firing', async () => {
    const thread = await server.newThread()
    const busy = await server.post(`/threads/${thread}/runs`, {
      assistant_id: 'counter',
      input: { until: 100, delay: 100 },
    })
    const cron = await create(server, { ...quiet, multitask_strategy: 'reject' }, `/threads/${thread}/runs/crons`)
    time.at += MINUTE
    await look(server, cron.cron_id, time)
    expect(server.logs.join('\n')).toMatch(`Cron ${cron.cron_id} could not start its run: Thread ${thread} is busy`)
    await server.post(`/threads/${thread}/runs/${busy.json.run_id}/cancel?wait=1`)
    time.at += MINUTE
    await look(server, cron.cron_id, time)
    expect((await server.get(`/threads/${thread}/runs`)).json).toHaveLength(2)
  })

  test('stops at its end time, and does not fire while it is disabled', async () => {
    const on = await create(server, {
      ...quiet,
      on_run_completed: 'keep',
      end_time: new Date(time.at + 1.2 * MINUTE).toISOString(),
    })
    const off = await create(server, { ...quiet, on_run_completed: 'keep', enabled: false })
    for (let n = 0; n < 3; n++) {
      time.at += MINUTE
      await look(server, on.cron_id, time)
      await look(server, off.cron_id, time)
    }
    expect(await threadsOf(server, on.cron_id)).toHaveLength(1)
    expect((await read(server, on.cron_id)).next_run_date).toBeNull()
    expect(await threadsOf(server, off.cron_id)).toEqual([])
  })

  test('a firing that fails in the store is retried and happens once', async () => {
    const { cron_id } = await create(server, { ...quiet, on_run_completed: 'keep' })
    const database = new pg.Client({ connectionString: server.databaseUrl, options: '-c search_path=agent_test' })
    await database.connect()
    await database.query(`create function refuse() returns trigger language plpgsql as 'begin raise exception ''not now''; end';
      create trigger refuse before insert on runs for each row execute function refuse()`)
    const due = (await read(server, cron_id)).next_run_date
    time.at = Date.parse(due) + 1
    await server.request('PATCH', `/runs/crons/${cron_id}`, {})
    await until(async () => server.logs.some((line) => line.includes('not now')))
    expect((await read(server, cron_id)).next_run_date).toBe(due)
    await database.query('drop trigger refuse on runs')
    await database.end()
    await look(server, cron_id, time)
    expect(await threadsOf(server, cron_id)).toHaveLength(1)
  })
})

describe('several processes and restarts', () => {
  test('two servers on one database fire each cron once', async () => {
    const database = await testDatabase()
    const time = new Time()
    const options = { databaseUrl: database.url, now: time.now }
    const servers = await Promise.all([testServer(options), testServer(options)])
    const [first] = servers as [TestServer, TestServer]
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.push((await create(first, { ...quiet, on_run_completed: 'keep' })).cron_id)
    const MINUTES = 4
    for (let n = 0; n < MINUTES; n++) {
      time.at += MINUTE
      await Promise.all(servers.flatMap((server) => ids.map((id) => look(server, id, time))))
    }
    for (const id of ids) expect(await threadsOf(first, id)).toHaveLength(MINUTES)
    await Promise.all(servers.map((server) => server.close()))
    await database.drop()
  })

  test('a restart makes up for recently missed firings once, and skips older ones', async () => {
    const database = await testDatabase()
    const time = new Time()
    const start = () => testServer({ databaseUrl: database.url, now: time.now })
    let server = await start()
    const keep = { ...quiet, on_run_completed: 'keep' }
    const minutely = (await create(server, keep)).cron_id
    const daily = (await create(server, { ...keep, schedule: '5 10 * * *' })).cron_id
    await server.close()

    time.at = START + 20 * MINUTE
    server = await start()
    await look(server, minutely, time)
    await look(server, daily, time)
    expect(await threadsOf(server, minutely)).toHaveLength(1)
    expect(await threadsOf(server, daily)).toHaveLength(1)
    expect((await read(server, daily)).next_run_date).toBe('2030-05-02T10:05:00.000+00:00')
    await server.close()

    // A second restart at the same moment duplicates nothing.
    server = await start()
    await look(server, minutely, time)
    expect(await threadsOf(server, minutely)).toHaveLength(1)
    await server.close()

    time.at = START + 30 * HOUR
    server = await start()
    await look(server, daily, time)
    await look(server, minutely, time)
    expect(await threadsOf(server, daily)).toHaveLength(1)
    expect((await read(server, daily)).next_run_date).toBe('2030-05-03T10:05:00.000+00:00')
    expect(await threadsOf(server, minutely)).toHaveLength(2)
    expect(server.logs.join('\n')).toContain(`A firing of cron ${daily} was missed`)
    await server.close()
    await database.drop()
  })

  test('a cron fires on its own at its minute', async () => {
    let offset = 0
    const server = await testServer({ now: () => new Date(Date.now() + offset) })
    const cron = await create(server, { ...quiet, on_run_completed: 'keep' })
    // The next minute begins in a second.
    const due = Date.parse(cron.next_run_date)
    offset = due - 1000 - Date.now()
    await server.request('PATCH', `/runs/crons/${cron.cron_id}`, {})
    await until(async () => (await threadsOf(server, cron.cron_id)).length > 0)
    expect(Date.now() + offset).toBeGreaterThanOrEqual(due)
    expect((await read(server, cron.cron_id)).next_run_date).not.toBe(cron.next_run_date)
    await server.close()
  })
})
