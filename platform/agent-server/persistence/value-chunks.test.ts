import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'
import { chunkBoundaries } from './value-chunks'

const words = (count: number, seed = 1) => {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    return state.toString(36)
  })
}
const partsOf = (text: string) => {
  const bytes = Buffer.from(text)
  const cuts = chunkBoundaries(bytes)
  return cuts.map((end, index) => bytes.toString('utf8', cuts[index - 1] ?? 0, end))
}

describe('cutting', () => {
  const text = JSON.stringify(words(40_000))

  test('loses no bytes and keeps chunks within the size limits', () => {
    for (const one of [text, '', 'a', 'x'.repeat(1_000_000)]) {
      expect(partsOf(one).join('')).toBe(one)
      for (const part of partsOf(one).slice(0, -1)) {
        expect(part.length).toBeGreaterThanOrEqual(16_384)
        expect(part.length).toBeLessThanOrEqual(131_072)
      }
    }
  })

  test('yields the same chunks for a value that contains or extends another', () => {
    const known = new Set(partsOf(text))
    const others = [`{"documents":${text},"note":"n"}`, text.replace(/]$/, ',"one more"]'), `["first",${text.slice(1)}`]
    for (const other of others) expect(partsOf(other).filter((part) => !known.has(part)).length).toBeLessThanOrEqual(3)
    expect(known.size).toBeGreaterThan(4)
  })
})

describe('a large state', () => {
  let server: TestServer
  let database: pg.Client
  const log = words(40_000)
  const large = JSON.stringify(log).length
  const input = { until: 3, log }
  beforeAll(async () => {
    server = await testServer()
    database = new pg.Client({ connectionString: server.databaseUrl, options: '-c search_path=agent_test' })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await server.close()
  })
  const sizeOf = async (thread: string): Promise<{ bytes: number; others: number }> => {
    const { rows } = await database.query(
      `select (select coalesce(sum(octet_length(data)), 0)::int from large_pieces where thread_id = $1) as bytes,
         ((select coalesce(sum(octet_length(blob)), 0) from checkpoint_blobs where thread_id = $1)
         + (select coalesce(sum(octet_length(blob)), 0) from checkpoint_writes where thread_id = $1)
         + (select coalesce(sum(octet_length(kwargs::text)), 0) from runs where thread_id = $1))::int as others`,
      [thread],
    )
    return rows[0]
  }

  test('is stored once across all steps and the input, and reads back unchanged', async () => {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, { assistant_id: 'counter', input })).json
    expect(run.kwargs.input).toEqual(input)
    await server.until(thread, run.run_id, 'success')
    const { bytes, others } = await sizeOf(thread)
    expect(bytes).toBeLessThan(large * 1.3)
    expect(others).toBeLessThan(large * 0.1)
    const { values } = (await server.get(`/threads/${thread}`)).json
    expect(values.log).toEqual([...log, 'none 1', 'none 2', 'none 3'])
    expect((await server.get(`/threads/${thread}/runs/${run.run_id}`)).json.kwargs.input).toEqual(input)
    const history = (await server.get(`/threads/${thread}/history?limit=10`)).json
    expect(history.map((one: { values: { log: string[] } }) => one.values.log.length - log.length)).toEqual([
      3,
      2,
      1,
      0,
      -log.length,
    ])
  })

  test('can be searched by its values, copied, and deleted with its chunks', async () => {
    const thread = await server.newThread({ metadata: { mine: true } })
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input })
    const find = async (values: object) =>
      (await server.post('/threads/search', { values, metadata: { mine: true }, select: ['thread_id'] })).json
    expect(await find({ log: ['none 3'] })).toEqual([{ thread_id: thread }])
    expect(await find({ log: ['none 4'] })).toEqual([])
    const copy = (await server.post(`/threads/${thread}/copy`)).json.thread_id
    await server.request('DELETE', `/threads/${thread}`)
    expect(await sizeOf(thread)).toEqual({ bytes: 0, others: 0 })
    expect((await server.get(`/threads/${copy}/state`)).json.values.log).toHaveLength(log.length + 3)
  })

  test('leaves no chunks behind after a rollback and prune, and the remaining state stays readable', async () => {
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input })
    const before = await sizeOf(thread)
    const run = (
      await server.post(`/threads/${thread}/runs`, {
        assistant_id: 'counter',
        input: { until: 100, delay: 50, log: words(40_000, 2) },
      })
    ).json
    await server.until(thread, run.run_id, 'running')
    await new Promise((resolve) => setTimeout(resolve, 500))
    await server.post(`/threads/${thread}/runs/${run.run_id}/cancel?wait=1&action=rollback`)
    await server.post('/threads/prune', { thread_ids: [thread], strategy: 'keep_latest' })
    expect((await sizeOf(thread)).bytes).toBeLessThanOrEqual(before.bytes)
    expect((await server.get(`/threads/${thread}/state`)).json.values.log).toHaveLength(log.length + 3)
  })
})
