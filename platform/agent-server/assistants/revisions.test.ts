import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixtures, type TestServer, testServer } from '../testing'
import { defaultAssistantId } from './assistants'

/** Assistants over several revisions of a deployment, and what of them is kept. */

const few = path.join(path.dirname(fixtures), 'few.json')
// biome-ignore lint/suspicious/noExplicitAny: tests check what they read by their expectations
type Any = any
let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())
const create = async (body: object = {}): Promise<Any> =>
  (await server.post('/assistants', { graph_id: 'counter', ...body })).json
const patch = (id: string, body: object) => server.request('PATCH', `/assistants/${id}`, body)

describe('a later revision', () => {
  test('keeps what users changed, and hides the assistants of graphs that it no longer has', async () => {
    await patch('counter', { name: 'My counter', metadata: { mine: true } })
    const made = await create({ graph_id: 'chat', name: 'Made' })
    const later = await testServer({ databaseUrl: server.databaseUrl, configPath: few })
    const search = async (body: object): Promise<Any[]> =>
      (await later.post('/assistants/search', { limit: 100, ...body })).json
    const names = (await search({ metadata: { created_by: 'system' } })).map(
      ({ graph_id, name }) => `${graph_id} ${name}`,
    )
    expect(names).toHaveLength(2)
    expect(names).toContain('counter My counter')
    expect((await search({ name: 'Made' })).map(({ assistant_id }) => assistant_id)).toEqual([made.assistant_id])
    expect((await later.post('/assistants/count', { metadata: { created_by: 'system' } })).json).toBe(2)
    expect((await later.get('/assistants/counter')).json).toMatchObject({ version: 2, name: 'My counter' })
    // The one of a graph that is gone can be removed; that of a graph cannot.
    const gone = `/assistants/${defaultAssistantId('chat')}`
    expect((await later.get('/assistants/chat')).status).toBe(404)
    expect((await later.request('DELETE', gone)).status).toBe(200)
    expect((await later.request('DELETE', '/assistants/counter')).status).toBe(409)
    await later.close()
  })
})

describe('an update', () => {
  test('keeps what it does not name', async () => {
    const before = await create({
      name: 'a',
      description: 'b',
      config: { tags: ['x'] },
      context: { label: 'c' },
      metadata: { d: 1 },
    })
    const { json } = await patch(before.assistant_id, { name: null, description: null })
    expect(json).toEqual({ ...before, version: 2, updated_at: json.updated_at })
    expect((await patch(before.assistant_id, { description: 'new' })).json).toMatchObject({
      name: 'a',
      description: 'new',
    })
  })

  test('to another graph is checked with the context that stays', async () => {
    const { assistant_id } = await create({ graph_id: 'chat', context: { label: 7 } })
    expect(await patch(assistant_id, { graph_id: 'counter' })).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'context', 'label'] }] },
    })
    expect((await patch(assistant_id, { graph_id: 'counter', context: { label: 'x' } })).status).toBe(200)
    expect((await patch(assistant_id, { graph_id: 'nothing' })).status).toBe(404)
    expect((await server.get(`/assistants/${assistant_id}`)).json).toMatchObject({ version: 2, graph_id: 'counter' })
  })

  test('of an assistant that is gone is not found', async () => {
    expect((await patch(crypto.randomUUID(), { name: 'x' })).status).toBe(404)
  })
})

describe('the versions', () => {
  test('are listed by page, newest first, with those that have the metadata', async () => {
    const { assistant_id } = await create({ metadata: { n: 1 } })
    for (const n of [2, 3]) await patch(assistant_id, { metadata: { n } })
    const versions = async (body: object = {}): Promise<number[]> =>
      (await server.post(`/assistants/${assistant_id}/versions`, body)).json.map(({ version }: Any) => version)
    expect(await versions()).toEqual([3, 2, 1])
    expect(await versions({ limit: 1, offset: 1 })).toEqual([2])
    expect(await versions({ metadata: { n: 1 } })).toEqual([1])
    const [newest] = (await server.post(`/assistants/${assistant_id}/versions`)).json
    expect(newest.updated_at).toBe(newest.created_at)
    expect((await server.post(`/assistants/${crypto.randomUUID()}/versions`)).status).toBe(404)
  })

  test('stay when an earlier one is active again', async () => {
    const { assistant_id } = await create({ name: 'one', config: { tags: ['a'] }, metadata: { a: 1 } })
    await patch(assistant_id, { name: 'two', config: { tags: ['b'] }, metadata: { b: 1 } })
    const { json } = await server.post(`/assistants/${assistant_id}/latest`, { version: 1 })
    expect(json).toMatchObject({ version: 1, name: 'one', config: { tags: ['a'] }, metadata: { a: 1 } })
    expect((await server.post(`/assistants/${assistant_id}/versions`)).json).toHaveLength(2)
  })
})

test('a search is narrowed by its graph, its name and its page', async () => {
  const metadata = { set: 'narrowed' }
  for (const [graph_id, name] of [
    ['counter', 'Alpha'],
    ['counter', 'beta'],
    ['chat', 'alphabet'],
  ])
    await create({ graph_id, name, metadata })
  const search = (body: object) => server.post('/assistants/search', { metadata, ...body })
  const names = async (body: object): Promise<string[]> => (await search(body)).json.map(({ name }: Any) => name).sort()
  expect(await names({ graph_id: 'counter' })).toEqual(['Alpha', 'beta'])
  expect(await names({ name: 'ALPHA' })).toEqual(['Alpha', 'alphabet'])
  expect(await names({ name: 'ALPHA', graph_id: 'chat' })).toEqual(['alphabet'])
  const [first, beyond] = await Promise.all([search({ limit: 1 }), search({ limit: 1, offset: 3 })])
  expect([first.json.length, first.headers.get('x-pagination-next'), first.headers.get('x-pagination-total')]).toEqual([
    1,
    '1',
    '3',
  ])
  expect([beyond.json, beyond.headers.get('x-pagination-total')]).toEqual([[], '3'])
  const none = await server.post('/assistants/search', { metadata: { set: 'none' } })
  expect([none.json, none.headers.get('x-pagination-total')]).toEqual([[], '0'])
})

test('an id is the same in either case, and is made where none is given', async () => {
  const id = crypto.randomUUID()
  expect((await create({ assistant_id: id.toUpperCase() })).assistant_id).toBe(id)
  expect((await server.get(`/assistants/${id.toUpperCase()}`)).json.assistant_id).toBe(id)
  expect((await create()).assistant_id).toMatch(/^[0-9a-f-]{36}$/)
  const again = await server.post('/assistants', { graph_id: 'counter', assistant_id: id, if_exists: 'raise' })
  expect([again.status, again.json.detail]).toEqual([409, `Assistant ${id} already exists.`])
})
