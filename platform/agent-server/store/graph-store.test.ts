import type { Operation } from '@langchain/langgraph-checkpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromText } from '../kernel/numbers'
import { Db } from '../persistence/db'
import { type TestStore, testStore } from '../testing'
import { ItemStore } from './items'

/** The store as graphs use it, without a server. */

let database: TestStore
let db: Db
let store: ItemStore
beforeAll(async () => {
  database = await testStore()
  db = new Db(database.url, 'agent_test', () => {})
  store = new ItemStore(db)
})
afterAll(async () => {
  await db.close()
  await database.close()
})
const keysOf = (items: { key: string }[]) => items.map(({ key }) => key)

describe('an item', () => {
  test('is written, read, replaced and deleted', async () => {
    await store.put(['one'], 'k', { a: 1 })
    const first = await store.get(['one'], 'k')
    expect(first).toEqual({
      namespace: ['one'],
      key: 'k',
      value: { a: 1 },
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    })
    await store.put(['one'], 'k', { b: 2 })
    const second = await store.get(['one'], 'k')
    expect([second?.value, second?.createdAt]).toEqual([{ b: 2 }, first?.createdAt])
    expect(second?.updatedAt.getTime()).toBeGreaterThan(first?.updatedAt.getTime() ?? 0)
    expect([await store.get(['one'], 'other'), await store.get(['two'], 'k')]).toEqual([null, null])
    await store.delete(['one'], 'other')
    expect(await store.get(['one'], 'k')).not.toBeNull()
    await store.delete(['one'], 'k')
    expect(await store.get(['one'], 'k')).toBeNull()
  })

  test('is refused in a place that cannot be, and with a value that is no object', async () => {
    const reserved = ['langgraph']
    await expect(store.put(reserved, 'k', {})).rejects.toThrow('is reserved')
    await expect(store.get(reserved, 'k')).rejects.toThrow('is reserved')
    await expect(store.delete(reserved, 'k')).rejects.toThrow('is reserved')
    await expect(store.search(reserved)).rejects.toMatchObject({ field: 'namespace_prefix' })
    for (const value of [null, 'x', 1, [1]])
      await expect(store.put(['bad'], 'k', value as never)).rejects.toMatchObject({ field: 'value' })
  })

  test('has the numbers that its reader can hold', async () => {
    const text = '{"n":12345678901234567890}'
    const exact = new ItemStore(db, {}, 'exact')
    await exact.put(['numbers'], 'k', fromText(text) as Record<string, unknown>)
    expect((await exact.get(['numbers'], 'k'))?.value).toEqual(fromText(text))
    expect((await store.get(['numbers'], 'k'))?.value).toEqual(JSON.parse(text))
  })
})

describe('the time to live', () => {
  const expiryOf = async (key: string) => {
    const [row] = await db.query<{ minutes: number | null; ttl: number | null }>(
      `select extract(epoch from expires_at - now())::float8 / 60 as minutes, ttl_minutes as ttl from items
       where namespace = '{ttl}' and key = $1`,
      [key],
    )
    return [row?.minutes == null ? null : Math.round(row.minutes), row?.ttl ?? null]
  }
  const age = (key: string) =>
    db.query(`update items set expires_at = now() + interval '1 minute' where namespace = '{ttl}' and key = $1`, [key])

  test('is that of the item, else that of the deployment, or none', async () => {
    const mortal = new ItemStore(db, { default_ttl: 60 })
    await mortal.put(['ttl'], 'default', {})
    await mortal.put(['ttl'], 'own', {}, undefined, { ttl: 5 })
    await mortal.put(['ttl'], 'none', {}, undefined, { ttl: null })
    await store.put(['ttl'], 'plain', {})
    expect(await Promise.all(['default', 'own', 'none', 'plain'].map(expiryOf))).toEqual([
      [60, 60],
      [5, 5],
      [null, null],
      [null, null],
    ])
  })

  test.each([
    [undefined, undefined, true],
    [undefined, false, false],
    [undefined, null, true],
    [false, undefined, false],
    [false, true, true],
    [false, null, false],
    [true, false, false],
  ])(
    'of a deployment with refresh_on_read %s is renewed by a read with %s: %s',
    async (byDefault, refreshTtl, isRenewed) => {
      const mortal = new ItemStore(db, { default_ttl: 60, refresh_on_read: byDefault })
      await mortal.put(['ttl'], 'read', {})
      await age('read')
      await mortal.get(['ttl'], 'read', { refreshTtl })
      expect((await expiryOf('read'))[0]).toBe(isRenewed ? 60 : 1)
      await age('read')
      await mortal.search(['ttl'], { refreshTtl })
      expect((await expiryOf('read'))[0]).toBe(isRenewed ? 60 : 1)
    },
  )

  test('hides what has expired, which a sweep removes and a write starts again', async () => {
    for (const key of ['gone', 'again']) await store.put(['ttl'], key, { old: true }, undefined, { ttl: 5 })
    await db.query(
      `update items set expires_at = now() - interval '1 second', created_at = now() - interval '1 day'
       where namespace = '{ttl}' and key in ('gone', 'again')`,
    )
    expect(await store.get(['ttl'], 'gone')).toBeNull()
    expect(keysOf(await store.search(['ttl'], { limit: 50 }))).not.toContain('gone')
    await store.put(['ttl'], 'again', { old: false })
    const again = await store.get(['ttl'], 'again')
    expect(Date.now() - (again?.createdAt.getTime() ?? 0)).toBeLessThan(3_600_000)
    expect(await store.sweep()).toBe(1)
    expect(await store.sweep()).toBe(0)
  })
})

