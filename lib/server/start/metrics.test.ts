import { readdirSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AlertMessage } from '@/lib/contracts/alerts/alerts'
import { parseMetrics } from '@/lib/format/prometheus'
import type { Actor } from '../access/actor'
import { serveLive } from '../live/serve'
import { adoptStore, db } from '../process/db'
import { alertChannels, alertDeliveries } from '../process/schema'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { type ScriptedServer, scriptedServer, until, workspaceFor } from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { API_ROUTES } from '../transport/request-metrics'
import { serveMetrics, startMetrics } from './metrics'

const ORIGIN = 'http://localhost:3000'
const TOKEN = 'a token for the scraper'
let home: TestConsole
let server: ScriptedServer
let actor: Actor
let deploymentId: string

beforeAll(async () => {
  home = await testConsole({ METRICS_TOKEN: TOKEN })
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await home.close()
})

const ask = (authorization?: string) =>
  serveMetrics(new Request(`${ORIGIN}/metrics`, authorization === undefined ? {} : { headers: { authorization } }))
const scrapeText = async () => (await ask(`Bearer ${TOKEN}`)).text()
async function scrape() {
  const families = parseMetrics(await scrapeText())
  return (name: string, labels: Record<string, string> = {}) =>
    families
      .find((family) => family.name === name)
      ?.samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))?.value ??
    0
}
const start = () =>
  startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body: { assistant_id: 'agent' } })

test('only the bearer of the token gets metrics, and without the setting there are none', async () => {
  for (const given of [undefined, 'Bearer other', TOKEN, `Basic ${TOKEN}`]) {
    const response = await ask(given)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await response.text()).not.toContain('pilothouse_')
  }
  home.set({ METRICS_TOKEN: '' })
  expect((await ask('Bearer ')).status).toBe(404)
  home.set({})
  expect((await ask(`Bearer ${TOKEN}`)).headers.get('content-type')).toContain('version=0.0.4')
})

