import { Client, type Cron } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, collect, serverBehindGateway } from './testing'

// The official SDK client: every method of these groups works against a deployment's public address.

/** Unsupported methods, and why. */
const LACKING: Record<string, string> = {
  'threads.stream': "the vendor's protocol 2 (thread commands and events) is not spoken; /info says so",
  '~ui.getComponent': 'components for a chat page are no part of the interface',
}
/** Methods of the base class that all groups share. */
const PLUMBING = new Set(['constructor', 'prepareFetchOptions', 'fetch', 'streamWithRetry'])
const GROUPS = ['assistants', 'threads', 'runs', 'crons', 'store', '~ui'] as const
const called = new Set<string>()

let deployment: Awaited<ReturnType<typeof serverBehindGateway>>
let client: Client
beforeAll(async () => {
  deployment = await serverBehindGateway()
  client = new Client({ apiUrl: deployment.deploymentUrl, apiKey: API_KEY })
  for (const group of GROUPS) Object.defineProperty(client, group, { value: noting(group, client[group]) })
})
afterAll(() => deployment.close())

/** The group, wrapped to record which of its methods are called. */
function noting<T extends object>(group: string, methods: T): T {
  return new Proxy(methods, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      called.add(`${group}.${String(name)}`)
      return value.bind(target) as unknown
    },
  })
}

