import { afterAll, expect, test } from 'vitest'
import type { Db } from '../persistence/db'
import { Metrics } from './metrics'

const counts: Record<string, number | undefined> = { pending: 3, running: 2 }
const db = {
  query: async (sql: string) => {
    const count = counts[/status = '(\w+)'/.exec(sql)?.[1] ?? '']
    return count === undefined ? [] : [{ count }]
  },
  pool: { totalCount: 7, idleCount: 4, waitingCount: 1 },
} as unknown as Db
const metrics = new Metrics({ db, active: () => 5, readers: () => 6, sockets: () => 8 })
afterAll(() => metrics.stop())

const read = async (series: string) => {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${series} `))
  return line && Number(line.slice(series.length))
}

test.each([
  ['agent_queue_pending', 3],
  ['agent_queue_running', 2],
  ['agent_queue_active', 5],
  ['agent_streams_open', 6],
  ['agent_websockets_open', 8],
  ['agent_database_connections', 7],
  ['agent_database_connections_idle', 4],
  ['agent_database_waiting', 1],
])('%s is what its source says', async (name, value) => {
  expect(await read(name)).toBe(value)
})

test('an empty queue is zero', async () => {
  counts.pending = undefined
  expect(await read('agent_queue_pending')).toBe(0)
})

test('requests and runs are counted by what they were, and durations are in seconds', async () => {
  for (const status of [200, 200, 404]) metrics.request('GET', '/threads/{thread_id}', status)
  metrics.runEnded('success', 1500)
  metrics.runEnded('success', 500)
  metrics.runEnded('error', 40)
  const at = 'agent_http_requests_total{method="GET",route="/threads/{thread_id}",status='
  expect([await read(`${at}"200"}`), await read(`${at}"404"}`)]).toEqual([2, 1])
  expect(await read('agent_runs_total{status="success"}')).toBe(2)
  expect(await read('agent_run_duration_seconds_sum{status="success"}')).toBe(2)
  const bucket = (le: number) => read(`agent_run_duration_seconds_bucket{le="${le}",status="success"}`)
  expect([await bucket(0.1), await bucket(0.5), await bucket(1), await bucket(5)]).toEqual([0, 1, 1, 2])
  expect(await read('agent_run_duration_seconds_bucket{le="0.05",status="error"}')).toBe(1)
})

test('the delay of a first event is never negative, whatever the clock of another machine says', async () => {
  metrics.runBegan(Date.now() + 60_000)
  expect(await read('agent_run_first_event_seconds_sum')).toBe(0)
  metrics.runBegan(Date.now() - 2000)
  const sum = (await read('agent_run_first_event_seconds_sum')) ?? 0
  expect(sum).toBeGreaterThanOrEqual(2)
  expect(sum).toBeLessThan(60)
  const bucket = (le: number) => read(`agent_run_first_event_seconds_bucket{le="${le}"}`)
  expect([await bucket(0.002), await bucket(300)]).toEqual([1, 2])
})

test('fields that this server does not know are counted in the same place', async () => {
  metrics.ignoredFields.note('test/1', '/threads', 'body.colour')
  expect(await metrics.text()).toMatch(
    /^agent_ignored_fields_total\{client="test",route="\/threads",field="body.colour"\} 1$/m,
  )
})

test('the process is described in the usual units', async () => {
  const [busy, memory, heap, cpu, uptime] = await Promise.all(
    [
      'agent_event_loop_utilization',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'process_cpu_seconds_total',
      'process_uptime_seconds',
    ].map(read),
  )
  expect(busy).toBeGreaterThanOrEqual(0)
  expect(busy).toBeLessThanOrEqual(1)
  expect(memory).toBeGreaterThan(10e6)
  expect(heap).toBeGreaterThan(1e6)
  const { user, system } = process.cpuUsage()
  expect(cpu).toBeLessThanOrEqual((user + system) / 1e6)
  expect(cpu).toBeGreaterThan(user / 2e6)
  expect(uptime).toBeLessThanOrEqual(process.uptime())
  expect(uptime).toBeGreaterThan(0)
})

test('what is named as a total is a counter, which never falls', async () => {
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\w+_total) (\w+)$/gm)].map(([, name, type]) => [
    name,
    type,
  ])
  expect(types.length).toBeGreaterThan(2)
  expect(types.filter(([, type]) => type !== 'counter')).toEqual([])
  const before = await read('process_cpu_seconds_total')
  expect(await read('process_cpu_seconds_total')).toBeGreaterThanOrEqual(Number(before))
})

test('the delay of the event loop is told without the resolution of its timer, since the last time', async () => {
  await new Promise((resolve) => setTimeout(resolve, 30))
  const end = performance.now() + 150
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, 30))
  const found = await metrics.json()
  const read = (name: string) =>
    (found.find((one) => 'name' in one && one.name === name) as { values: [{ value: number }] }).values[0].value
  const [median, p99, max] = ['', '_p99', '_max'].map((kind) => read(`agent_event_loop_lag${kind}_seconds`)) as number[]
  expect(max).toBeGreaterThan(0.1)
  expect(max).toBeLessThan(30)
  expect(p99).toBeLessThanOrEqual(max as number)
  expect(median).toBeLessThanOrEqual(p99 as number)
  expect(median).toBeGreaterThanOrEqual(0)
  expect(metrics.contentType).toMatch(/^text\/plain/)
})
