import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { Db } from '../persistence/db'
import { fixtures, type TestServer, testServer } from '../testing'
import { ItemStore } from './items'

let server: TestServer
let db: Db
beforeAll(async () => {
  server = await testServer()
  db = new Db(server.databaseUrl, 'agent_test', () => {})
})
afterAll(async () => {
  await db.close()
  await server.close()
})

type Json = Record<string, unknown>
const put = (namespace: string[], key: string, value: Json, more: Json = {}) =>
  server.request('PUT', '/store/items', { namespace, key, value, ...more })
const get = (namespace: string[], key: string, more = '') =>
  server.get(`/store/items?namespace=${encodeURIComponent(namespace.join('.'))}&key=${encodeURIComponent(key)}${more}`)
const search = (body: Json) => server.post('/store/items/search', body)
const keys = async (body: Json) => ((await search(body)).json.items as { key: string }[]).map(({ key }) => key).sort()

describe('an item', () => {
  test('is stored unchanged, with its timestamps, until it is deleted', async () => {
    const value = { b: 1, a: [null, { deep: 'ü\0\ud83d\ude00' }], 'lone\ud800': 0.1 }
    expect(await put(['kept'], 'k', value)).toMatchObject({ status: 204, text: '' })
    const first = (await get(['kept'], 'k')).json
    expect(first).toEqual({
      namespace: ['kept'],
      key: 'k',
      value,
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: first.created_at,
    })
    expect(Object.keys(first.value)).toEqual(Object.keys(value))
    await sleep(2)
    await put(['kept'], 'k', { now: 2 })
    const second = (await get(['kept'], 'k')).json
    expect([second.value, second.created_at]).toEqual([{ now: 2 }, first.created_at])
    expect(second.updated_at > first.updated_at).toBe(true)
    expect((await server.request('DELETE', '/store/items', { namespace: ['kept'], key: 'k' })).status).toBe(204)
    expect(await get(['kept'], 'k')).toMatchObject({ status: 200, json: null })
  })

  test('is separate in each namespace', async () => {
    await put(['a', 'b'], 'k', { n: 1 })
    await put(['a'], 'k', { n: 2 })
    expect((await get(['a', 'b'], 'k')).json.value).toEqual({ n: 1 })
    const repeated = await server.get('/store/items?namespace=a&namespace=b&key=k')
    expect(repeated.json.value).toEqual({ n: 1 })
  })

  test.each([
    ['a period in the namespace', { namespace: ['a.b'] }, 'namespace', 'period'],
    ['no namespace', { namespace: [] }, 'namespace', 'at least one part'],
    ['the reserved root', { namespace: ['langgraph', 'x'] }, 'namespace', 'reserved'],
    ['an over-long key', { key: 'x'.repeat(3000) }, 'namespace', '2000 bytes'],
    ['a null character', { key: 'a\0' }, 'key', 'null character'],
    ['a value that is no object', { value: [1] }, 'value', 'dictionary'],
    ['a time to live of nothing', { ttl: 0 }, 'ttl', ''],
  ])('with %s is refused by its field', async (_, more, field, message) => {
    const response = await put(['refused'], 'k', {}, more)
    expect([response.status, response.json.detail[0].loc.slice(0, 2)]).toEqual([422, ['body', field]])
    expect(response.json.detail[0].msg).toContain(message)
    expect(await keys({ namespace_prefix: ['refused'] })).toEqual([])
  })

  test('may ask for an index, which is ignored without an embedding model', async () => {
    expect((await put(['plain'], 'k', {}, { index: ['text'] })).status).toBe(204)
    expect((await put(['plain'], 'k', {}, { index: false, ttl: null })).status).toBe(204)
    expect((await put(['plain'], 'k', {}, { index: null })).status).toBe(204)
  })
})

describe('a time to live', () => {
  const shorten = (key: string, interval: string) =>
    db.query(`update items set expires_at = now() + interval '${interval}' where key = $1`, [key])
  const expiry = async (key: string) => {
    const [row] = await db.query<{ left: number }>(
      `select extract(epoch from expires_at - now())::float8 as left from items where key = $1`,
      [key],
    )
    return row?.left
  }

  test('is renewed by reads and searches unless refresh_ttl is false', async () => {
    for (const key of ['read', 'searched', 'left', 'leftInSearch']) await put(['ttl', key], key, {}, { ttl: 10 })
    for (const key of ['read', 'searched', 'left', 'leftInSearch']) await shorten(key, '1 minute')
    await get(['ttl', 'read'], 'read')
    await search({ namespace_prefix: ['ttl', 'searched'] })
    await get(['ttl', 'left'], 'left', '&refresh_ttl=false')
    await search({ namespace_prefix: ['ttl', 'leftInSearch'], refresh_ttl: false })
    expect(await expiry('read')).toBeGreaterThan(590)
    expect(await expiry('searched')).toBeGreaterThan(590)
    expect(await expiry('left')).toBeLessThan(61)
    expect(await expiry('leftInSearch')).toBeLessThan(61)
  })

  test('hides an expired item at once, and the next sweep deletes its row', async () => {
    await put(['over'], 'over', { old: 1 }, { ttl: 10 })
    await shorten('over', '-1 second')
    expect((await get(['over'], 'over')).json).toBeNull()
    expect((await search({ namespace_prefix: ['over'] })).json.items).toEqual([])
    expect((await server.post('/store/namespaces', { prefix: ['over'] })).json.namespaces).toEqual([])
    await new ItemStore(db).sweep()
    expect(await db.query(`select from items where key = 'over'`)).toEqual([])
    expect((await get(['kept'], 'k')).status).toBe(200)
  })

  test('is removed by a write without one', async () => {
    await put(['stays'], 'stays', {}, { ttl: 10 })
    await put(['stays'], 'stays', {})
    expect(await expiry('stays')).toBeNull()
  })
})

