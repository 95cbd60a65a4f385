import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { query } from '@/scripts/testing'
import { collect, nextEvent, readEvents, storeTest, type TestServer, type TestStore, testStore } from '../testing'

// Generous, because processes start slowly on a busy machine: only a hang should time out.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const folder = mkdtempSync(path.join(os.tmpdir(), 'agent-server-'))
afterAll(() => rmSync(folder, { recursive: true }))

const counting = (file: string, until = 12, delay = 100) => ({
  assistant_id: 'counter',
  input: { until, delay, file: path.join(folder, file) },
  stream_mode: 'custom',
  config: { recursion_limit: 1000 },
})
/** Keeps the run from going beyond a step, until the result is called. */
function hold(file: string, step: number): () => void {
  const gate = `${path.join(folder, file)}.hold-after-${step}`
  writeFileSync(gate, '')
  return () => rmSync(gate)
}
const stepsIn = (file: string) => readFileSync(path.join(folder, file), 'utf8').trim().split('\n').map(Number)
/** Each step once; the one in progress at a kill twice if it was done and its checkpoint not yet written. */
function expectNothingRepeated(file: string, until: number) {
  const steps = stepsIn(file)
  expect(steps.filter((step, index) => step !== steps[index - 1])).toEqual(numbers(until))
  expect(steps.length - until).toBeLessThanOrEqual(1)
}
const numbers = (until: number) => Array.from({ length: until }, (_, index) => index + 1)

describe('kill -9 in the middle of runs, then a second process', () => {
  let store: TestStore
  let second: TestServer
  const threads = { kept: '', counting: '', exit: '', dead: '', empty: '' }
  const runs = { counting: '', queued: '', exit: '', dead: '' }
  let cut: Promise<unknown>

  beforeAll(async () => {
    store = await testStore()
    const first = await store.start()
    for (const name of Object.keys(threads) as (keyof typeof threads)[])
      threads[name] = await first.newThread({ metadata: { name } })
    const begin = async (name: 'exit' | 'dead', body: object) => {
      runs[name] = (await first.post(`/threads/${threads[name]}/runs`, body)).json.run_id
      await first.until(threads[name], runs[name], 'running')
    }
    await begin('dead', counting('dead', 1000, 50))
    await first.post(`/threads/${threads.kept}/runs/wait`, { assistant_id: 'counter', input: { until: 2 } })
    // Continuous reads must not delay writes.
    for (let n = 0; n < 20; n++) await first.get(`/threads/${threads.kept}`)
    // Neither ends before the kill, however slow the machine is.
    const goOn = [hold('exit', 5), hold('kill', 6)]
    await begin('exit', { ...counting('exit', 6, 50), durability: 'exit' })
    const asked = { ...counting('kill', 12), stream_resumable: true }
    const events = readEvents(await first.open('POST', `/threads/${threads.counting}/runs/stream`, asked))
    runs.counting = (await events.next()).value?.data.run_id
    const next = { assistant_id: 'counter', input: { until: 1 } }
    runs.queued = (await first.post(`/threads/${threads.counting}/runs`, next)).json.run_id
    // Losses of earlier attempts do not count, because steps were stored since.
    await query(
      store.url,
      `update agent_test.runs set crashes = 2 where run_id in ('${runs.counting}', '${runs.exit}')`,
    )
    for (let seen = 0; seen < 6; seen = (await nextEvent(events, 'custom')).data.count);
    await first.kill('SIGKILL')
    cut = collect(events).catch((error: Error) => error)
    for (const release of goOn) release()
    second = await store.serve()
  })
  afterAll(() => store.close())

  test('a run of the dead process can be cancelled at once', async () => {
    const path = `/threads/${threads.dead}/runs/${runs.dead}`
    expect((await second.post(`${path}/cancel?wait=1`)).status).toBe(204)
    expect((await second.get(path)).json.status).toBe('interrupted')
  })

  test('no acknowledged write is lost', async () => {
    expect((await second.get(`/threads/${threads.kept}`)).json).toMatchObject({
      status: 'idle',
      values: { count: 2 },
      metadata: { name: 'kept' },
    })
    expect((await second.get(`/threads/${threads.empty}`)).status).toBe(200)
  })

  test('the run resumes from its last checkpoint as attempt 2 and repeats no checkpointed step', async () => {
    expect(await cut).toBeInstanceOf(Error)
    const path = `/threads/${threads.counting}/runs/${runs.counting}`
    const rest = await second.join(`${path}/stream`, { 'last-event-id': '-1' })
    expect(rest.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)).toEqual([1, 2])
    expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    const ids = rest.map(({ id }) => Number(id))
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    // Whatever is not done again was stored with its events.
    const counts = rest.filter(({ event }) => event === 'custom').map(({ data }) => data.count)
    expect([...new Set(counts)]).toEqual(numbers(12))
    expectNothingRepeated('kill', 12)
    await second.until(threads.counting, runs.queued, 'success')
    expect((await second.get(`/threads/${threads.counting}`)).json.values.log).toHaveLength(13)
  })

  test('a run without a checkpoint restarts from its input, however often processes that it shared have ended', async () => {
    await second.until(threads.exit, runs.exit, 'success')
    const steps = stepsIn('exit')
    expect(steps).toEqual([...numbers(steps.length - 6), ...numbers(6)])
    expect(steps.length).toBeGreaterThan(6)
    expect((await second.get(`/threads/${threads.exit}`)).json.values.count).toBe(6)
  })
})

