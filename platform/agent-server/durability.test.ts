import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { type ChildServer, childServer, collect, nextEvent, readEvents } from './testing'

const folder = mkdtempSync(path.join(os.tmpdir(), 'agent-server-'))
let database: Awaited<ReturnType<typeof testDatabase>>
const children: ChildServer[] = []
const start = async (...args: Partial<Parameters<typeof childServer>>) => {
  const child = await childServer(args[0] ?? database.url, ...(args.slice(1) as []))
  children.push(child)
  return child
}
beforeAll(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill('SIGKILL')
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

const counting = (file: string, until = 12, delay = 100) => ({
  assistant_id: 'counter',
  input: { until, delay, file: path.join(folder, file) },
  stream_mode: 'custom',
})
const stepsIn = (file: string) => readFileSync(path.join(folder, file), 'utf8').trim().split('\n').map(Number)
const numbers = (until: number) => Array.from({ length: until }, (_, index) => index + 1)

describe('a restart', () => {
  test('loses nothing that was acknowledged, however it came about', async () => {
    const first = await start()
    const thread = await first.newThread({ metadata: { kept: 'yes' } })
    await first.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until: 2 } })
    // Steady reading must not put off writing.
    for (let n = 0; n < 20; n++) await first.get(`/threads/${thread}`)
    const last = await first.newThread()
    await first.kill('SIGKILL')
    const second = await start()
    expect((await second.get(`/threads/${thread}`)).json).toMatchObject({
      status: 'idle',
      values: { count: 2 },
      metadata: { kept: 'yes' },
    })
    expect((await second.get(`/threads/${last}`)).status).toBe(200)
  })

  test('kill -9 in the middle: the run goes on from its last checkpoint, as attempt 2, and no step is done again', async () => {
    const first = await start()
    const thread = await first.newThread()
    const events = readEvents(
      await first.open('POST', `/threads/${thread}/runs/stream`, { ...counting('kill', 12), stream_resumable: true }),
    )
    const run = (await events.next()).value?.data.run_id as string
    const queued = (await first.post(`/threads/${thread}/runs`, { assistant_id: 'counter', input: { until: 1 } })).json
    for (let seen = 0; seen < 5; seen = (await nextEvent(events, 'custom')).data.count);
    await sleep(50)
    await first.kill('SIGKILL')
    await expect(collect(events)).rejects.toThrow()
    const second = await start()
    expect((await second.get(`/threads/${thread}/runs/${run}`)).json.status).toMatch(/running|pending/)
    const rest = await second.join(`/threads/${thread}/runs/${run}/stream`, { 'last-event-id': '-1' })
    expect(rest.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)).toEqual([1, 2])
    expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    const ids = rest.map(({ id }) => Number(id))
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(stepsIn('kill')).toEqual(numbers(12))
    await second.until(thread, queued.run_id, 'success')
    expect((await second.get(`/threads/${thread}`)).json.values.log).toHaveLength(13)
  }, 20_000)

  test('a run that was never checkpointed begins again with its input', async () => {
    const first = await start()
    const thread = await first.newThread()
    const run = (await first.post(`/threads/${thread}/runs`, { ...counting('exit', 6), durability: 'exit' })).json
    await sleep(350)
    await first.kill('SIGKILL')
    const second = await start()
    await second.until(thread, run.run_id, 'success')
    expect((await second.get(`/threads/${thread}`)).json.values.count).toBe(6)
  }, 20_000)

  test('a run that brings its process down each time is given up, and its thread is free', async () => {
    const thread = await (await start()).newThread()
    const run = (
      await (children[0] as ChildServer).post(`/threads/${thread}/runs`, {
        assistant_id: 'failing',
        input: { how: 'crash' },
      })
    ).json
    for (let crashes = 0; crashes < 3; crashes++) {
      const child = children.at(-1) as ChildServer
      while (child.child.signalCode === null) await sleep(50)
      await start()
    }
    const last = children.at(-1) as ChildServer
    await last.until(thread, run.run_id, 'error')
    expect((await last.get(`/threads/${thread}/runs/${run.run_id}/join`)).json.__error__.error).toBe('ProcessCrashed')
    expect((await last.get(`/threads/${thread}`)).json.status).toBe('error')
    expect((await last.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: {} })).json.count).toBe(3)
  }, 30_000)

  test('a run of a dead process can be cancelled at once', async () => {
    const first = await start()
    const thread = await first.newThread()
    const run = (await first.post(`/threads/${thread}/runs`, counting('dead', 100, 50))).json
    await first.until(thread, run.run_id, 'running')
    await sleep(200)
    await first.kill('SIGKILL')
    const second = await start()
    expect((await second.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1`)).status).toBe(204)
    expect((await second.get(`/threads/${thread}/runs/${run.run_id}`)).json.status).toBe('interrupted')
  }, 20_000)

  test('connections that are cut in the middle cost an attempt at most, never the run', async () => {
    const child = await start()
    const thread = await child.newThread()
    const events = readEvents(await child.open('POST', `/threads/${thread}/runs/stream`, counting('store', 10)))
    for (let seen = 0; seen < 3; seen = (await nextEvent(events, 'custom')).data.count);
    const admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await admin.end()
    const rest = await collect(events)
    expect(rest.some(({ event }) => event === 'error')).toBe(false)
    expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    expect((await child.get(`/threads/${thread}`)).json.values.count).toBe(10)
    // The instance holds its lock again: another process takes nothing from it.
    const long = (await child.post(`/threads/${thread}/runs`, counting('kept', 100, 50))).json
    await child.until(thread, long.run_id, 'running')
    await start()
    await sleep(3000)
    await child.post(`/threads/${thread}/runs/${long.run_id}/cancel?wait=1`)
    const steps = stepsIn('kept')
    expect(steps).toEqual(numbers(steps.length))
  }, 30_000)

  test('SIGTERM gives runs back at a step, cuts streams so that clients come again, and takes less than 4 s', async () => {
    const first = await start()
    const thread = await first.newThread()
    const events = readEvents(await first.open('POST', `/threads/${thread}/runs/stream`, counting('term', 10)))
    const run = (await events.next()).value?.data.run_id as string
    for (let seen = 0; seen < 3; seen = (await nextEvent(events, 'custom')).data.count);
    const begun = Date.now()
    const [, error] = await Promise.all([first.kill('SIGTERM'), collect(events).catch((reason: Error) => reason)])
    expect(error).toBeInstanceOf(Error)
    expect(first.child.exitCode).toBe(0)
    expect(Date.now() - begun).toBeLessThan(4000)
    const second = await start()
    await second.until(thread, run, 'success')
    expect(stepsIn('term')).toEqual(numbers(10))
  }, 20_000)

  test('it ends when its launcher is gone', async () => {
    const child = await start()
    const begun = Date.now()
    child.child.disconnect()
    while (child.child.exitCode === null) await sleep(20)
    expect(Date.now() - begun).toBeLessThan(4000)
  })
})

describe('two processes on one store', () => {
  test('one executes, the other reads, cancels and waits', async () => {
    const [a, b] = await Promise.all([start(), start()])
    const thread = await a.newThread()
    const response = await a.open('POST', `/threads/${thread}/runs/stream`, counting('two', 20, 50))
    const own = readEvents(response)
    await nextEvent(own, 'custom')
    const path = response.headers.get('location') as string
    const [joined, again, waited, rest] = await Promise.all([
      b.join(path),
      b.join(path),
      b.get(path.replace(/stream$/, 'join')),
      collect(own),
    ])
    const counts = joined.filter(({ event }) => event === 'custom').map(({ data }) => data.count)
    expect(counts.length).toBeGreaterThan(5)
    expect(counts).toEqual(numbers(20).slice(-counts.length))
    expect(joined.at(-1)).toEqual(rest.at(-1))
    expect(again.at(-1)).toEqual(rest.at(-1))
    expect(waited.json.count).toBe(20)
    expect(stepsIn('two')).toEqual(numbers(20))

    const run = (await a.post(`/threads/${thread}/runs`, counting('cancelled', 200, 30))).json
    await a.until(thread, run.run_id, 'running')
    await sleep(150)
    expect((await b.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1&action=rollback`)).status).toBe(204)
    expect((await b.get(`/threads/${thread}/state`)).json.values.count).toBe(20)
  }, 20_000)

  test('a process that is drained serves on, and the other one executes what it is asked for', async () => {
    const [a, b] = await Promise.all([start(), start()])
    a.child.send({ drain: true })
    await sleep(100)
    const thread = await a.newThread()
    const events = await a.stream(`/threads/${thread}/runs/stream`, counting('drained', 4, 20))
    expect(events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)).toEqual([1, 2, 3, 4])
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    expect((await a.post('/runs/wait', { assistant_id: 'counter', input: { until: 2 } })).json.count).toBe(2)
    expect((await b.get('/ok')).json).toEqual({ ok: true })
  }, 20_000)

  test('a reader of a run whose process dies reads on where another one takes it up', async () => {
    const [a, b] = await Promise.all([start(), start()])
    const thread = await a.newThread()
    const run = (await a.post(`/threads/${thread}/runs`, counting('moved', 15))).json
    await a.until(thread, run.run_id, 'running')
    const reading = b.join(`/threads/${thread}/runs/${run.run_id}/stream`)
    await sleep(400)
    await a.kill('SIGKILL')
    const events = await reading
    const counts = events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)
    expect(events.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)).toEqual([2])
    expect(counts.at(-1)).toBe(15)
    expect(stepsIn('moved')).toEqual(numbers(15))
  }, 20_000)
})

