import { describe, expect, test } from 'vitest'
import { HttpError } from '../kernel/errors'
import { ItemError } from '../store/item-rules'
import { assistantHandlers } from './assistants'
import { cronHandlers } from './crons'
import { itemHandlers } from './store'
import { asked, noting, when } from './testing'

/** How requests reach the services, and how they are answered. */

describe('assistants', () => {
  const row = { assistant_id: 'a1', graph_id: 'g', name: 'Mine', created_at: when, updated_at: when, config: {} }
  const handlersOf = (results: Record<string, unknown> = {}) => {
    const { services, log, of } = noting({ get: row, search: { rows: [row], total: 3 }, delete: 'a1', ...results })
    const removed: unknown[] = []
    const handlers = assistantHandlers(services, noting({ get: results.graph ?? {} }).services, async (...given) => {
      removed.push(given)
    })
    return { handlers, log, of, removed }
  }

  test('are searched by page, with the fields that are asked for', async () => {
    const { handlers, of } = handlersOf()
    const body = { limit: 1, select: ['name'] }
    expect(await handlers.searchAssistants(asked({ body, only: ['x'] }))).toEqual({
      body: [{ name: 'Mine' }],
      headers: { 'X-Pagination-Total': '3', 'X-Pagination-Next': '1' },
    })
    expect(of('search')).toEqual([['search', body, ['x']]])
  })

  test('have their times as other servers write them', async () => {
    const { body } = await handlersOf().handlers.getAssistant(asked({ params: { assistant_id: 'a1' } }))
    expect(body).toMatchObject({ created_at: '2026-01-02T03:04:05.000+00:00' })
  })

  test('are deleted with their threads only if that is asked for and allowed', async () => {
    const params = { assistant_id: 'mine' }
    const caller = (result: unknown) => ({
      ask: async (event: string) => {
        expect(event).toBe('threads:delete')
        if (result instanceof Error) throw result
        return result
      },
    })
    const plain = handlersOf()
    expect(await plain.handlers.deleteAssistant(asked({ params, caller: caller(new Error('asked')) }))).toEqual({
      body: {},
    })
    expect(plain.removed).toEqual([])
    const all = handlersOf()
    await all.handlers.deleteAssistant(asked({ params, query: { delete_threads: true }, caller: caller(['x']) }))
    await all.handlers.deleteAssistant(asked({ params, query: { delete_threads: true } }))
    expect(all.removed).toEqual([
      ['a1', ['x']],
      ['a1', undefined],
    ])
    const refused = handlersOf()
    const forbidden = caller(new HttpError(403, 'Forbidden'))
    await expect(
      refused.handlers.deleteAssistant(asked({ params, query: { delete_threads: true }, caller: forbidden })),
    ).rejects.toMatchObject({ status: 403 })
    expect(refused.of('delete')).toEqual([])
  })

  test('have the subgraphs of their graph: those directly inside, or all below one', async () => {
    const calls: unknown[] = []
    const graph = {
      async *getSubgraphsAsync(...given: unknown[]) {
        calls.push(given)
        if (given[0] !== 'none') yield ['inner', {}]
      },
    }
    const { handlers } = handlersOf({ graph })
    await handlers.listAssistantSubgraphs(asked({}))
    await handlers.listAssistantSubgraphs(asked({ query: { recurse: true } }))
    await handlers.getAssistantSubgraph(asked({ params: { namespace: 'inner' } }))
    await handlers.getAssistantSubgraph(asked({ params: { namespace: 'inner' }, query: { recurse: false } }))
    expect(calls).toEqual([
      [undefined, false],
      [undefined, true],
      ['inner', true],
      ['inner', false],
    ])
    await expect(handlers.getAssistantSubgraph(asked({ params: { namespace: 'none' } }))).rejects.toMatchObject({
      status: 404,
      detail: 'Subgraph none not found.',
    })
  })
})

