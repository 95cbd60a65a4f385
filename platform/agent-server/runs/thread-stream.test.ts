import { Client as SdkClient } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { query } from '@/scripts/testing'
import { nextEvent, type ReceivedEvent, readEvents, type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

/** An open stream of a thread; `until` reads until that many runs have ended. */
async function follow(threadId: string, headers: Record<string, string> = {}, query = '', reader = server) {
  const leave = new AbortController()
  const response = await reader.open('GET', `/threads/${threadId}/stream${query}`, undefined, headers, leave.signal)
  const events = readEvents(response)
  const until = async (ends: number, event = 'end') => {
    const seen: ReceivedEvent[] = []
    while (seen.filter((one) => one.event === event).length < ends) {
      const { done, value } = await events.next()
      if (done) break
      seen.push(value)
    }
    return seen
  }
  return { events, until, leave: () => leave.abort() }
}

const run = (threadId: string, body: object = {}) =>
  server.post(`/threads/${threadId}/runs`, {
    assistant_id: 'counter',
    input: { until: 2 },
    stream_mode: 'custom',
    ...body,
  })
const names = (events: ReceivedEvent[]) => events.map(({ event }) => event)

describe('the stream of a thread', () => {
  test('carries all events of all its runs in order', async () => {
    const thread = await server.newThread()
    const stream = await follow(thread)
    const [one, two] = [await run(thread), await run(thread)]
    const seen = await stream.until(2)
    expect(names(seen)).toEqual(['metadata', 'custom', 'custom', 'end', 'metadata', 'custom', 'custom', 'end'])
    expect([seen[0]?.data.run_id, seen[4]?.data.run_id]).toEqual([one.json.run_id, two.json.run_id])
    expect(new Set(seen.map(({ id }) => id)).size).toBe(8)
    // Other threads' events are not included.
    await run(await server.newThread())
    const three = await run(thread)
    expect((await stream.until(1))[0]?.data.run_id).toBe(three.json.run_id)
    stream.leave()
  })

  test('resumes after the reader’s last event, across runs too', async () => {
    const thread = await server.newThread()
    const whole = await follow(thread)
    await run(thread, { stream_resumable: true })
    await run(thread, { stream_resumable: true })
    const all = await whole.until(2)
    whole.leave()
    for (const index of [0, 2, 3, 5]) {
      const rest = await follow(thread, { 'last-event-id': all[index]?.id as string })
      const ends = all.slice(index + 1).filter(({ event }) => event === 'end').length
      expect(await rest.until(ends)).toEqual(all.slice(index + 1))
      rest.leave()
    }
    for (const start of ['-', '-1']) {
      const again = await follow(thread, { 'last-event-id': start })
      expect(await again.until(2)).toEqual(all)
      again.leave()
    }
  })

  test('a late reader gets only new events', async () => {
    const thread = await server.newThread()
    await run(thread)
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until: 1 } })
    const begun = await run(thread, { input: { count: 0, until: 5, delay: 50 } })
    const early = await follow(thread)
    await nextEvent(early.events, 'custom')
    const late = await follow(thread)
    const seen = await late.until(1)
    expect(names(seen)).not.toContain('metadata')
    expect(seen.at(-1)?.data).toEqual({ run_id: begun.json.run_id, status: 'success' })
    early.leave()
    late.leave()
  })

  test('a run that overtakes a delayed one does not wait for it in the stream', async () => {
    const thread = await server.newThread()
    const stream = await follow(thread)
    await run(thread, { after_seconds: 60 })
    const quick = await run(thread)
    expect((await stream.until(1)).at(-1)?.data.run_id).toBe(quick.json.run_id)
    stream.leave()
  })

  test('lifecycle sends only starts and ends, state_update each new state', async () => {
    const thread = await server.newThread()
    const life = await follow(thread, {}, '?stream_mode=lifecycle')
    const state = await follow(thread, {}, '?stream_modes=state_update')
    await run(thread)
    expect(names(await life.until(1))).toEqual(['metadata', 'end'])
    expect((await state.until(1, 'state_update'))[0]?.data).toMatchObject({ values: { count: 2 }, next: [] })
    await server.post(`/threads/${thread}/state`, { values: { count: 7 }, as_node: 'step' })
    expect((await state.until(1, 'state_update'))[0]?.data).toMatchObject({ values: { count: 7 } })
    life.leave()
    state.leave()
    expect(await server.get(`/threads/${thread}/stream?stream_mode=all`)).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['query', 'stream_mode'] }] },
    })
  })

  test('readers that disconnect leave no resources behind', async () => {
    const thread = await server.newThread()
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(thread)))
    await run(thread, { input: { until: 500, delay: 20 } })
    await Promise.all(streams.map(({ events }) => nextEvent(events, 'metadata')))
    for (const { leave } of streams) leave()
    const open = async () => Number(/^agent_streams_open (\d+)/m.exec((await server.get('/metrics')).text)?.[1])
    await expect.poll(open).toBe(0)
    await server.request('DELETE', `/threads/${thread}`)
  })

  test('the SDK reads it', async () => {
    const client = new SdkClient({ apiUrl: server.url, apiKey: 'any' })
    const thread = await server.newThread()
    await run(thread, { stream_resumable: true })
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until: 1 } })
    const seen: string[] = []
    for await (const { event } of client.threads.joinStream(thread, { lastEventId: '-' })) {
      seen.push(event)
      if (event === 'end') break
    }
    expect(seen).toEqual(['metadata', 'custom', 'custom', 'end'])
  })

  test('ends when the thread is deleted', async () => {
    const thread = await server.newThread()
    const stream = await follow(thread)
    await server.request('DELETE', `/threads/${thread}`)
    expect(await stream.until(1)).toEqual([])
  })
})

describe('through another process', () => {
  let other: TestServer
  beforeAll(async () => {
    other = await testServer({ databaseUrl: server.databaseUrl })
  })
  afterAll(() => other.close())

  test('it carries all events of runs, though they cannot be resumed, as they happen', async () => {
    const thread = await server.newThread()
    const stream = await follow(thread, {}, '', other)
    const began = Date.now()
    await run(thread)
    expect(names(await stream.until(1))).toEqual(['metadata', 'custom', 'custom', 'end'])
    await run(thread)
    expect(names(await stream.until(1))).toEqual(['metadata', 'custom', 'custom', 'end'])
    // Polling would take five seconds for each.
    expect(Date.now() - began).toBeLessThan(4000)
    stream.leave()
  })

  test('it shows updates of the state, and ends with the thread', async () => {
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until: 2 } })
    const stream = await follow(thread, {}, '?stream_mode=state_update', other)
    await server.post(`/threads/${thread}/state`, { values: { count: 7 }, as_node: 'step' })
    expect((await stream.until(1, 'state_update')).at(-1)?.data.values.count).toBe(7)
    await server.request('DELETE', `/threads/${thread}`)
    expect((await stream.events.next()).done).toBe(true)
  })

  test('a process that reads no thread any more is not told of its runs', async () => {
    const thread = await server.newThread()
    const stream = await follow(thread, {}, '', other)
    const readers = () =>
      query(server.databaseUrl, `select from agent_test.thread_readers where thread_id = '${thread}'`)
    expect(await readers()).toHaveLength(1)
    stream.leave()
    await expect.poll(readers).toHaveLength(0)
  })
})
