import type { LookupAddress } from 'node:dns'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddressRange, parseRange } from '@/lib/contracts/wire/address'
import { testDatabase } from '@/scripts/testing'
import { webhookRules } from '../kernel/webhook-rules'
import { type TestServer, testServer } from '../testing'
import { checkWebhook, webhookConnector } from './webhook-target'

type Json = Record<string, unknown>
type Seen = { path: string; type: string | undefined; body: Json }

const loopback = [parseRange('127.0.0.0/8') as AddressRange]

/** Receives webhooks. `responses` are the statuses of the next responses; 200 after that. */
class Receiver {
  readonly seen: Seen[] = []
  responses: number[] = []
  readonly #server: Server = createServer(async (request, response) => {
    this.seen.push({
      path: request.url ?? '',
      type: request.headers['content-type'],
      body: JSON.parse(await textOf(request)) as Json,
    })
    response.writeHead(this.responses.shift() ?? 200, { location: `${this.url}/elsewhere` }).end('thanks')
  })

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return this
  }
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }
  async next(count = 1): Promise<Seen> {
    for (let tries = 0; this.seen.length < count && tries < 600; tries++) await sleep(10)
    return this.seen[count - 1] as Seen
  }
  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}
const textOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString()

describe('a webhook', () => {
  let server: TestServer
  const receivers: Receiver[] = []
  const receiver = async () => {
    const one = await new Receiver().listen()
    receivers.push(one)
    return one
  }
  beforeAll(async () => {
    server = await testServer({ webhookRanges: loopback, backOffMs: [20, 20, 20] })
  })
  afterAll(async () => {
    await server.close()
    await Promise.all(receivers.map((one) => one.close()))
  })

  test('delivers the run, its times and the final state when the run ends', async () => {
    const to = await receiver()
    const thread = await server.newThread()
    const webhook = `${to.url}/done?key=secret`
    const run = await server.post(`/threads/${thread}/runs`, {
      assistant_id: 'counter',
      input: { until: 2, delay: 30 },
      webhook,
      metadata: { m: 1 },
    })
    expect(run.status).toBe(200)
    const { path, type, body } = await to.next()
    expect([path, type]).toEqual(['/done?key=secret', 'application/json'])
    expect(body).toMatchObject({
      run_id: run.json.run_id,
      thread_id: thread,
      status: 'success',
      metadata: { m: 1 },
      kwargs: { webhook },
      values: { count: 2 },
    })
    const times = ['created_at', 'run_started_at', 'run_ended_at', 'webhook_sent_at'].map(
      (name) => body[name] as string,
    )
    expect(times).toEqual([...times].sort())
    for (const time of times) expect(time).toMatch(/^\d{4}-.*\+00:00$/)
    expect(body).not.toHaveProperty('error')
    await sleep(100)
    expect(to.seen).toHaveLength(1)
  })

  test('is sent for failed and cancelled runs, and for stateless runs whose thread is gone', async () => {
    const to = await receiver()
    const webhook = to.url
    await server.post('/runs/wait', { assistant_id: 'failing', input: {}, webhook })
    expect((await to.next()).body).toMatchObject({ status: 'error', error: { message: expect.any(String) } })
    const waiting = await server.post('/runs', { assistant_id: 'counter', input: {}, webhook, after_seconds: 600 })
    await server.post('/runs/cancel', { thread_id: waiting.json.thread_id, run_ids: [waiting.json.run_id] })
    expect((await to.next(2)).body).toMatchObject({
      run_id: waiting.json.run_id,
      status: 'interrupted',
      run_started_at: null,
      values: null,
    })
    await server.post('/runs/wait', { assistant_id: 'counter', input: { until: 1 }, webhook })
    expect((await to.next(3)).body).toMatchObject({ status: 'success', values: { count: 1 } })
  })

  test('is retried after a failure, then dropped with a log line that leaks no secret', async () => {
    const to = await receiver()
    to.responses = [500, 302]
    await server.post('/runs/wait', { assistant_id: 'counter', input: { until: 1 }, webhook: `${to.url}/again` })
    await to.next(3)
    expect(to.seen.map(({ path }) => path)).toEqual(['/again', '/again', '/again'])

    const never = await receiver()
    never.responses = Array.from({ length: 9 }, () => 404)
    await server.post('/runs/wait', { assistant_id: 'counter', input: { until: 1 }, webhook: `${never.url}/s3cret` })
    await never.next(4)
    await sleep(150)
    expect(never.seen).toHaveLength(4)
    const lines = server.logs.filter((line) => line.includes(never.url))
    expect(lines.at(-1)).toBe(`The webhook to ${never.url} failed (HTTP 404), giving up.`)
    expect(server.logs.join()).not.toContain('s3cret')
  })

  test('is delivered after a server restart if the receiver was down', async () => {
    const database = await testDatabase()
    const options = { databaseUrl: database.url, webhookRanges: loopback, backOffMs: [300, 300, 300] }
    const gone = await new Receiver().listen()
    const { port, url } = gone
    await gone.close()
    const first = await testServer(options)
    await first.post('/runs/wait', { assistant_id: 'counter', input: { until: 1 }, webhook: url })
    await first.close()
    const to = await new Receiver().listen(port)
    receivers.push(to)
    const second = await testServer(options)
    expect((await to.next()).body).toMatchObject({ status: 'success', values: { count: 1 } })
    await sleep(400)
    expect(to.seen).toHaveLength(1)
    await second.close()
    await database.drop()
  })
})

