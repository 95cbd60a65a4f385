import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AddressRange, parseRange } from '@/lib/contracts/wire/address'
import type { Db } from '../persistence/db'
import { testTables } from '../testing'
import { type PushRequest, Webhooks } from './webhooks'

// Webhooks from the store to a real receiver.

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
const loopback = [parseRange('127.0.0.0/8') as AddressRange]
const open = new Set<{ stop(): Promise<void> }>()
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
})
afterEach(async () => {
  await Promise.all([...open].map((one) => one.stop()))
  open.clear()
  await db.query('delete from webhooks')
})
afterAll(() => tables.close())

type Seen = { url: string | undefined; headers: IncomingMessage['headers']; body: string }

/** A receiver; `answer` may keep a request waiting. */
async function receiver(answer: (response: ServerResponse, count: number) => void = (response) => response.end()) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    seen.push({ url: request.url, headers: request.headers, body })
    answer(response, seen.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.add({
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server }
}
function sender(more: Partial<ConstructorParameters<typeof Webhooks>[0]> = {}) {
  const logs: string[] = []
  const webhooks = new Webhooks({
    ...{ db, rules: { ranges: loopback, headers: { 'x-key': 'of the operator' } } },
    log: (level, message, runId) => void logs.push(`${level} ${runId}: ${message}`),
    ...more,
  })
  open.add(webhooks)
  return { webhooks, logs }
}
const queue = (url: string, { attempts = 0, body = '{"run":1}' } = {}) =>
  db.query('insert into webhooks (run_id, url, body, attempts) values ($1, $2, $3, $4)', ['r', url, body, attempts])
const rows = () =>
  db.query<{ attempts: number; wait: number }>(
    `select attempts, extract(epoch from next_attempt_at - now())::float8 as wait from webhooks order by id`,
  )

test('a webhook is sent with the operator’s headers and its time, and then forgotten', async () => {
  const { url, seen } = await receiver()
  await queue(`${url}/done?key=1`)
  const { webhooks, logs } = sender()
  webhooks.start()
  await expect.poll(rows).toEqual([])
  expect(seen).toHaveLength(1)
  const [{ headers, body, url: path }] = seen as [Seen]
  expect([path, headers['content-type'], headers['x-key'], headers['user-agent']]).toEqual([
    ...['/done?key=1', 'application/json', 'of the operator', 'pilothouse-agent-server'],
  ])
  expect(JSON.parse(body)).toEqual({ run: 1, webhook_sent_at: expect.stringMatching(/^\d{4}-.*\+00:00$/) })
  expect(logs).toEqual([])
})

test.each([
  [0, 'retrying in 5 s', 5],
  [1, 'retrying in 30 s', 30],
  [4, 'retrying in 3600 s', 3600],
  [5, 'giving up', undefined],
])('after %i attempts and another failure: %s', async (attempts, what, wait) => {
  const { url } = await receiver((response) => response.writeHead(500).end())
  await queue(`${url}/secret`, { attempts })
  const { webhooks, logs } = sender()
  webhooks.start()
  await expect.poll(() => logs).toEqual([`error r: The webhook to ${url} failed (HTTP 500), ${what}.`])
  const left = await rows()
  expect(left.map((row) => row.attempts)).toEqual(wait === undefined ? [] : [attempts + 1])
  if (wait !== undefined) {
    expect(left[0]?.wait).toBeGreaterThan(wait - 60)
    expect(left[0]?.wait).toBeLessThanOrEqual(wait)
  }
})

test('a refused address is given up at once, an unreachable one is tried again', async () => {
  const { url, server } = await receiver()
  await queue(url)
  const { webhooks, logs } = sender({ rules: { ranges: [], headers: {} } })
  webhooks.start()
  await expect.poll(() => logs.join()).toContain('where webhooks may not go), giving up')
  await expect.poll(rows).toEqual([])
  await webhooks.stop()
  server.close()
  await once(server, 'close')
  await queue(url)
  const other = sender()
  other.webhooks.start()
  await expect.poll(() => other.logs.join()).toMatch(/ECONNREFUSED.*retrying in 5 s/)
  expect(await rows()).toMatchObject([{ attempts: 1 }])
})

test('a redirect is not followed', async () => {
  const target = await receiver()
  const { url } = await receiver((response) => response.writeHead(307, { location: target.url }).end())
  await queue(url)
  const { webhooks, logs } = sender()
  webhooks.start()
  await expect.poll(() => logs.join()).toContain('HTTP 307')
  expect(target.seen).toEqual([])
})

test('a retry that is due soon does not wait for the next look', async () => {
  const { url, seen } = await receiver((response, count) => response.writeHead(count < 3 ? 503 : 200).end())
  await queue(url)
  const { webhooks, logs } = sender({ backOffMs: [1, 1] })
  webhooks.start()
  await expect.poll(rows, { timeout: 15_000 }).toEqual([])
  expect([seen.length, logs.length]).toEqual([3, 2])
})

test('eight are sent at once, and the ninth when one of them has been', async () => {
  const waiting: ServerResponse[] = []
  const { url, seen } = await receiver((response) => void waiting.push(response))
  for (let n = 0; n < 9; n++) await queue(url)
  const { webhooks } = sender()
  webhooks.start()
  await expect.poll(() => seen.length).toBe(8)
  webhooks.wake()
  expect((await rows()).map(({ attempts }) => attempts).sort()).toEqual([0, ...Array(8).fill(1)])
  waiting.shift()?.end()
  await expect.poll(() => seen.length).toBe(9)
  for (const response of waiting) response.end()
  await expect.poll(rows).toEqual([])
})

test('one that is being sent is left to its process for a minute', async () => {
  const { url, seen } = await receiver(() => {})
  await queue(url)
  const [first, second] = [sender(), sender()]
  first.webhooks.start()
  await expect.poll(() => seen.length).toBe(1)
  second.webhooks.start()
  await second.webhooks.stop()
  const [row] = await rows()
  expect([seen.length, row?.attempts, (row?.wait ?? 0) > 0 && (row?.wait ?? 0) <= 60]).toEqual([1, 1, true])
})

test('a stop gives back what is being sent, without a word, and sends nothing more', async () => {
  const { url, seen } = await receiver(() => {})
  await queue(url, { attempts: 2 })
  const { webhooks, logs } = sender()
  webhooks.start()
  await expect.poll(() => seen.length).toBe(1)
  await webhooks.stop()
  const [row] = await rows()
  expect([row?.attempts, (row?.wait ?? 1) <= 0, logs]).toEqual([2, true, []])
  webhooks.wake()
  webhooks.start()
  const next = sender()
  next.webhooks.start()
  await expect.poll(() => seen.length).toBe(2)
  expect((await rows())[0]?.attempts).toBe(3)
})

test('a store that cannot be read is reported', async () => {
  const failing = { query: async () => Promise.reject(new Error('no database')) } as unknown as Db
  const { webhooks, logs } = sender({ db: failing })
  webhooks.start()
  await expect.poll(() => logs).toEqual(['error undefined: Webhooks cannot be read from the store: no database'])
  await webhooks.stop()
  expect(logs).toHaveLength(1)
})

test('an outcome that cannot be stored is reported, and the webhook is sent again later', async () => {
  const { url, seen } = await receiver()
  await queue(url)
  const failing = {
    query: (text: string, values: unknown[]) =>
      text.startsWith('delete') ? Promise.reject(new Error('no database')) : db.query(text, values),
  } as unknown as Db
  const { webhooks, logs } = sender({ db: failing })
  webhooks.start()
  await expect.poll(() => logs).toEqual([`error r: The outcome of a webhook to ${url} cannot be stored: no database`])
  expect([seen.length, (await rows()).length]).toEqual([1, 1])
})

test('a push notification is written when it is sent, and dropped if there is nothing to tell any more', async () => {
  const { url, seen } = await receiver()
  await db.query(`insert into threads (thread_id) values ('t') on conflict do nothing`)
  await db.query(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, metadata, kwargs, plan, multitask_strategy, is_resumable, creator)
     values ('task', 't', '', '', '{}', '{}', '{}', 'enqueue', false, 1)`,
  )
  await db.query(`insert into push_configs (task_id, config_id, version, url, token, scheme, credentials)
    values ('task', 'c', '', '', '', '', '')`)
  const push = () =>
    db.query(`insert into webhooks (run_id, url, body, push_task, push_config) values ('r', $1, '', 'task', 'c')`, [
      url,
    ])
  const asked: unknown[] = []
  const requests: (PushRequest | undefined)[] = [{ headers: { 'x-token': 'own' }, body: 'told' }, undefined]
  const pushRequest = async ({ push_task, push_config }: { push_task: string; push_config: string }) => {
    asked.push([push_task, push_config])
    return requests.shift()
  }
  const { webhooks, logs } = sender({ pushRequest })
  await push()
  webhooks.start()
  await expect.poll(rows).toEqual([])
  await push()
  webhooks.wake()
  await expect.poll(rows).toEqual([])
  expect(asked).toEqual(Array(2).fill(['task', 'c']))
  expect(seen.map(({ body, headers }) => [body, headers['x-token'], headers['x-key']])).toEqual([
    ['told', 'own', undefined],
  ])
  expect(logs).toEqual([])
})