describe('a search', () => {
  beforeAll(async () => {
    await put(['find', 'user:1'], 'one', { n: 1, text: 'ant', tags: ['x'], at: { city: 'Rome', zip: 1 } })
    await put(['find', 'user:1', 'deep'], 'two', { n: 2, text: 'bee', on: true })
    await put(['find', 'user:10'], 'ten', { n: 10, text: 'cat', on: null })
    await put(['find', 'user%'], 'wild', { n: '10', text: 'dog' })
  })

  test('matches a namespace and its children, not namespaces that share a string prefix', async () => {
    expect(await keys({ namespace_prefix: ['find', 'user:1'] })).toEqual(['one', 'two'])
    expect(await keys({ namespace_prefix: ['find', 'user%'] })).toEqual(['wild'])
    expect(await keys({ namespace_prefix: ['fin'] })).toEqual([])
    expect((await keys({ namespace_prefix: null, limit: 1000 })).length).toBeGreaterThan(4)
  })

  test.each([
    [{ n: 1 }, ['one']],
    [{ n: { $eq: 10 } }, ['ten']],
    [{ n: '10' }, ['wild']],
    [{ n: { $gt: 1 } }, ['ten', 'two']],
    [{ n: { $gte: 2, $lt: 10 } }, ['two']],
    [{ text: { $lte: 'bee' } }, ['one', 'two']],
    [{ n: { $in: [1, '10'] } }, ['one', 'wild']],
    [{ n: { $nin: [1, '10'] } }, ['ten', 'two']],
    [{ on: { $ne: true } }, ['one', 'ten', 'wild']],
    [{ on: { $exists: true } }, ['ten', 'two']],
    [{ on: { $exists: false } }, ['one', 'wild']],
    [{ on: null }, ['ten']],
    [{ tags: ['x'] }, ['one']],
    [{ at: { city: 'Rome' } }, ['one']],
    [{ text: 'ant', n: 2 }, []],
    [{ "x' or true --": 1 }, []],
  ])('by %j', async (filter, found) => {
    expect(await keys({ namespace_prefix: ['find'], filter })).toEqual(found)
  })

  test('pages through items, most recently written first', async () => {
    const page = async (offset: number) =>
      (await search({ namespace_prefix: ['find'], limit: 2, offset })).json.items.map(({ key }: Json) => key)
    expect([...(await page(0)), ...(await page(2)), ...(await page(4))]).toEqual(['wild', 'ten', 'two', 'one'])
  })

  test('ignores a query without an embedding model', async () => {
    const found = (await search({ namespace_prefix: ['find'], query: 'by meaning' })).json.items
    expect(found.map(({ key }: Json) => key)).toEqual(['wild', 'ten', 'two', 'one'])
  })

  test.each([
    [{ filter: { n: { $regex: 'a' } } }, 'filter', '"$regex" is not an operator'],
    [{ filter: { n: { $in: 1 } } }, 'filter', 'takes a list'],
    [{ filter: { n: { $exists: 1 } } }, 'filter', 'true or false'],
  ])('for %j is refused', async (body, field, message) => {
    const response = await search(body)
    expect([response.status, response.json.detail[0].loc]).toEqual([422, ['body', field]])
    expect(response.json.detail[0].msg).toContain(message)
  })

  test('of ten thousand items by a field takes less than a second', async () => {
    await db.query(
      `insert into items (namespace, key, value) select array['many', (n % 100)::text], n::text,
         json_build_object('n', n, 'text', repeat('x', 200)) from generate_series(1, 10000) n`,
    )
    const before = performance.now()
    expect(await keys({ namespace_prefix: ['many'], filter: { n: { $gt: 9998 } } })).toEqual(['10000', '9999'])
    expect(performance.now() - before).toBeLessThan(1000)
    await db.query(`delete from items where namespace[1] = 'many'`)
  })
})