test('a run with a viewer moves the metrics of recorder, upstream, live channel and database', async () => {
  const before = await scrape()
  const { id } = await start()
  const abort = new AbortController()
  const subscription = { id: 'r', workspace: 'tests', kind: 'recording', recording: id, cursor: 0 }
  const request = new Request(`${ORIGIN}/api/live`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    body: JSON.stringify({ subscriptions: [subscription] }),
    signal: abort.signal,
  })
  const live = await serveLive(request, { who: async () => actor })
  void live.body?.pipeTo(new WritableStream()).catch(() => {})
  const during = await scrape()
  const of = (name: string) => [before(name), during(name)]
  expect(of('pilothouse_recordings_live')).toEqual([0, 1])
  expect(of('pilothouse_upstream_streams')).toEqual([0, 1])
  expect(of('pilothouse_live_connections')).toEqual([0, 1])
  for (let index = 0; index < 5; index += 1) server.latest().emit('values', { index })
  server.latest().finish()
  await until(async () => (await scrape())('pilothouse_recordings_live') === 0)
  await until(async () => (await scrape())('pilothouse_events_sent_total') > 5)
  abort.abort()
  await until(async () => (await scrape())('pilothouse_live_connections') === 0)
  const after = await scrape()
  const grown = (name: string, labels: Record<string, string> = {}) => after(name, labels) - before(name, labels)
  expect(grown('pilothouse_events_received_total')).toBeGreaterThanOrEqual(5)
  // The viewer also got the entry of the run's end.
  expect(grown('pilothouse_events_sent_total')).toBe(grown('pilothouse_events_received_total') + 1)
  expect(grown('pilothouse_recorder_store_seconds', { part: 'count' })).toBeGreaterThan(0)
  const opened = { operation: 'createRunStream', outcome: '2xx', part: 'count' }
  expect(grown('pilothouse_upstream_request_duration_seconds', opened)).toBe(1)
  expect(after('pilothouse_upstream_streams')).toBe(0)
  expect(after('pilothouse_recorder_backlog_bytes')).toBe(0)
  expect(after('pilothouse_database_connections')).toBeGreaterThan(0)
  expect(after('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(after('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
})

test('while the store refuses to write, backlog and lag of the recorder grow; after that they are zero', async () => {
  const store = await db()
  const locked = await store.$client.connect()
  await start()
  await until(async () => (await scrape())('pilothouse_recorder_backlog_bytes') === 0)
  await locked.query('begin; lock table console.segments in exclusive mode')
  server.latest().emit('values', { text: 'x'.repeat(1000) })
  await vi.waitFor(async () => {
    const now = await scrape()
    expect(now('pilothouse_recorder_backlog_bytes')).toBeGreaterThan(1000)
    expect(now('pilothouse_recorder_lag_seconds')).toBeGreaterThan(0.02)
  })
  await locked.query('rollback')
  locked.release()
  await until(async () => (await scrape())('pilothouse_recorder_backlog_bytes') === 0)
  expect((await scrape())('pilothouse_recorder_lag_seconds')).toBe(0)
  server.latest().finish()
})

test('queries that wait for a connection are counted', async () => {
  const store = await db()
  const held = await Promise.all(Array.from({ length: 20 }, () => store.$client.connect()))
  const waiting = store.$client.query('select 1')
  const during = await scrape()
  for (const client of held) client.release()
  await waiting
  expect(during('pilothouse_database_waiting')).toBeGreaterThan(0)
  expect((await scrape())('pilothouse_database_waiting')).toBe(0)
})

test('alert messages that wait are counted, with the age of the oldest', async () => {
  const store = await db()
  const [channel] = await store
    .insert(alertChannels)
    .values({ workspace: 'tests', name: 'Team', kind: 'webhook', target: 'https://hooks.example.com' })
    .returning()
  const message = {
    channel: channel?.id ?? '',
    workspace: 'tests',
    subject: 'A run failed',
    message: {} as AlertMessage,
  }
  await store
    .insert(alertDeliveries)
    .values([
      { ...message, createdAt: sql`now() - interval '10 minutes'`, nextAt: sql`now() + interval '1 hour'` },
      { ...message },
      { ...message, createdAt: new Date(0), status: 'delivered' },
    ])
  const during = await scrape()
  expect(during('pilothouse_alert_messages_waiting')).toBe(2)
  expect(during('pilothouse_alert_oldest_waiting_seconds')).toBeGreaterThanOrEqual(600)
  expect(during('pilothouse_alert_oldest_waiting_seconds')).toBeLessThan(6000)
  await store.delete(alertChannels)
  const after = await scrape()
  expect(after('pilothouse_alert_messages_waiting')).toBe(0)
  expect(after('pilothouse_alert_oldest_waiting_seconds')).toBe(0)
})

test('without the database, what needs it is not a number, and the rest is told', async () => {
  await until(async () => (await scrape())('pilothouse_recordings_live') === 0)
  await adoptStore('postgres://nobody@127.0.0.1:9/none')
  const text = await scrapeText()
  await adoptStore(home.databaseUrl)
  expect(text).toContain('pilothouse_alert_messages_waiting Nan')
  expect(text).toContain('pilothouse_database_connections Nan')
  expect(text).toContain('pilothouse_database_up 0')
  expect(text).toContain('pilothouse_recordings_live 0')
  expect(await scrapeText()).toContain('pilothouse_database_up 1')
})

test('an upstream that is down is counted by the reason, and no label holds an id or a secret', async () => {
  server.intercept = (_, response) => {
    response.writeHead(500).end('{}')
    return true
  }
  await expect(start()).rejects.toThrow()
  server.intercept = () => false
  const text = await scrapeText()
  expect(text).toMatch(/pilothouse_upstream_request_duration_seconds_count\{operation="createThread",outcome="5xx"\} 1/)
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
  expect(text).not.toContain(TOKEN)
  expect(text).not.toContain(new URL(server.url).port)
})

test('several processes tell their own series, each with its number', async () => {
  type Message = { gather?: number; ask?: number; part?: object }
  const own = process.send?.bind(process)
  const be = (number: string) =>
    home.set({ METRICS_TOKEN: TOKEN, PILOTHOUSE_PROCESSES: '2', PILOTHOUSE_PROCESS: number })
  be('1')
  const on = vi.spyOn(process, 'on').mockReturnValueOnce(process)
  // In place of the launcher, which asks the other process: this one with another number.
  const send = vi.spyOn(process, 'send').mockImplementation((message: Message, ...rest: []) => {
    const { gather, ask, part } = message
    if (gather === undefined && ask === undefined) return own?.(message, ...rest) ?? false
    be(gather === undefined ? '1' : '2')
    onMessage?.(gather === undefined ? { gathered: ask, parts: [part] } : { ask: gather })
    return true
  })
  startMetrics()
  const onMessage = on.mock.calls.find(([event]) => event === 'message')?.[1] as ((message: object) => void) | undefined
  on.mockRestore()
  const text = await scrapeText().finally(() => {
    send.mockRestore()
    home.set({ METRICS_TOKEN: TOKEN })
  })
  for (const number of [1, 2]) {
    expect(text).toContain(`\npilothouse_processes{process="${number}"} 1\n`)
    // An average over the processes would hide one that hangs.
    expect(text).toContain(`\nnodejs_eventloop_lag_p99_seconds{process="${number}"} `)
  }
  expect(text.match(/^pilothouse_events_received_total\{process="[12]"\} \d+$/gm)).toHaveLength(2)
  expect(text).toMatch(/^pilothouse_upstream_request_duration_seconds_bucket\{.*le="1".*process="2".*\} \d+$/m)
})

test('every line is of the Prometheus text format, each family named once and before its samples', async () => {
  const text = await scrapeText()
  expect(text.endsWith('\n')).toBe(true)
  const typed = new Set<string>()
  for (const line of text.split('\n').filter(Boolean)) {
    const [, type] = /^# TYPE ([a-z_:][\w:]*) (?:counter|gauge|histogram|summary)$/i.exec(line) ?? []
    if (type) {
      expect(typed.has(type), type).toBe(false)
      typed.add(type)
    } else if (!line.startsWith('# HELP ')) {
      const sample =
        /^([a-z_:][\w:]*)(?:\{[a-z_]\w*="(?:\\[\\n"]|[^"\\\n])*"(?:,[a-z_]\w*="(?:\\[\\n"]|[^"\\\n])*")*\})? (?:[-+]?\d[\d.e+-]*|[-+]?Inf|Nan)$/i
      expect(line).toMatch(sample)
      const name = sample.exec(line)?.[1] ?? ''
      expect(typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, '')), name).toBe(true)
    }
  }
})

test('each route below app/api has its label', () => {
  const folders = readdirSync(path.resolve('app/api')).filter((name) => !name.startsWith('['))
  expect([...API_ROUTES].sort()).toEqual(folders.sort())
})
