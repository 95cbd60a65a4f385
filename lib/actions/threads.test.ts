import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { printJson } from '@/lib/json/lossless'
import type { Actor } from '@/lib/server/access/actor'
import { testAgentConsole } from '@/lib/server/resources/testing'
import { readHistory } from '@/lib/server/resources/threads/history'
import { signIn } from '@/lib/server/testing'
import {
  cancelRunsOf,
  copyThread,
  createThread,
  deleteThreads,
  previewState,
  saveMetadata,
  updateState,
} from './threads'

let actor: Actor
vi.mock('next/headers', () => import('@/lib/server/access/testing'))
// Against the embedded agent server, over a connection that the test can break.
const { server, wire, at, developer, viewer, close } = await testAgentConsole()
afterAll(close)
beforeEach(async () => {
  actor = await signIn(developer)
  await wire.set(null)
})

let keys = 0
const newKey = () => `key-of-test-${keys++}`
const place = (thread: string) => ({ ...at, thread })
const history = (thread: string, query: object = {}) => readHistory(place(thread), query, { actor })

/** Creates a thread on which the counter ran to 3. */
async function counted(): Promise<string> {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until: 3 } })
  return thread
}

test('a history has step, source, writing node, next nodes and size, but not the values', async () => {
  const thread = await counted()
  const { rows, last } = await history(thread)
  expect(rows.map(({ step, source, by, next }) => ({ step, source, by, next }))).toEqual([
    { step: 3, source: 'loop', by: ['step'], next: [] },
    { step: 2, source: 'loop', by: ['step'], next: ['step'] },
    { step: 1, source: 'loop', by: ['step'], next: ['step'] },
    { step: 0, source: 'loop', by: ['__start__'], next: ['step'] },
    { step: -1, source: 'input', by: [], next: ['__start__'] },
  ])
  expect(last).toBeNull()
  expect(JSON.stringify(rows)).not.toContain('step 1')
  const newest = (await server.get(`/threads/${thread}/state`)).json
  expect(rows[0]).toMatchObject({ id: newest.checkpoint.checkpoint_id, bytes: JSON.stringify(newest.values).length })
  const first = await history(thread, { limit: '2' })
  const second = await history(thread, { limit: '2', before: first.last })
  expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual(rows.slice(0, 4).map(({ id }) => id))
})

test('the history of a subgraph is read by its namespace', async () => {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'nested', input: { text: 'hello' } })
  const { rows } = await history(thread)
  const ns = rows.flatMap(({ tasks }) => tasks).find((task) => task.name === 'middle')?.ns
  expect(ns).toMatch(/^middle/)
  const inner = await history(thread, { ns: ns ?? '' })
  expect(inner.rows.length).toBeGreaterThan(0)
  expect(inner.rows.every((row) => row.ns === ns)).toBe(true)
})

test('a state can be written on the newest checkpoint, or on an older one as a fork', async () => {
  const thread = await counted()
  const { rows } = await history(thread)
  const [newest, second] = rows
  if (!newest || !second) throw new Error('no history')
  const edit = {
    place: place(thread),
    expectedCheckpoint: newest.id,
    isFork: false,
    values: '{"count":10}',
    asNode: 'step',
  }
  const key = newKey()
  const [one, two] = await Promise.all([
    updateState({ ...edit, key, base: { id: newest.id, ns: '' } }),
    updateState({ ...edit, key, base: { id: newest.id, ns: '' } }),
  ])
  expect(one).toMatchObject({ ok: true, data: { kind: 'saved' } })
  expect(two).toEqual(one)
  const after = await history(thread)
  expect(after.rows).toHaveLength(6)
  expect(after.rows[0]).toMatchObject({ source: 'update', parent: newest.id, next: [] })
  expect((await server.get(`/threads/${thread}/state`)).json.values.count).toBe(10)

  // An edit based on an outdated checkpoint is reported and can still be written as a fork.
  const late = { ...edit, base: { id: second.id, ns: '' }, values: '{"count":0}' }
  expect(await updateState({ ...late, key: newKey() })).toMatchObject({
    ok: true,
    data: { kind: 'moved', newest: after.rows[0]?.id },
  })
  expect((await history(thread)).rows).toHaveLength(6)
  expect(await updateState({ ...late, key: newKey(), isFork: true })).toMatchObject({
    ok: true,
    data: { kind: 'saved' },
  })
  const [forked] = (await history(thread)).rows
  expect(forked).toMatchObject({ parent: second.id, next: ['step'] })
  const refused = await updateState({
    ...edit,
    key: newKey(),
    isFork: true,
    base: { id: newest.id, ns: '' },
    asNode: 'nobody',
  })
  expect(refused).toMatchObject({ ok: false, error: { code: 'invalid', fields: [{ path: ['as_node'] }] } })
})