describe.concurrent('a restart', () => {
  storeTest('a run that repeatedly crashes its process fails for good and frees its thread', async ({ store }) => {
    const first = await store.start()
    const thread = await first.newThread()
    const run = (
      await first.post(`/threads/${thread}/runs`, {
        assistant_id: 'failing',
        input: { how: 'crash' },
      })
    ).json
    for (let crashes = 1, running = first; ; crashes++, running = await store.start()) {
      while (running.child.signalCode === null) await sleep(20)
      if (crashes === 3) break
    }
    const last = await store.serve()
    await last.until(thread, run.run_id, 'error')
    expect((await last.get(`/threads/${thread}/runs/${run.run_id}/join`)).json.__error__.error).toBe('ProcessCrashed')
    expect((await last.get(`/threads/${thread}`)).json.status).toBe('error')
    const [end] = await last.join(`/threads/${thread}/runs/${run.run_id}/stream`, { 'last-event-id': '2000000007' })
    expect([end?.event, end?.id]).toEqual(['end', '2000000008'])
    expect((await last.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: {} })).json.count).toBe(3)
  })

  storeTest('a run that crashes its processes does not take others with it', async ({ store }) => {
    const first = await store.start()
    const begin = async (body: object) => {
      const thread = await first.newThread()
      return { thread, run: (await first.post(`/threads/${thread}/runs`, body)).json.run_id as string }
    }
    const beside = await begin({ ...counting('beside', 6, 200), durability: 'exit' })
    const crashing = await begin({ assistant_id: 'failing', input: { how: 'crash' } })
    for (let crashes = 1, running = first; ; crashes++, running = await store.start()) {
      while (running.child.signalCode === null) await sleep(20)
      // The first one has stored a step, which the second one has not.
      if (crashes === 2) await query(store.url, 'update agent_test.runs set crashes = 4')
      if (crashes === 3) break
    }
    const last = await store.serve()
    await last.until(crashing.thread, crashing.run, 'error')
    await last.until(beside.thread, beside.run, 'success')
  })

  storeTest(
    'a run whose owner is in no list is continued: its claim came after it was given up',
    async ({ store: { serve, url } }) => {
      const child = await serve()
      const thread = await child.newThread()
      const run = (await child.post(`/threads/${thread}/runs`, { ...counting('nobody', 3), after_seconds: 3600 })).json
      const admin = new pg.Client({ connectionString: url })
      await admin.connect()
      await admin.query("update agent_test.runs set status = 'running', owner = 987654, attempt = 1, run_after = now()")
      await admin.end()
      await child.until(thread, run.run_id, 'success')
      expect(stepsIn('nobody')).toEqual(numbers(3))
    },
  )

  storeTest(
    'connections that are cut in the middle cost an attempt at most, never the run',
    async ({ store: { serve, url } }) => {
      const child = await serve()
      const thread = await child.newThread()
      const events = readEvents(await child.open('POST', `/threads/${thread}/runs/stream`, counting('store', 10)))
      for (let seen = 0; seen < 3; seen = (await nextEvent(events, 'custom')).data.count);
      const admin = new pg.Client({ connectionString: url })
      await admin.connect()
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      await admin.end()
      const rest = await collect(events)
      expect(rest.some(({ event }) => event === 'error')).toBe(false)
      expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
      expect((await child.get(`/threads/${thread}`)).json.values.count).toBe(10)
      // The instance holds its lock again, so other processes take nothing from it.
      const long = (await child.post(`/threads/${thread}/runs`, counting('kept', 100, 50))).json
      await child.until(thread, long.run_id, 'running')
      await serve()
      await sleep(3000)
      await child.post(`/threads/${thread}/runs/${long.run_id}/cancel?wait=1`)
      const steps = stepsIn('kept')
      expect(steps).toEqual(numbers(steps.length))
    },
  )

  storeTest('a process that others take for dead claims nothing', async ({ store: { serve, url } }) => {
    const server = await serve()
    const thread = await server.newThread()
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    const { rows } = await admin.query(
      `select pid, classid::int, objid::int from pg_locks where locktype = 'advisory' and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())`,
    )
    // The next in the line for its lock gets it when its connection is cut.
    const taken = admin.query('select pg_advisory_lock($1, $2)', [rows[0].classid, rows[0].objid])
    const killer = new pg.Client({ connectionString: url })
    await killer.connect()
    await killer.query('select pg_terminate_backend($1)', [rows[0].pid])
    await taken
    await expect.poll(() => server.logs.join('\n'), { timeout: 60_000 }).toContain('is still held')
    const { run_id } = (await server.post(`/threads/${thread}/runs`, counting('lockless', 3))).json
    await sleep(1500) // more than a poll of the queue
    expect((await server.get(`/threads/${thread}/runs/${run_id}`)).json.status).toBe('pending')
    await Promise.all([admin.end(), killer.end()])
    await server.until(thread, run_id, 'success')
  })

  storeTest(
    'SIGTERM gives runs back at a step, cuts streams so that clients come again, and takes less than 4 s',
    async ({ store: { start, serve } }) => {
      const first = await start()
      const thread = await first.newThread()
      const events = readEvents(await first.open('POST', `/threads/${thread}/runs/stream`, counting('term', 40, 50)))
      const run = (await events.next()).value?.data.run_id as string
      for (let seen = 0; seen < 3; seen = (await nextEvent(events, 'custom')).data.count);
      const begun = Date.now()
      const [, error] = await Promise.all([first.kill('SIGTERM'), collect(events).catch((reason: Error) => reason)])
      expect(error).toBeInstanceOf(Error)
      expect(first.child.exitCode).toBe(0)
      expect(Date.now() - begun).toBeLessThan(4000)
      const second = await serve()
      await second.until(thread, run, 'success')
      expect(stepsIn('term')).toEqual(numbers(40))
    },
  )

  storeTest('it ends when its launcher is gone', async ({ store: { start } }) => {
    const child = await start()
    const begun = Date.now()
    child.child.disconnect()
    while (child.child.exitCode === null) await sleep(20)
    expect(Date.now() - begun).toBeLessThan(4000)
  })
})