function methodsOf(group: object): string[] {
  const names: string[] = []
  for (let at = Object.getPrototypeOf(group); at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    names.push(...Object.getOwnPropertyNames(at))
  return [...new Set(names)].filter((name) => !PLUMBING.has(name))
}

describe('the client of the SDK', () => {
  test('assistants', async () => {
    const created = await client.assistants.create({
      graphId: 'counter',
      context: { label: 'a' },
      metadata: { sdk: true },
      name: 'One',
    })
    expect((await client.assistants.get(created.assistant_id)).context).toEqual({ label: 'a' })
    await client.assistants.update(created.assistant_id, { context: { label: 'b' } })
    expect((await client.assistants.getVersions(created.assistant_id)).map(({ version }) => version)).toEqual([2, 1])
    expect((await client.assistants.setLatest(created.assistant_id, 1)).context).toEqual({ label: 'a' })
    expect(await client.assistants.search({ metadata: { sdk: true } })).toHaveLength(1)
    const paged = await client.assistants.search({ limit: 1, includePagination: true })
    expect(paged.next).toBe('1')
    expect(await client.assistants.count({ metadata: { sdk: true } })).toBe(1)
    expect((await client.assistants.getGraph('counter', { xray: true })).nodes.length).toBeGreaterThan(2)
    expect((await client.assistants.getSchemas('counter')).state_schema).toBeTruthy()
    expect(Object.keys(await client.assistants.getSubgraphs('nested'))).toEqual(['middle'])
    await client.assistants.delete(created.assistant_id)
    await expect(client.assistants.get(created.assistant_id)).rejects.toThrow('404')
  })

  test('threads', async () => {
    const thread = await client.threads.create({ metadata: { sdk: true }, graphId: 'counter', ttl: 60 })
    expect((await client.threads.create({ threadId: thread.thread_id, ifExists: 'do_nothing' })).thread_id).toBe(
      thread.thread_id,
    )
    await client.runs.wait(thread.thread_id, 'counter', { input: { until: 2 } })
    expect((await client.threads.get(thread.thread_id, { include: ['ttl'] })).values).toMatchObject({ count: 2 })
    await client.threads.update(thread.thread_id, { metadata: { more: 1 } })
    expect((await client.threads.search({ metadata: { more: 1 }, sortBy: 'updated_at' }))[0]?.thread_id).toBe(
      thread.thread_id,
    )
    expect(await client.threads.count({ metadata: { more: 1 } })).toBe(1)
    const state = await client.threads.getState<{ count: number }>(thread.thread_id)
    expect(state.values.count).toBe(2)
    const history = await client.threads.getHistory<{ count: number }>(thread.thread_id)
    expect(history).toHaveLength(4)
    expect((await client.threads.getState(thread.thread_id, history[1]?.checkpoint)).values).toMatchObject({ count: 1 })
    expect(
      (await client.threads.getState(thread.thread_id, history[1]?.checkpoint.checkpoint_id as string)).values,
    ).toMatchObject({ count: 1 })
    await client.threads.updateState(thread.thread_id, { values: { count: 9 }, asNode: 'step' })
    expect((await client.threads.getState<{ count: number }>(thread.thread_id)).values.count).toBe(9)
    await client.threads.patchState(thread.thread_id, { note: 1 })
    const copy = await client.threads.copy(thread.thread_id)
    await client.threads.delete(copy.thread_id)
    await expect(client.threads.get(copy.thread_id)).rejects.toThrow('404')
    expect(await client.threads.prune([thread.thread_id])).toEqual({ pruned_count: 1 })
  })

  test('runs on a thread', async () => {
    const { thread_id } = await client.threads.create()
    let created: { run_id: string; thread_id?: string } | undefined
    const parts = await collect(
      client.runs.stream(thread_id, 'chat', {
        input: { messages: [{ role: 'user', content: 'hello there' }] },
        streamMode: ['messages-tuple', 'values'],
        streamResumable: true,
        onRunCreated: (run) => {
          created = run
        },
      }),
    )
    expect(created).toMatchObject({ thread_id, run_id: expect.any(String) })
    expect(parts[0]).toMatchObject({ event: 'metadata', data: { run_id: created?.run_id } })
    const text = parts
      .flatMap((part) =>
        part.event === 'messages' ? [(part.data as unknown as [{ content: string }])[0].content] : [],
      )
      .join('')
    expect(text).toBe('You said: hello there')
    expect(
      (await client.threads.getState<{ messages: { content: string }[] }>(thread_id)).values.messages.at(-1)?.content,
    ).toBe(text)
    const again = await collect(client.runs.joinStream(thread_id, created?.run_id as string, { lastEventId: '-1' }))
    expect(again).toEqual(parts)

    const run = await client.runs.create(thread_id, 'counter', {
      input: { until: 2, delay: 50 },
      multitaskStrategy: 'interrupt',
      durability: 'sync',
    })
    expect(await client.runs.join(thread_id, run.run_id)).toMatchObject({ count: 2 })
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('success')
    expect(await client.runs.list(thread_id)).toHaveLength(2)
    const long = await client.runs.create(thread_id, 'counter', { input: { until: 20, delay: 200 } })
    await client.runs.cancel(thread_id, long.run_id, true)
    expect((await client.runs.get(thread_id, long.run_id)).status).toBe('interrupted')
    await client.runs.delete(thread_id, long.run_id)
    expect(await client.runs.list(thread_id)).toHaveLength(2)
    await expect(client.runs.wait(thread_id, 'failing', { input: {} })).rejects.toThrow('NoLuck')
  })

  test('crons', async () => {
    const schedule = '0 0 1 1 *'
    const made = (await client.crons.create('counter', {
      schedule,
      timezone: 'Europe/Berlin',
      input: { until: 1 },
      metadata: { sdk: true },
      onRunCompleted: 'keep',
      endTime: '2200-01-01T00:00:00Z',
      streamMode: 'values',
      durability: 'sync',
    })) as unknown as Cron
    expect(made).toMatchObject({ schedule, timezone: 'Europe/Berlin', on_run_completed: 'keep', enabled: true })
    const { thread_id } = await client.threads.create()
    const onThread = await client.crons.createForThread(thread_id, 'counter', { schedule, multitaskStrategy: 'reject' })
    expect(onThread.thread_id).toBe(thread_id)
    const changed = await client.crons.update(made.cron_id, { enabled: false, schedule: '0 1 * * *', timezone: 'UTC' })
    expect(changed).toMatchObject({ enabled: false, schedule: '0 1 * * *', timezone: 'UTC', next_run_date: null })
    const found = await client.crons.search({ metadata: { sdk: true }, enabled: false, sortBy: 'created_at' })
    expect(found.map(({ cron_id }) => cron_id)).toEqual([made.cron_id])
    expect(await client.crons.search({ threadId: thread_id, select: ['cron_id'] })).toHaveLength(1)
    expect(await client.crons.count({ assistantId: made.assistant_id })).toBe(2)
    await client.crons.delete(made.cron_id)
    expect(await client.crons.count({ metadata: { sdk: true } })).toBe(0)
    await client.threads.delete(thread_id)
    expect(await client.crons.count()).toBe(0)
  })

  test('the store', async () => {
    await client.store.putItem(['sdk', 'ann'], 'k', { text: 'a', n: 1 }, { ttl: 60, index: false })
    await client.store.putItem(['sdk', 'bob'], 'k', { text: 'b', n: 2 })
    expect(await client.store.getItem(['sdk', 'ann'], 'k', { refreshTtl: true })).toMatchObject({
      namespace: ['sdk', 'ann'],
      value: { text: 'a', n: 1 },
      createdAt: expect.any(String),
    })
    expect(await client.store.getItem(['sdk', 'eve'], 'k')).toBeNull()
    const { items } = await client.store.searchItems(['sdk'], { filter: { n: { $gt: 1 } }, refreshTtl: false })
    expect(items.map(({ namespace }) => namespace)).toEqual([['sdk', 'bob']])
    expect(await client.store.listNamespaces({ prefix: ['sdk'], maxDepth: 1 })).toEqual({ namespaces: [['sdk']] })
    // Without an embedding model, a query is ignored.
    expect((await client.store.searchItems(['sdk'], { query: 'like' })).items).toHaveLength(2)
    await client.store.deleteItem(['sdk', 'ann'], 'k')
    expect(await client.store.getItem(['sdk', 'ann'], 'k')).toBeNull()
  })

  test('runs without a thread', async () => {
    expect(await client.runs.wait(null, 'counter', { input: { until: 1 } })).toMatchObject({ count: 1 })
    const parts = await collect(client.runs.stream(null, 'counter', { input: { until: 1 }, streamMode: 'custom' }))
    expect(parts.map(({ event }) => event)).toEqual(['metadata', 'custom', 'end'])
    const run = await client.runs.create(null, 'counter', { input: { until: 3, delay: 100 }, streamMode: 'custom' })
    expect((await collect(client.runs.joinStream(null, run.run_id))).at(-1)?.event).toBe('end')
    expect(await client.runs.createBatch([{ assistantId: 'counter', input: {} } as never])).toHaveLength(1)
    const many = await client.runs.create(null, 'counter', { input: { until: 100, delay: 100 } })
    await client.runs.cancelMany({ threadId: many.thread_id, runIds: [many.run_id] })
  })
  test('a thread stream carries every run on the thread', async () => {
    const { thread_id } = await client.threads.create()
    const leaving = new AbortController()
    const events = client.threads.joinStream(thread_id, { signal: leaving.signal })
    const first = events.next()
    await client.runs.create(thread_id, 'counter', { input: { until: 1, delay: 50 }, streamMode: 'custom' })
    expect((await first).value).toMatchObject({ event: 'metadata', data: { run_id: expect.any(String) } })
    leaving.abort()
  })

  test('a wrong key is refused for each group', async () => {
    const stranger = new Client({ apiUrl: deployment.deploymentUrl, apiKey: 'wrong', callerOptions: { maxRetries: 0 } })
    await expect(stranger.assistants.search()).rejects.toThrow(/401|403/)
    await expect(stranger.runs.wait(null, 'counter')).rejects.toThrow(/401|403/)
  })

  test('the tests above call every client method except the unsupported ones', () => {
    const all = GROUPS.flatMap((group) => methodsOf(client[group]).map((name) => `${group}.${name}`))
    expect(all.length).toBeGreaterThan(40)
    expect(all.filter((name) => !called.has(name)).sort()).toEqual(Object.keys(LACKING).sort())
  })
})