describe('where webhooks may go', () => {
  test.each([
    ['http://127.0.0.1/x', 'not a public address'],
    ['http://localhost:8080/', 'not a public address'],
    ['http://a.localhost/', 'not a public address'],
    ['http://[::1]/', 'not a public address'],
    ['http://[::ffff:10.0.0.1]/', 'not a public address'],
    ['http://2130706433/', 'not a public address'],
    ['http://192.168.1.7/', 'not a public address'],
    ['http://169.254.169.254/latest', 'not a public address'],
    ['http://localhost./', 'not a public address'],
    ['http://10.0.0.1/', 'PILOTHOUSE_WEBHOOK_RANGES can allow it'],
    ['https://user:pass@example.com/', 'cannot contain a user name'],
    ['https://user@example.com/', 'cannot contain a user name'],
    ['https://:pass@example.com/', 'cannot contain a user name'],
    ['ftp://example.com/', 'http or https'],
    ['/runs', 'http or https'],
    ['nonsense', 'http or https'],
    [`https://example.com/${'x'.repeat(2029)}`, 'at most 2048'],
  ])('%s is refused', (url, message) => {
    expect(() => checkWebhook(url, webhookRules(null, []))).toThrow(message)
  })

  test.each([
    'https://example.com/',
    'http://notlocalhost/',
    'http://localhost.example/',
    `https://example.com/${'x'.repeat(2028)}`,
  ])('%s is accepted', (url) => {
    expect(() => checkWebhook(url, webhookRules(null, []))).not.toThrow()
  })

  test('an operator’s address range allows a private address', () => {
    expect(() => checkWebhook('http://localhost:8080/', webhookRules(null, loopback))).not.toThrow()
    expect(() => checkWebhook('http://10.0.0.1/', webhookRules(null, loopback))).toThrow('not a public address')
    expect(() => checkWebhook('https://example.com/', webhookRules(null, []))).not.toThrow()
  })

  test('a host name that resolves to a private address is refused unless its range is allowed', async () => {
    let connections = 0
    const canary = createServer((_, response) => {
      connections += 1
      response.end()
    })
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    const { port } = canary.address() as AddressInfo
    const tryName = async (addresses: string[], ranges: AddressRange[]) =>
      tryAddresses(
        addresses.map((address) => ({ address, family: 4 })),
        ranges,
      )
    const tryAddresses = async (addresses: LookupAddress[], ranges: AddressRange[]) => {
      const resolve = ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
        done(null, addresses)) as unknown as Parameters<typeof webhookConnector>[1]
      const agent = new Agent({ connect: webhookConnector(ranges, resolve) })
      try {
        return (await fetch(`http://receiver.example:${port}/`, { dispatcher: agent })).status
      } catch (error) {
        return ((error as Error).cause as Error).name
      } finally {
        await agent.destroy()
      }
    }
    expect(await tryName(['127.0.0.1'], [])).toBe('RefusedTarget')
    expect(await tryName(['93.184.216.34', '127.0.0.1'], [])).toBe('RefusedTarget')
    expect(connections).toBe(0)
    expect(await tryName(['127.0.0.1'], loopback)).toBe(200)
    expect(connections).toBe(1)
    // No address, and one that its range does not allow beside one that it does.
    expect(await tryName([], loopback)).toBe('Error')
    expect(await tryName(['127.0.0.1', '10.0.0.1'], loopback)).toBe('RefusedTarget')
    let reads = 0
    const changing = {
      family: 4,
      get address() {
        return reads++ === 0 ? '93.184.216.34' : '127.0.0.1'
      },
    }
    expect(await tryAddresses([changing], [])).toBe('RefusedTarget')
    expect(connections).toBe(1)
    canary.closeAllConnections()
    canary.close()
  })

  test('no run is created for a refused address', async () => {
    const server = await testServer()
    const response = await server.post('/runs', { assistant_id: 'counter', webhook: 'http://127.0.0.1:1/' })
    expect([response.status, response.json.detail[0].loc]).toEqual([422, ['body', 'webhook']])
    await server.close()
  })
})