describe('a search', () => {
  beforeAll(async () => {
    for (let index = 0; index < 12; index++)
      await store.put(['many', 'a'], `k${index}`, { n: index, even: index % 2 === 0 })
    await store.put(['many', 'ab'], 'other', { n: 100 })
    await store.put(['manyx'], 'other', { n: 100 })
  })

  test('finds ten items by default, newest first, below a namespace and not beside it', async () => {
    const found = await store.search(['many', 'a'])
    expect(keysOf(found)).toEqual(['k11', 'k10', 'k9', 'k8', 'k7', 'k6', 'k5', 'k4', 'k3', 'k2'])
    expect(found[0]).not.toHaveProperty('score')
    expect(keysOf(await store.search(['many', 'a'], { limit: 3, offset: 10 }))).toEqual(['k1', 'k0'])
    expect(keysOf(await store.search(['many'], { limit: 1 }))).toEqual(['other'])
    expect(await store.search(['many'], { limit: 50 })).toHaveLength(13)
    expect(keysOf(await store.search([], { filter: { n: 100 } }))).toEqual(['other', 'other'])
    expect(await store.search(['man'])).toEqual([])
  })

  test('is narrowed by a filter and by what the caller may see', async () => {
    expect(keysOf(await store.search(['many'], { filter: { even: true, n: { $gt: 7 } } }))).toEqual(['k10', 'k8'])
    const only = ['{"namespace":["many","ab"]}']
    expect(keysOf(await store.search(['many'], { only }))).toEqual(['other'])
    expect(keysOf(await store.search(['many'], { only: ['{"key":"k3"}'] }))).toEqual(['k3'])
    expect(keysOf(await store.search(['many'], { only: ['{"n":4}'], filter: { even: true } }))).toEqual(['k4'])
    expect(await store.search(['many'], { query: 'ignored without an index', filter: { n: 3 } })).toHaveLength(1)
  })
})

describe('the namespaces', () => {
  beforeAll(async () => {
    for (const namespace of [
      ['ns', 'a', 'x'],
      ['ns', 'a', 'y'],
      ['ns', 'b', 'x'],
      ['ns', 'b', 'x', 'deep'],
    ])
      await store.put(namespace, 'k', {})
    await store.put(['ns', 'a', 'x'], 'second', {})
  })
  const names = async (options: Parameters<ItemStore['listNamespaces']>[0]) =>
    (await store.listNamespaces(options)).map((namespace) => namespace.join('.'))

  test.each<[Parameters<ItemStore['listNamespaces']>[0], string[]]>([
    [{ prefix: ['ns'] }, ['ns.a.x', 'ns.a.y', 'ns.b.x', 'ns.b.x.deep']],
    [{ prefix: ['ns', '*', 'x'] }, ['ns.a.x', 'ns.b.x', 'ns.b.x.deep']],
    [{ prefix: ['ns'], suffix: ['x'] }, ['ns.a.x', 'ns.b.x']],
    [{ prefix: ['ns'], suffix: ['b', '*'] }, ['ns.b.x']],
    [{ prefix: ['ns'], suffix: ['b', 'x', '*'] }, ['ns.b.x.deep']],
    [{ prefix: ['ns', 'a', 'x', '*'] }, []],
    [{ prefix: ['ns'], maxDepth: 2 }, ['ns.a', 'ns.b']],
    [{ prefix: ['ns'], maxDepth: 2, limit: 1, offset: 1 }, ['ns.b']],
    [{ prefix: ['ns'], only: ['{"namespace":["a"]}'] }, ['ns.a.x', 'ns.a.y']],
  ])('for %j are %j', async (options, found) => {
    expect(await names(options)).toEqual(found)
  })

  test('are a hundred at most by default, and of all items', async () => {
    await Promise.all(Array.from({ length: 101 }, (_, index) => store.put(['hundred', `n${index}`], 'k', {})))
    expect(await store.listNamespaces()).toHaveLength(100)
    expect(await store.listNamespaces({ prefix: ['hundred'], limit: 200 })).toHaveLength(101)
  })
})

test('operations of a graph are performed in order, and each has its result', async () => {
  const operations = [
    { namespace: ['batch', 'a'], key: 'k', value: { a: 1 } },
    { namespace: ['batch', 'b'], key: 'k', value: { a: 2 }, options: { ttl: 5 } },
    { namespace: ['batch', 'a'], key: 'k' },
    { namespacePrefix: ['batch'], filter: { a: 2 } },
    { matchConditions: [{ matchType: 'prefix', path: ['batch'] }], limit: 10, offset: 0 },
    {
      matchConditions: [
        { matchType: 'suffix', path: ['b'] },
        { matchType: 'prefix', path: ['batch'] },
      ],
    },
    { namespace: ['batch', 'a'], key: 'k', value: null },
    { namespace: ['batch', 'a'], key: 'k' },
    { maxDepth: 1, matchConditions: [{ matchType: 'prefix', path: ['batch'] }] },
  ] as unknown as Operation[]
  const results = await store.batch(operations)
  expect(results).toEqual([
    undefined,
    undefined,
    expect.objectContaining({ value: { a: 1 } }),
    [expect.objectContaining({ value: { a: 2 } })],
    [
      ['batch', 'a'],
      ['batch', 'b'],
    ],
    [['batch', 'b']],
    undefined,
    null,
    [['batch']],
  ])
  expect(await new ItemStore(db).listNamespaces({ prefix: ['batch'] })).toEqual([['batch', 'b']])
  const [row] = await db.query<{ ttl_minutes: number }>(`select ttl_minutes from items where namespace = '{batch,b}'`)
  expect(row?.ttl_minutes).toBe(5)
})
