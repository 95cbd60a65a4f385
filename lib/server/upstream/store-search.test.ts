import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Actor } from '../access/actor'
import { insertDirectServer, NewDirectServer } from '../access/direct-servers'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from './call'

type Body = { namespace_prefix?: string[]; limit?: number; offset?: number; query?: string }
let home: TestConsole
let upstream: StubUpstream
let actor: Actor
let deploymentId: string
let sent: { path: string; body: Body }[] = []
let count = 3

beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
  actor = await testActor({ npm: 'viewer' })
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'npm', name: 'npm', dialect: 'auto', allowedOrigins: [] }),
  )
  deploymentId = (await insertDirectServer('npm', NewDirectServer.parse({ name: 'npm', url: upstream.url }))).id
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  ;(globalThis as { pilothouseNamespaceNeeded?: unknown }).pilothouseNamespaceNeeded = undefined
  sent = []
  count = 3
  // Like the npm server 2.0.0: two items in each namespace.
  upstream.respondWith(({ path, body: text }) => {
    const body = JSON.parse(text) as Body
    sent.push({ path, body })
    const names = Array.from({ length: count }, (_, n) => `n${n}`)
    if (path === '/store/namespaces') return { body: { namespaces: names.map((name) => [name]) } }
    const [name] = body.namespace_prefix ?? []
    if (!name) return { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Namespace is required' }
    const items = ['a', 'b'].map((key, n) => ({
      ...{ namespace: [name, 'deep'], key, value: {} },
      score: body.query ? n + names.indexOf(name) : null,
    }))
    return { body: { items: items.slice(body.offset ?? 0, (body.offset ?? 0) + (body.limit ?? 10)) } }
  })
})

const search = async (body: object) => {
  const { items } = await call(agentServer.searchItems, { workspace: 'npm', deploymentId, body }, { actor })
  return items.map(({ namespace, key }) => `${namespace[0]} ${key}`)
}

test('a server that lists items only within a namespace is asked for each, page by page', async () => {
  const page = { namespace_prefix: [], limit: 4 }
  expect(await search({ ...page, offset: 0 })).toEqual(['n0 a', 'n0 b', 'n1 a', 'n1 b'])
  expect(sent.map(({ body }) => body.namespace_prefix?.[0])).toEqual([undefined, undefined, 'n0', 'n1'])
  sent = []
  expect(await search({ ...page, offset: 3 })).toEqual(['n1 b', 'n2 a', 'n2 b'])
  // What it refused is not asked again.
  expect(sent[0]).toEqual({ path: '/store/namespaces', body: { max_depth: 1, limit: 200 } })
  expect(await search({ ...page, namespace_prefix: ['n2'] })).toEqual(['n2 a', 'n2 b'])
})

test('a search by meaning puts the best items of all namespaces first', async () => {
  expect(await search({ namespace_prefix: [], limit: 2, query: 'tea' })).toEqual(['n2 b', 'n1 b'])
})

test('namespaces come in the order of their names, each once', async () => {
  const namespaces = [['b'], ['a'], ['b', 'deep'], []]
  upstream.respondWith(({ path, body: text }) => {
    if (path === '/store/namespaces') return { body: { namespaces } }
    const [name] = (JSON.parse(text) as Body).namespace_prefix ?? []
    if (!name) return { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Namespace is required' }
    return { body: { items: [{ namespace: [name], key: 'one', value: {} }] } }
  })
  expect(await search({ namespace_prefix: [] })).toEqual(['a one', 'b one'])
})

test('with too many namespaces, a person is asked to choose one', async () => {
  count = 200
  await expect(search({ namespace_prefix: [] })).rejects.toThrow('Choose a namespace.')
})

test.each([
  ['another refusal', 422, 'The filter is too deep'],
  ['a failure that tells of namespaces', 500, 'The namespace index is broken'],
])('%s is shown as it is', async (_, status, detail) => {
  upstream.respondWith(() => ({ status, body: { detail } }))
  const failure = expect(search({ namespace_prefix: [] })).rejects
  await (status < 500 ? failure.toThrow(detail) : failure.toMatchObject({ code: 'upstream_failed' }))
  expect((globalThis as { pilothouseNamespaceNeeded?: Map<string, number> }).pilothouseNamespaceNeeded?.size).toBe(0)
})

test('what servers refused is kept for at most 500 of them', async () => {
  const kept = new Map(Array.from({ length: 499 }, (_, n) => [`http://${n}`, Date.now() + 60_000]))
  ;(globalThis as { pilothouseNamespaceNeeded?: unknown }).pilothouseNamespaceNeeded = kept
  await search({ namespace_prefix: [] })
  expect(kept.size).toBe(500)
  kept.delete([...kept.keys()].at(-1) ?? '')
  kept.set('http://more', 0)
  await search({ namespace_prefix: [] })
  expect(kept.size).toBe(1)
})

test('what a server refused is asked again after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const isAskedWhole = async () => {
      sent = []
      await search({ namespace_prefix: [] })
      return sent[0]?.path !== '/store/namespaces'
    }
    expect(await isAskedWhole()).toBe(true)
    vi.setSystemTime(Date.now() + 10 * 60_000)
    expect(await isAskedWhole()).toBe(false)
    vi.setSystemTime(Date.now() + 1)
    expect(await isAskedWhole()).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

test('a server that lists all items is asked once, and one namespace is asked for as it is', async () => {
  upstream.respondWith(({ path, body }) => {
    sent.push({ path, body: JSON.parse(body) })
    return { body: { items: [{ namespace: ['a'], key: 'one', value: {} }] } }
  })
  for (const body of [{}, { namespace_prefix: [] }, { namespace_prefix: ['a'] }])
    expect(await search(body)).toEqual(['a one'])
  expect(sent).toHaveLength(3)
})

/** A server with one namespace, which lists items only within it. */
function oneNamespace(length: number, scoreOf: (n: number) => number | null = () => null) {
  const items = Array.from({ length }, (_, n) => ({ namespace: ['a'], key: `${n}`, value: {}, score: scoreOf(n) }))
  const pages: unknown[] = []
  upstream.respondWith(({ path, body: text }) => {
    const { namespace_prefix, offset = 0, limit = 10 } = JSON.parse(text) as Body
    if (path === '/store/namespaces') return { body: { namespaces: [['a']] } }
    if (!namespace_prefix?.[0])
      return { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Namespace is required' }
    pages.push([offset, limit])
    return { body: { items: items.slice(offset, offset + limit) } }
  })
  return pages
}

test('a page far down is read in pages of a thousand, and no further than there are items', async () => {
  const pages = oneNamespace(2_500)
  const found = await search({ limit: 1_000, offset: 1_800 })
  expect([found.length, found[0], found.at(-1)]).toEqual([700, 'a 1800', 'a 2499'])
  expect(pages).toEqual([
    [0, 1_000],
    [1_000, 1_000],
    [2_000, 800],
  ])
  pages.length = 0
  expect(await search({ limit: 5, offset: 995 })).toHaveLength(5)
  expect(pages).toEqual([[0, 1_000]])
})

test('a page has ten items if none is said, and none is beyond the first five thousand', async () => {
  oneNamespace(30)
  expect(await search({})).toHaveLength(10)
  expect(await search({ offset: 4_990 })).toEqual([])
  await expect(search({ offset: 4_991 })).rejects.toThrow('Choose a namespace.')
})

test('items without a score come last in a search by meaning', async () => {
  oneNamespace(4, (n) => [null, 0.2, null, 0.9][n] ?? null)
  expect(await search({ query: 'tea' })).toEqual(['a 3', 'a 1', 'a 0', 'a 2'])
})
