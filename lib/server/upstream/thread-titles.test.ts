import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Reply, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { THREAD_EXTRACT } from '@/lib/stream/thread-rows'
import type { Actor } from '../access/actor'
import { insertDirectServer, NewDirectServer } from '../access/direct-servers'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from './call'

// Titles and previews of threads without messages. Time is faked, so that a title is late only where a test says so.

type Body = { ids?: string[]; limit?: number; select?: string[]; extract?: Record<string, string> }
type Values = Record<string, unknown>
type Stored = { id: string; values: Values; metadata: Record<string, unknown>; updatedAt?: string }
let home: TestConsole
let upstream: StubUpstream
let actor: Actor
let deploymentId: string
let threads: Stored[] = []
let schemas: Record<string, unknown> = {}
/** What the server was asked: bodies of searches, and paths. */
let asked: (Body | string)[] = []

beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
  actor = await testActor({ titles: 'viewer' })
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'titles', name: 'Titles', dialect: 'auto', allowedOrigins: [] }),
  )
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
let count = 0
beforeEach(async () => {
  // What is known of a server is remembered by its address, so each test has one of its own.
  count += 1
  const url = `${upstream.url}/${count}`
  deploymentId = (await insertDirectServer('titles', NewDirectServer.parse({ name: `server ${count}`, url }))).id
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  threads = []
  schemas = { trip: graph({ topic: 'string' }, { summary: 'string', score: 'number' }) }
  asked = []
  upstream.respondWith(({ method, path, body }) => serve(method, path.slice(`/${count}`.length), body))
})
afterEach(() => {
  vi.useRealTimers()
})

/** The schemas of a graph, with the fields of its input and output by their types. */
const graph = (input: Record<string, string>, output: Record<string, string>) => {
  const object = (fields: Record<string, string>) => ({
    properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
  })
  return { input_schema: object(input), output_schema: object(output) }
}

/** A server that does all that it is asked to. */
function serve(method: string, path: string, text: string): Reply {
  if (method === 'GET') {
    asked.push(path)
    const found = schemas[decodeURIComponent(path.split('/')[2] ?? '')]
    return found ? { body: found } : { status: 404, body: { detail: 'Assistant not found' } }
  }
  const body = JSON.parse(text) as Body
  asked.push(body)
  return { body: threads.filter(({ id }) => !body.ids || body.ids.includes(id)).map((thread) => rowOf(thread, body)) }
}

function rowOf({ id, values, metadata, updatedAt }: Stored, { select, extract = {} }: Body) {
  const at = (path: string) => {
    const messages = (values.messages ?? []) as unknown[]
    if (path.startsWith('values.messages')) return messages.at(path.endsWith('[0]') ? 0 : -1) ?? null
    return values[path.replace('values.', '')] ?? null
  }
  const extracted = Object.fromEntries(Object.entries(extract).map(([name, path]) => [name, at(path)]))
  const row = { status: 'idle', metadata, updated_at: updatedAt }
  return { thread_id: id, ...(select?.includes('metadata') && row), extracted }
}

const of = (id: string, values: Values, metadata: Stored['metadata'] = { assistant_id: 'trip' }): Stored => ({
  ...{ id, values, metadata, updatedAt: '2026-11-27T10:00:00Z' },
})
const SELECT = ['thread_id', 'metadata', 'updated_at']
async function search(body: object = {}, signal?: AbortSignal, by = call) {
  const asks = { select: SELECT, extract: THREAD_EXTRACT, ...body }
  const rows = await by(agentServer.searchThreads, { workspace: 'titles', deploymentId, body: asks }, { actor, signal })
  return Object.fromEntries(rows.map(({ thread_id, extracted }) => [thread_id, extracted]))
}
const nothing = { first: null, last: null }
/** What was asked after the search itself. */
const askedMore = () => asked.slice(1)