describe.concurrent('two processes on one store', () => {
  storeTest('one executes, the other reads, cancels and waits', async ({ store: { start, serve } }) => {
    const [a, b] = await Promise.all([start(), serve()])
    const thread = await a.newThread()
    const goOn = hold('two', 1)
    const response = await a.open('POST', `/threads/${thread}/runs/stream`, counting('two', 24, 20))
    const own = readEvents(response)
    await nextEvent(own, 'custom')
    const path = response.headers.get('location') as string
    const readers = [readEvents(await b.open('GET', path)), readEvents(await b.open('GET', path))]
    const waiting = b.get(path.replace(/stream$/, 'join'))
    goOn()
    const [rest, ...joined] = await Promise.all([own, ...readers].map((events) => collect(events)))
    for (const events of joined) {
      const counts = events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)
      expect(counts).toEqual(numbers(24).slice(1))
      expect(events.at(-1)).toEqual(rest?.at(-1))
    }
    expect((await waiting).json.count).toBe(24)
    expect(stepsIn('two')).toEqual(numbers(24))

    const cancelled = readEvents(await a.open('POST', `/threads/${thread}/runs/stream`, counting('cancelled', 200, 30)))
    const run = (await nextEvent(cancelled, 'metadata')).data
    await nextEvent(cancelled, 'custom')
    expect((await b.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1&action=rollback`)).status).toBe(204)
    expect((await b.get(`/threads/${thread}/state`)).json.values.count).toBe(24)
  })

  storeTest(
    'a process that is drained serves on, and the other one executes what it is asked for',
    async ({ store: { start, serve } }) => {
      const [a, b] = await Promise.all([start(), serve()])
      const idle = once(a.child, 'message')
      a.child.send({ drain: true })
      expect((await idle)[0]).toEqual({ idle: true })
      const thread = await a.newThread()
      const events = await a.stream(`/threads/${thread}/runs/stream`, counting('drained', 4, 20))
      expect(events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)).toEqual([1, 2, 3, 4])
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
      expect((await a.post('/runs/wait', { assistant_id: 'counter', input: { until: 2 } })).json.count).toBe(2)
      expect((await b.get('/ok')).json).toEqual({ ok: true })
    },
  )

  storeTest(
    'a reader of a run whose process dies reads on where another one takes it up',
    async ({ store: { start, serve } }) => {
      // Alone at first, so that it claims the run.
      const a = await start()
      const thread = await a.newThread()
      const goOn = hold('moved', 3)
      const run = (await a.post(`/threads/${thread}/runs`, counting('moved', 40))).json
      await a.until(thread, run.run_id, 'running')
      const b = await serve()
      const reading = readEvents(await b.open('GET', `/threads/${thread}/runs/${run.run_id}/stream`))
      goOn()
      await nextEvent(reading, 'custom')
      await a.kill('SIGKILL')
      const events = await collect(reading)
      const counts = events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)
      expect(events.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)).toEqual([2])
      expect(counts.at(-1)).toBe(40)
      expectNothingRepeated('moved', 40)
    },
  )
})
