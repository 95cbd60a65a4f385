import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, nextEvent, type ReceivedEvent, readEvents, type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const names = (events: ReceivedEvent[]) => events.map(({ event }) => event)
const run = (assistant_id: string, input: object, more: object = {}) => ({ assistant_id, input, ...more })
const stream = (assistant_id: string, input: object, stream_mode?: string | string[], more: object = {}) =>
  server.stream('/runs/stream', run(assistant_id, input, { stream_mode, ...more }))

describe.concurrent('readers', () => {
  const slow = run('counter', { until: 12, delay: 40 }, { stream_mode: 'custom' })
  const counts = (events: ReceivedEvent[]) =>
    events.filter(({ event }) => event === 'custom').map(({ data }) => data.count)

  test('each gets every event after joining, and none from before', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-readers-'))
    const file = path.join(folder, 'counts')
    const gate = `${file}.hold-after-5`
    writeFileSync(gate, '')
    const thread = await server.newThread()
    const held = run('counter', { until: 12, file }, { stream_mode: 'custom' })
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, held)
    const join = response.headers.get('location') as string
    const first = readEvents(response)
    for (let count = 1; count <= 5; count++) await nextEvent(first, 'custom')
    const joined = Array.from({ length: 5 }, async () => {
      const events = readEvents(await server.open('GET', join))
      return { events, metadata: await nextEvent(events, 'metadata') }
    })
    const readers = await Promise.all(joined)
    rmSync(gate)
    expect(counts(await collect(first))).toEqual([6, 7, 8, 9, 10, 11, 12])
    for (const { events, metadata } of readers) {
      expect(metadata.data).toMatchObject({ run_id: join.split('/')[4], attempt: 1 })
      const rest = await collect(events)
      expect(counts(rest)).toEqual([6, 7, 8, 9, 10, 11, 12])
      expect(rest.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    }
    rmSync(folder, { recursive: true })
  })

  test('a reader that leaves does not affect the others', async () => {
    const thread = await server.newThread()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, slow)
    const path = response.headers.get('location') as string
    const leave = new AbortController()
    const gone = await server.open('GET', path, undefined, {}, leave.signal)
    await gone.body?.getReader().read()
    leave.abort()
    expect(counts(await collect(readEvents(response)))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  test('a joining reader selects stream modes', async () => {
    const thread = await server.newThread()
    const one = (await server.post(`/threads/${thread}/runs`, { ...slow, stream_mode: ['custom', 'values'] })).json
    const events = await server.join(`/threads/${thread}/runs/${one.run_id}/stream?stream_mode=values`)
    expect(new Set(names(events).filter((name) => name !== 'metadata'))).toEqual(new Set(['values', 'end']))
  })

  test('get only the end of an ended run, unless it kept its events', async () => {
    const thread = await server.newThread()
    const one = (await server.post(`/threads/${thread}/runs`, run('counter', {}))).json
    await server.until(thread, one.run_id, 'success')
    const path = `/threads/${thread}/runs/${one.run_id}/stream`
    for (const headers of [undefined, { 'last-event-id': '-1' }])
      expect(names(await server.join(path, headers))).toEqual(['end'])
  })

  test('a burst arrives completely and in order', async () => {
    const events = await stream('burst', { events: 20_000 }, 'custom')
    expect(events.slice(1, -1).map(({ data }) => data.index)).toEqual(
      Array.from({ length: 20_000 }, (_, index) => index),
    )
  })
})

describe.concurrent('a resumable run', () => {
  const body = run('counter', { until: 8, delay: 30 }, { stream_mode: 'custom', stream_resumable: true })
  const ids = (events: ReceivedEvent[]) => events.map(({ id }) => Number(id))

  test('resumes after Last-Event-ID while it runs', async () => {
    const thread = await server.newThread()
    const leave = new AbortController()
    const response = await server.open('POST', `/threads/${thread}/runs/stream`, body, {}, leave.signal)
    const path = response.headers.get('location') as string
    const events = readEvents(response)
    await nextEvent(events, 'custom')
    const last = await nextEvent(events, 'custom')
    leave.abort()
    await sleep(70)
    const rest = await server.join(path, { 'last-event-id': last.id })
    expect(ids(rest)).toEqual(Array.from({ length: 7 }, (_, index) => Number(last.id) + 1 + index))
    expect(rest.at(-1)?.event).toBe('end')
  })

  test.each(['-1', '-'])('is read from the start with %s, even after its end', async (from) => {
    const thread = await server.newThread()
    const all = await server.stream(`/threads/${thread}/runs/stream`, body)
    const path = `/threads/${thread}/runs/${all[0]?.data.run_id}/stream`
    expect(await server.join(path, { 'last-event-id': from })).toEqual(all)
    expect(await server.join(path, { 'last-event-id': '5' })).toEqual(all.slice(6))
    for (const headers of [undefined, { 'last-event-id': 'x' }])
      expect(names(await server.join(path, headers))).toEqual(['end'])
  })

  test('without a thread keeps its events after its record is removed', async () => {
    const all = await server.stream('/runs/stream', body)
    const id = all[0]?.data.run_id
    expect(await server.join(`/runs/${id}/stream`, { 'last-event-id': '-1' })).toEqual(all)
    expect((await server.get(`/runs/${crypto.randomUUID()}/stream`)).status).toBe(404)
  })
})
