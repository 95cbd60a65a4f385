import { hydrate } from '@tanstack/react-query'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { printJson } from '@/lib/json/lossless'
import { deploymentQuery, deploymentsQuery } from '@/lib/queries/deployments'
import { makeQueryClient } from '@/lib/queries/query-client'
import { threadStateQuery } from '@/lib/queries/thread-states'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { dehydratedQueries, prefetch, prefetchRead } from './prefetch'

const request = vi.hoisted(() => ({ actor: undefined as Actor | undefined, made: new Map<unknown, unknown>() }))
// Stand-ins for React's per-request cache and the framework's 404.
vi.mock('react', async (original) => ({
  ...(await original<typeof import('react')>()),
  cache:
    <Args extends unknown[]>(make: (...args: Args) => unknown) =>
    (...args: Args) => {
      if (!request.made.has(make)) request.made.set(make, make(...args))
      return request.made.get(make)
    },
}))
vi.mock('next/navigation', async (original) => ({
  ...(await original<typeof import('next/navigation')>()),
  notFound: () => {
    throw new Error('the 404 page')
  },
}))
vi.mock('../access/actor', async (original) => ({
  ...(await original<typeof import('../access/actor')>()),
  sessionActor: async () => request.actor,
}))
let home: TestConsole
let upstream: StubUpstream
beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url })
  request.actor = await testActor({ default: 'viewer' })
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  request.made.clear()
})

const list = { resources: [], offset: 0 }
/** The browser's query client after the page has loaded. */
const arrived = () => {
  const client = makeQueryClient()
  hydrate(client, JSON.parse(JSON.stringify(dehydratedQueries())))
  return client
}

test('prefetched data reaches the browser under the same key, large numbers included', async () => {
  upstream.respondWith(({ path }) => {
    if (path.endsWith('/state')) return { body: '{"values":{"id":12345678901234567890},"next":[],"tasks":[]}' }
    return { body: path.includes(SAMPLE_ID) ? deploymentRecord(upstream.url) : list }
  })
  const state = threadStateQuery('default', SAMPLE_ID, 't')
  await prefetch(deploymentsQuery('default', { limit: 5 }), state)
  expect(arrived().getQueryData(deploymentsQuery('default', { limit: 5 }).queryKey)).toEqual(list)
  expect(printJson(arrived().getQueryData(state.queryKey)?.values)).toBe('{"id":12345678901234567890}')
})

test('a failure is left to the browser', async () => {
  upstream.respondWith(() => ({ status: 502, body: '' }))
  await prefetch(deploymentsQuery('default'))
  expect(arrived().getQueryCache().getAll()).toEqual([])
})

test('a slow upstream does not block the page', async () => {
  upstream.respondWith(() => () => {})
  const began = Date.now()
  await prefetch(deploymentsQuery('default'))
  expect(Date.now() - began).toBeLessThan(4_000)
})

test('a missing record shows the 404 page', async () => {
  upstream.respondWith(() => ({ status: 404, body: '{"detail":"Deployment not found"}' }))
  await expect(prefetch(deploymentQuery('default', SAMPLE_ID))).rejects.toThrow('the 404 page')
})

test('a page does not wait for long for a read that ends with nothing', async () => {
  const from = Date.now()
  await prefetchRead(['slow'], () => new Promise(() => {}))
  expect(Date.now() - from).toBeLessThan(10_000)
  expect(arrived().getQueryData(['slow'])).toBeUndefined()
})