describe('crons', () => {
  const row = { cron_id: 'c1', created_at: when, updated_at: when, next_run_date: when, kwargs: {}, payload: {} }
  const handlersOf = () => {
    const { services, of } = noting({ create: row, update: row, search: { rows: [row], total: 1 } })
    let wakes = 0
    const handlers = cronHandlers(
      services,
      {
        wake: () => {
          wakes += 1
        },
      },
      noting({ get: { thread_id: 't1' } }).services,
    )
    return { handlers, of, wakes: () => wakes }
  }

  test('wake the clock when they change, and keep their user', async () => {
    const { handlers, of, wakes } = handlersOf()
    const caller = { user: { identity: 'ada' } }
    await handlers.createCron(asked({ body: { a: 1 }, caller }))
    await handlers.createThreadCron(asked({ params: { thread_id: 'T1' }, body: { b: 1 } }))
    expect(wakes()).toBe(2)
    await handlers.updateCron(asked({ params: { cron_id: 'c1' }, body: { c: 1 } }))
    expect([wakes(), of('update')]).toEqual([3, [['update', 'c1', { c: 1 }]]])
    expect(of('create')).toEqual([
      ['create', undefined, { a: 1 }, { identity: 'ada' }],
      ['create', 't1', { b: 1 }, undefined],
    ])
  })

  test('are searched and removed without waking it', async () => {
    const { handlers, of, wakes } = handlersOf()
    const { body, headers } = await handlers.searchCrons(asked({ body: { select: ['cron_id'] }, only: ['x'] }))
    expect([body, headers]).toEqual([[{ cron_id: 'c1' }], { 'X-Pagination-Total': '1' }])
    expect(await handlers.deleteCron(asked({ params: { cron_id: 'c1' } }))).toEqual({})
    expect([of('remove'), wakes()]).toEqual([[['remove', 'c1']], 0])
  })
})

describe('items', () => {
  const item = { namespace: ['a'], key: 'k', value: {}, createdAt: when, updatedAt: when }
  const handlersOf = (results: Record<string, unknown> = {}) => {
    const { services, of } = noting({ get: item, search: [item], listNamespaces: [['a']], ...results })
    return { handlers: itemHandlers(services), of }
  }

  test('are read with their times, and one that there is not is null', async () => {
    const { handlers, of } = handlersOf()
    const query = { namespace: 'a.b', key: 'k', refresh_ttl: false }
    const { body } = await handlers.getItem(asked({ query }))
    expect(body).toEqual({
      namespace: ['a'],
      key: 'k',
      value: {},
      created_at: '2026-01-02T03:04:05.000+00:00',
      updated_at: '2026-01-02T03:04:05.000+00:00',
    })
    await handlers.getItem(asked({ query: { namespace: 'a', key: 'k' } }))
    expect(of('get')).toEqual([
      ['get', ['a', 'b'], 'k', { refreshTtl: false }],
      ['get', ['a'], 'k', { refreshTtl: null }],
    ])
    expect(await handlersOf({ get: null }).handlers.getItem(asked({ query }))).toEqual({ body: null })
  })

  test('are written, searched, deleted and listed as the request says', async () => {
    const { handlers, of } = handlersOf()
    await handlers.putItem(asked({ body: { namespace: ['a'], key: 'k', value: { v: 1 }, index: false, ttl: 5 } }))
    const search = { namespace_prefix: ['a'], filter: { b: 1 }, refresh_ttl: true }
    expect(await handlers.searchItems(asked({ body: search, only: ['x'] }))).toMatchObject({
      body: { items: [{ key: 'k' }] },
    })
    await handlers.searchItems(asked({ body: {} }))
    await handlers.deleteItem(asked({ body: { key: 'k' } }))
    expect(await handlers.listNamespaces(asked({ body: { prefix: ['a'], max_depth: 2 }, only: ['x'] }))).toEqual({
      body: { namespaces: [['a']] },
    })
    expect([of('put'), of('search'), of('delete'), of('listNamespaces')]).toEqual([
      [['put', ['a'], 'k', { v: 1 }, false, { ttl: 5 }]],
      [
        ['search', ['a'], { filter: { b: 1 }, only: ['x'], refreshTtl: true }],
        ['search', [], { only: undefined, refreshTtl: null }],
      ],
      [['delete', [], 'k']],
      [['listNamespaces', { prefix: ['a'], only: ['x'], maxDepth: 2 }]],
    ])
  })

  test('that break a rule are refused by their field, and other failures are not', async () => {
    const refused = handlersOf({ get: new ItemError('namespace', 'is reserved') }).handlers
    await expect(refused.getItem(asked({ query: { namespace: 'a', key: 'k' } }))).rejects.toMatchObject({
      status: 422,
      detail: [{ loc: ['query', 'namespace'], msg: 'is reserved', type: 'value_error' }],
    })
    const broken = new Error('broken')
    await expect(handlersOf({ put: broken }).handlers.putItem(asked({ body: {} }))).rejects.toBe(broken)
  })
})