test('namespaces are listed in order, by prefix, suffix and depth', async () => {
  for (const namespace of [
    ['ns', 'ann', 'notes'],
    ['ns', 'bob', 'notes'],
    ['ns', 'bob', 'files', 'old'],
  ])
    await put(namespace, 'k', {})
  const list = async (body: Json) => (await server.post('/store/namespaces', body)).json.namespaces
  const prefix = ['ns']
  expect(await list({ prefix })).toEqual([
    ['ns', 'ann', 'notes'],
    ['ns', 'bob', 'files', 'old'],
    ['ns', 'bob', 'notes'],
  ])
  expect(await list({ prefix, max_depth: 2 })).toEqual([
    ['ns', 'ann'],
    ['ns', 'bob'],
  ])
  expect(await list({ prefix, suffix: ['notes'], limit: 1, offset: 1 })).toEqual([['ns', 'bob', 'notes']])
  expect(await list({ prefix: ['ns', '*', 'files'] })).toEqual([['ns', 'bob', 'files', 'old']])
  expect(await list({ suffix: ['bob', '*'] })).toEqual([['ns', 'bob', 'notes']])
})

describe('graphs', () => {
  test('share one store across threads and a restart', async () => {
    const database = await testDatabase()
    const first = await testServer({ databaseUrl: database.url })
    await first.post('/runs/wait', { assistant_id: 'memory', input: { user: 'ann', said: 'one' } })
    await first.request('PUT', '/store/items', { namespace: ['said', 'ann'], key: 'k', value: { text: 'by hand' } })
    await first.close()
    const second = await testServer({ databaseUrl: database.url })
    const input = { user: 'ann', said: 'two' }
    const { json } = await second.post('/runs/wait', { assistant_id: 'memory', input })
    expect([json.known, json.namespaces]).toEqual([['by hand', 'one', 'two'], [['said', 'ann']]])
    const found = await second.post('/store/items/search', { namespace_prefix: ['said'] })
    expect(found.json.items).toHaveLength(3)
    await second.close()
    await database.drop()
  })

  test('may search by meaning; without an embedding model the query is ignored', async () => {
    const input = { user: 'eve', said: 'one', wants: 'meaning' }
    expect((await server.post('/runs/wait', { assistant_id: 'memory', input })).json.known).toEqual(['one'])
  })

  test('with their own copy of the runtime use the store’s batch calls', async () => {
    const store = new ItemStore(db)
    const results = await store.batch([
      { namespace: ['batch'], key: 'a', value: { n: 1 } },
      { namespace: ['batch'], key: 'b', value: { n: 2 } },
      { namespace: ['batch'], key: 'a' },
      { namespace: ['batch'], key: 'b', value: null },
      { namespacePrefix: ['batch'], limit: 10, offset: 0 },
      { matchConditions: [{ matchType: 'prefix', path: ['batch'] }], limit: 10, offset: 0 },
    ])
    expect(results[2]).toMatchObject({ value: { n: 1 }, createdAt: expect.any(Date) })
    expect(results[4]).toHaveLength(1)
    expect(results[5]).toEqual([['batch']])
  })
})

describe('the configuration of a deployment', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'items-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const configure = (store: object) => {
    const file = path.join(folder, `${randomUUID()}.json`)
    const graph = path.join(path.dirname(fixtures), 'memory.mjs:graph')
    writeFileSync(file, JSON.stringify({ graphs: { memory: graph }, store }))
    return file
  }

  test('sets the default time to live and whether reads renew it', async () => {
    const ttl = { default_ttl: 10, refresh_on_read: false, sweep_interval_minutes: 5 }
    const own = await testServer({ configPath: configure({ ttl }) })
    const rows = new pg.Client({ connectionString: own.databaseUrl, options: '-c search_path=agent_test' })
    await rows.connect()
    for (const [key, more] of Object.entries({ absent: {}, given: { ttl: 20 }, never: { ttl: null } }))
      await own.request('PUT', '/store/items', { namespace: ['ttl'], key, value: {}, ...more })
    await own.post('/runs/wait', { assistant_id: 'memory', input: { user: 'ann', said: 'one' } })
    const minutes = async () => {
      const { rows: found } = await rows.query(
        'select namespace, key, ttl_minutes, extract(epoch from expires_at - now()) / 60 as left from items',
      )
      return Object.fromEntries(found.map((row) => [row.namespace[0] === 'ttl' ? row.key : 'graph', row]))
    }
    expect(await minutes()).toMatchObject({
      absent: { ttl_minutes: 10 },
      given: { ttl_minutes: 20 },
      never: { ttl_minutes: null },
      graph: { ttl_minutes: 10 },
    })
    await rows.query(`update items set expires_at = now() + interval '1 minute' where ttl_minutes is not null`)
    await own.get('/store/items?namespace=ttl&key=absent')
    await own.get('/store/items?namespace=ttl&key=given&refresh_ttl=true')
    const { absent, given } = await minutes()
    expect(Number(absent.left)).toBeLessThan(2)
    expect(Number(given.left)).toBeGreaterThan(18)
    await rows.end()
    await own.close()
  })

  test('may ask for an index: items are stored without one', async () => {
    const index = { embed: 'openai:text-embedding-3-small', dims: 1536 }
    const own = await testServer({ configPath: configure({ index }) })
    expect((await own.request('PUT', '/store/items', { namespace: ['a'], key: 'b', value: { c: 1 } })).status).toBe(204)
    await own.close()
  })
})