test('a preview is what the reducers make of a write, on a copy that is deleted again', async () => {
  const thread = await server.newThread()
  const input = { messages: [{ role: 'user', content: 'hello' }] }
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'chat', input })
  const rows = async () => (await history(thread)).rows.map(({ id }) => id)
  const before = await rows()
  const threads = async () => (await server.post('/threads/count', {})).json
  const count = await threads()
  const edit = { place: place(thread), base: { id: before[0] ?? '', ns: '' }, asNode: 'agent' }
  const seen = async (more: object) => {
    const result = await previewState({ ...edit, values: '{"messages":[{"role":"user","content":"more"}]}', ...more })
    return result.ok
      ? JSON.parse(result.data).messages.map((one: { content: string }) => one.content)
      : result.error.code
  }
  // The messages that the write leaves out stay.
  expect(await seen({})).toEqual(['hello', 'You said: hello', 'more'])
  expect(await seen({ base: { id: before.at(-2) ?? '', ns: '' } })).toEqual(['hello', 'more'])
  expect(await seen({ asNode: 'nobody' })).toBe('invalid')
  expect(await seen({ base: { id: 'x', ns: 'sub:1' } })).toBe('unsupported')
  actor = await signIn(viewer)
  expect(await seen({})).toBe('forbidden')
  expect([await rows(), await threads()]).toEqual([before, count])
})

test('after a lost answer the outcome is looked up', async () => {
  const thread = await counted()
  const [newest] = (await history(thread)).rows
  if (!newest) throw new Error('no history')
  await wire.set({ kind: 'reset', afterBytes: 0, isDelivered: true }, 1, /^POST .*\/state$/)
  const saved = await updateState({
    place: place(thread),
    key: newKey(),
    expectedCheckpoint: newest.id,
    isFork: false,
    base: { id: newest.id, ns: '' },
    values: '{"count":7}',
    asNode: 'step',
  })
  expect(saved).toMatchObject({
    ok: true,
    data: { kind: 'saved', note: expect.stringContaining('but the change was made') },
  })
  expect((await history(thread)).rows.filter(({ source }) => source === 'update')).toHaveLength(1)
})

test('metadata is changed key by key, and a concurrent change of the same key is a conflict', async () => {
  const made = await createThread({ ...at, key: newKey(), metadata: '{"team":"a","n":1}' })
  if (!made.ok) throw new Error('not made')
  const thread = made.data.thread
  const save = (metadata: object, base: object = { team: 'a', n: 1 }) =>
    saveMetadata({ place: place(thread), key: newKey(), base: printJson(base), metadata: printJson(metadata) })
  await server.request('PATCH', `/threads/${thread}`, { metadata: { n: 2, other: true } })
  expect(await save({ team: 'b', n: 1 })).toMatchObject({ ok: true, data: { kind: 'saved' } })
  expect((await server.get(`/threads/${thread}`)).json.metadata).toEqual({ team: 'b', n: 2, other: true })
  expect(await save({ team: 'c', n: 1 })).toMatchObject({
    ok: true,
    data: { kind: 'conflict', message: expect.stringContaining('team'), now: expect.stringContaining('"b"') },
  })
  expect(await save({ team: 'a' })).toMatchObject({ ok: false, error: { code: 'invalid' } })
})

test('a thread is created once and copied once per key, with its whole history', async () => {
  const key = newKey()
  const made = await Promise.all([1, 2].map(() => createThread({ ...at, key, metadata: '{}', ttlMinutes: 60 })))
  expect(made[0]).toEqual(made[1])
  const thread = await counted()
  const copyKey = newKey()
  const copies = await Promise.all([1, 2].map(() => copyThread({ place: place(thread), key: copyKey })))
  expect(copies[0]).toEqual(copies[1])
  const copy = copies[0]?.ok ? copies[0].data.thread : ''
  expect((await history(copy)).rows).toHaveLength(5)
})

test('bulk deletes and cancels report the outcome of each thread', async () => {
  const [busy, idle] = [await server.newThread(), await server.newThread()]
  const ids = [busy, idle, '00000000-0000-4000-8000-000000000000']
  const run = { assistant_id: 'counter', input: { until: 1_000, delay: 50 }, config: { recursion_limit: 2_000 } }
  const { json } = await server.post(`/threads/${busy}/runs`, run)
  await server.post(`/threads/${busy}/runs`, run)
  await server.until(busy, json.run_id, 'running')
  const cancelled = await cancelRunsOf({ ...at, ids, key: newKey() })
  expect(cancelled).toMatchObject({
    ok: true,
    data: [
      { id: busy, outcome: 'done', reason: '2 runs' },
      { id: idle, outcome: 'nothing' },
      { id: ids[2], outcome: 'failed' },
    ],
  })
  await server.until(busy, json.run_id, 'interrupted')
  const key = newKey()
  const gone = await deleteThreads({ ...at, ids, key })
  expect(gone.ok && gone.data.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done'])
  expect(await deleteThreads({ ...at, ids, key })).toEqual(gone)
  expect((await server.get(`/threads/${busy}`)).status).toBe(404)
})

test('a viewer cannot change anything', async () => {
  const thread = await counted()
  const [newest] = (await history(thread)).rows
  actor = await signIn(viewer)
  const base = { id: newest?.id ?? '', ns: '' }
  for (const refused of [
    await createThread({ ...at, key: newKey(), metadata: '{}' }),
    await copyThread({ place: place(thread), key: newKey() }),
    await saveMetadata({ place: place(thread), key: newKey(), base: '{}', metadata: '{"a":1}' }),
    await updateState({
      place: place(thread),
      key: newKey(),
      base,
      expectedCheckpoint: base.id,
      isFork: false,
      values: '{}',
    }),
    await deleteThreads({ ...at, ids: [thread], key: newKey() }),
    await cancelRunsOf({ ...at, ids: [thread], key: newKey() }),
  ])
    expect(refused).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  expect((await server.get(`/threads/${thread}`)).status).toBe(200)
})