describe('graph code', () => {
  test('a promise that nobody handles is logged, and the server goes on', async () => {
    const child = await start()
    expect((await child.post('/runs/wait', { assistant_id: 'failing', input: { how: 'reject' } })).json).toMatchObject({
      done: ['good'],
    })
    expect((await child.get('/ok')).json).toEqual({ ok: true })
    await sleep(50)
    expect(child.output.join('')).toContain('nobody waits for this')
  })

  test.each([
    ['a file that is not there', './nothing.mjs:graph', /nothing\.mjs/],
    ['a missing export', './own.mjs:other', /no export "other" \(it exports graph\)/],
    ['something that is no graph', './own.mjs:graph', /is not a graph/],
    ['broken code', './broken.mjs:graph', /Unexpected|Invalid/],
  ])('%s is told by its graph, and nothing starts', async (_, place, message) => {
    writeFileSync(path.join(folder, 'own.mjs'), 'export const graph = { not: "a graph" }')
    writeFileSync(path.join(folder, 'broken.mjs'), 'export const graph = {')
    writeFileSync(path.join(folder, 'graph.json'), JSON.stringify({ graphs: { mine: place } }))
    const failure = await start(database.url, {}, path.join(folder, 'graph.json')).catch((error: Error) => error)
    expect(JSON.parse((failure as Error).message)).toEqual({ graph: 'mine', message: expect.stringMatching(message) })
  })

  test('sees neither the settings of the server nor tracing without an address', async () => {
    writeFileSync(
      path.join(folder, 'spy.mjs'),
      `import { StateGraph, START, END } from '@langchain/langgraph'
       import { z } from 'zod'
       const seen = JSON.stringify(Object.entries(process.env).filter(([name]) => /PILOTHOUSE|TRACING/.test(name)))
       export const graph = new StateGraph(z.object({ seen: z.string().default('') })).addNode('look', () => ({ seen })).addEdge(START, 'look').addEdge('look', END).compile()`,
    )
    writeFileSync(path.join(folder, 'graph.json'), JSON.stringify({ graphs: { spy: './spy.mjs:graph' } }))
    const secret = 'a secret of the gateway'
    const env = {
      PILOTHOUSE_AGENT_SECRET: secret,
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: 'https://api.smith.langchain.com',
    }
    const child = await start(database.url, env, path.join(folder, 'graph.json'))
    const { json } = await child.post('/runs/wait', { assistant_id: 'spy', input: {} })
    expect(Object.fromEntries(JSON.parse(json.seen))).toEqual({
      LANGSMITH_TRACING: 'false',
      LANGSMITH_TRACING_V2: 'false',
      LANGCHAIN_TRACING: 'false',
      LANGCHAIN_TRACING_V2: 'false',
    })
  })

  test('in TypeScript runs as it is', async () => {
    const child = await start()
    expect((await child.post('/runs/wait', { assistant_id: 'typed', input: { text: 'hi' } })).json).toEqual({
      text: 'HI!',
    })
  })
})