test('a thread without messages gets them from the fields of its graph, and nothing else is read of it', async () => {
  threads = [
    of('a', { topic: 'Rome', summary: 'Five days', score: 4, secret: 'canary' }),
    of('b', { topic: 'Oslo', secret: 'canary' }),
  ]
  expect(await search()).toEqual({
    a: { ...nothing, values_text: 'Rome', values_preview: 'Five days' },
    b: { ...nothing, values_text: 'Oslo' },
  })
  expect(askedMore()).toEqual([
    '/assistants/trip/schemas',
    {
      ...{ ids: ['a', 'b'], limit: 2, select: ['thread_id'] },
      extract: { topic: 'values.topic', summary: 'values.summary', score: 'values.score' },
    },
  ])
})

test('threads with a title or a message of a person keep what they have', async () => {
  const asks = { messages: [{ type: 'human', content: 'Where to?' }], topic: 'Rome' }
  threads = [
    of('asked', asks),
    of('named', { topic: 'Rome' }, { assistant_id: 'trip', title: 'My trip' }),
    of('answered', { messages: [{ type: 'ai', content: 'Hello' }], topic: 'Oslo' }),
  ]
  const [first] = asks.messages
  const answer = { type: 'ai', content: 'Hello' }
  expect(await search()).toEqual({
    asked: { first, last: first },
    named: nothing,
    answered: { first: answer, last: answer, values_text: 'Oslo' },
  })
  expect(askedMore()).toMatchObject(['/assistants/trip/schemas', { ids: ['answered'] }])
})

test('each thread is read by the fields of its own graph, if it says which', async () => {
  schemas.other = graph({ place: 'string' }, {})
  threads = [
    of('by assistant', { topic: 'Rome', place: 'x' }, { assistant_id: 'trip', graph_id: 'none' }),
    of('by graph', { topic: 'x', place: 'Oslo' }, { assistant_id: '', graph_id: 'other' }),
    of('by graph too', { topic: 'x', place: 'Bonn' }, { assistant_id: 7, graph_id: 'other' }),
    of('of none', { topic: 'x' }, {}),
  ]
  expect(await search()).toEqual({
    'by assistant': { ...nothing, values_text: 'Rome' },
    'by graph': { ...nothing, values_text: 'Oslo' },
    'by graph too': { ...nothing, values_text: 'Bonn' },
    'of none': nothing,
  })
  expect(askedMore()).toMatchObject([
    '/assistants/trip/schemas',
    { ids: ['by assistant'] },
    '/assistants/other/schemas',
    { ids: ['by graph', 'by graph too'], extract: { place: 'values.place' } },
  ])
})

test('what was read is asked again only for threads that have changed', async () => {
  threads = [of('a', { topic: 'Rome' }), of('b', { topic: 'Oslo' })]
  const before = await search()
  asked = []
  expect(await search()).toEqual(before)
  expect(askedMore()).toEqual([])
  asked = []
  threads = [of('a', { topic: 'Rome' }), { ...of('b', { topic: 'Bonn' }), updatedAt: '2026-11-27T11:00:00Z' }]
  expect(await search()).toEqual({ ...before, b: { ...nothing, values_text: 'Bonn' } })
  expect(askedMore()).toMatchObject([{ ids: ['b'] }])
})

test('a server that names no time of a change has titles too, which are read each time', async () => {
  for (const topic of ['Rome', 'Oslo']) {
    threads = [{ ...of('a', { topic }), updatedAt: undefined }]
    expect(await search()).toEqual({ a: { ...nothing, values_text: topic } })
  }
})

test('a graph is asked for its fields again after five minutes', async () => {
  const change = (topic: string) => {
    threads = [{ ...of('a', { topic }), updatedAt: `2026-11-27 ${topic}` }]
    asked = []
  }
  change('Rome')
  await search()
  vi.advanceTimersByTime(300_000 - 1)
  change('Oslo')
  await search()
  expect(askedMore()).toMatchObject([{ ids: ['a'] }])
  vi.advanceTimersByTime(1)
  change('Bonn')
  expect(await search()).toEqual({ a: { ...nothing, values_text: 'Bonn' } })
  expect(askedMore()).toMatchObject(['/assistants/trip/schemas', { ids: ['a'] }])
})

