import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, type TestServer, testServer } from './testing'

// The independent client: what it has for these groups works against this server as it is.

let server: TestServer
let client: Client
beforeAll(async () => {
  server = await testServer()
  client = new Client({ apiUrl: server.url, apiKey: 'any' })
})
afterAll(() => server.close())

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
})
