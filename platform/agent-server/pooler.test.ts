import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import { findPgBouncer, type Pooler, startPgBouncer } from '@/scripts/vitest/pgbouncer'
import { type AgentDatabase, agentSchemaName, openAgentDatabases } from '../kernel/agent-database'
import { openDatabase } from '../kernel/database'
import { nextEvent, readEvents, type TestServer, testServer } from './testing'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const program = findPgBouncer()

// Debian: apt-get install pgbouncer.
describe.skipIf(!program)('agent servers behind PgBouncer in transaction mode (skipped where there is none)', () => {
  const ends: (() => Promise<void>)[] = []
  const id = randomUUID()
  const schema = agentSchemaName(id)
  let pooler: Pooler
  let given: AgentDatabase
  let servers: [TestServer, TestServer]
  /** Counts what goes past the pooler. */
  let past: Awaited<ReturnType<typeof databaseProxy>>
  const time = { at: Date.UTC(2030, 4, 1), now: () => new Date(time.at) }
  beforeAll(async () => {
    const database = await testDatabase()
    ends.push(database.drop)
    pooler = await startPgBouncer(program ?? '', database.url)
    ends.push(pooler.stop)
    const platform = await openDatabase(pooler.url, () => {}, pooler)
    ends.push(platform.close)
    given = await (await openAgentDatabases(platform, pooler, Buffer.alloc(32, 1), () => {})).addressOf(id)
    past = await databaseProxy(given.databaseUrl)
    ends.push(past.close)
    const start = () => testServer({ ...given, databaseUrl: past.url, schema, now: time.now, pollMs: 100 })
    servers = [await start(), await start()]
    for (const server of servers) ends.push(server.close)
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })

  const counting = (until: number, more: object = {}) => ({
    assistant_id: 'counter',
    input: { until, delay: 5 },
    stream_mode: ['custom', 'values'],
    stream_resumable: true,
    ...more,
  })

  test('each has one connection past it', () => {
    expect(servers.map(({ logs }) => logs.filter((line) => line.includes('pooler')))).toEqual([[], []])
    const migrations = 2 * servers.length
    expect(past.attempts()).toBe(servers.length + migrations)
  })

  test('40 runs at once, each read through the other server, lose nothing', async () => {
    const [one, other] = servers
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const thread = await one.newThread()
        const { run_id: run } = (await one.post(`/threads/${thread}/runs`, counting(10))).json
        const events = await other.join(`/threads/${thread}/runs/${run}/stream`, { 'last-event-id': '0' })
        expect(events.filter(({ event }) => event === 'custom')).toHaveLength(10)
        expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
        expect((await other.get(`/threads/${thread}/state`)).json.values.log).toHaveLength(10)
      }),
    )
  })

  test.each(['enqueue', 'interrupt', 'rollback', 'reject'])('the rule %s holds across servers', async (strategy) => {
    const [one, other] = servers
    const thread = await one.newThread()
    const endless = counting(1000, { config: { recursion_limit: 2000 } })
    const open = readEvents(await one.open('POST', `/threads/${thread}/runs/stream`, endless))
    const first = (await nextEvent(open, 'metadata')).data.run_id
    await nextEvent(open, 'custom')
    const next = await other.post(`/threads/${thread}/runs`, counting(1, { multitask_strategy: strategy }))
    expect(next.status).toBe(strategy === 'reject' ? 409 : 200)
    if (strategy === 'enqueue' || strategy === 'reject') await other.post(`/threads/${thread}/runs/${first}/cancel`)
    await nextEvent(open, 'end')
    if (strategy !== 'reject') await other.until(thread, next.json.run_id, 'success')
    expect((await one.get(`/threads/${thread}/runs/${first}`)).json.status).toBe(
      strategy === 'rollback' ? undefined : 'interrupted',
    )
  })

  test('crons fire once', async () => {
    const [one] = servers
    const body = { schedule: '* * * * *', assistant_id: 'counter', input: { until: 1 }, on_run_completed: 'keep' }
    const { cron_id } = (await one.post('/runs/crons', body)).json
    const found = async () =>
      (await one.post('/threads/search', { metadata: { cron_id }, limit: 100 })).json as unknown[]
    for (let fired = 1; fired <= 2; fired++) {
      time.at += 60_000
      await vi.waitFor(async () => expect(await found()).toHaveLength(fired), 10_000)
    }
    await one.request('DELETE', `/runs/crons/${cron_id}`)
  })

  test.each([
    [
      'does not know its role',
      () => Object.assign(new URL(pooler.url), { username: 'nobody' }).href,
      /let the role "nobody" in/,
    ],
    ['connects as another role', () => pooler.url, /connects as the role "owner_\d+", which does not have the schema/],
  ])('one that a pooler %s says so, and connects past it', async (_, address, reason) => {
    const server = await testServer({ ...given, poolerUrl: address(), schema })
    expect(server.logs.filter((line) => line.includes('pooler'))).toEqual([expect.stringMatching(reason)])
    await server.stream('/runs/stream', counting(2))
    await server.close()
  })
})