test('of a graph whose fields give no title only the runs are read', async () => {
  schemas.trip = graph({ messages: 'array' }, { messages: 'array' })
  threads = [of('a', { topic: 'Rome' })]
  expect(await search()).toEqual({ a: nothing })
  expect(askedMore()).toEqual(['/assistants/trip/schemas', '/threads/a/runs?limit=20'])
})

test('a server that cannot say the fields, or does not return them, leaves the threads untitled', async () => {
  threads = [of('a', { topic: 'Rome' }, { assistant_id: 'gone' })]
  expect(await search()).toEqual({ a: nothing })
  expect(askedMore()).toEqual(['/assistants/gone/schemas', '/threads/a/runs?limit=20'])
  threads = [of('b', { topic: 'Rome' })]
  upstream.respondWith(({ method, path, body }) => {
    if (method === 'POST' && JSON.parse(body).ids) return { status: 500, body: '' }
    return serve(method, path.slice(`/${count}`.length), body)
  })
  expect(await search()).toEqual({ b: nothing })
})

test('other threads that a server returns as well get no title from it', async () => {
  threads = [of('a', { topic: 'Rome' }), of('b', { topic: 'Oslo' }, { assistant_id: 'trip', title: 'Named' })]
  upstream.respondWith(({ method, path, body }) => {
    const all = method === 'POST' ? JSON.stringify({ ...JSON.parse(body), ids: undefined }) : body
    return serve(method, path.slice(`/${count}`.length), all)
  })
  expect(await search()).toEqual({ a: { ...nothing, values_text: 'Rome' }, b: nothing })
  threads = [of('a', { topic: 'Rome' }), of('b', { topic: 'Oslo' })]
  expect(await search()).toMatchObject({ b: { values_text: 'Oslo' } })
})

test('values that a server extracted as null, or not at all, give no title', async () => {
  threads = [of('a', {})]
  upstream.respondWith(({ method, path, body }) => {
    if (method === 'POST' && JSON.parse(body).ids) return { body: [{ thread_id: 'a' }] }
    return serve(method, path.slice(`/${count}`.length), body)
  })
  expect(await search()).toEqual({ a: nothing })
})

test('a list that extracts something else has no titles', async () => {
  threads = [of('a', { topic: 'Rome' })]
  expect(await search({ extract: { first: 'values.topic' } })).toEqual({ a: { first: 'Rome' } })
  expect(await search({ extract: undefined })).toEqual({ a: {} })
  expect(asked).toHaveLength(2)
})

test('a list does not wait for titles that take long, which the next one has', async () => {
  threads = [of('a', { topic: 'Rome' })]
  let isAsked = () => {}
  let release = () => {}
  const arrived = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  upstream.respondWith(async ({ method, path, body }) => {
    if (method === 'GET') {
      isAsked()
      await released
    }
    return serve(method, path.slice(`/${count}`.length), body)
  })
  const first = search()
  await arrived
  vi.advanceTimersByTime(700)
  expect(await first).toEqual({ a: nothing })
  release()
  expect(await search()).toEqual({ a: { ...nothing, values_text: 'Rome' } })
})

test('someone who leaves while titles are read ends the search', async () => {
  threads = [of('a', { topic: 'Rome' })]
  const leaving = new AbortController()
  upstream.respondWith(({ method, path, body }) => {
    if (method === 'GET') return () => leaving.abort(new Error('left'))
    return serve(method, path.slice(`/${count}`.length), body)
  })
  await expect(search({}, leaving.signal)).rejects.toThrow('left')
})

test('the titles of at most two thousand threads are kept', async () => {
  const many = (name: string, length: number) => Array.from({ length }, (_, n) => of(`${name} ${n}`, { topic: 'Rome' }))
  // A copy of the modules that knows no threads yet.
  vi.resetModules()
  const fresh = await import('./call')
  const [first, second] = [many('first', 1_000), many('second', 1_000)]
  const read = async (some: Stored[]) => {
    threads = some
    asked = []
    await search({ limit: 1_000 }, undefined, fresh.call)
    return askedMore().length > 0
  }
  expect([await read(first), await read(second), await read(first)]).toEqual([true, true, false])
  expect([await read(many('third', 1)), await read(first)]).toEqual([true, true])
})
