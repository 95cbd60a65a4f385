import { dehydrate, hydrate } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { ErrorCode, ErrorView } from '@/lib/errors'
import { parseJson, printJson } from '@/lib/json/lossless'
import { apiQuery, invalidate } from './api-query'
import { deploymentQuery, deploymentsQuery } from './deployments'
import { makeQueryClient, shouldRetry, untilBack } from './query-client'
import { RelayError, relayFetch, relayPath } from './relay-fetch'
import { threadStateQuery } from './thread-states'
import { threadsQuery } from './threads'

afterEach(() => vi.unstubAllGlobals())
const view = (code: ErrorCode, more: Partial<ErrorView> = {}): ErrorView => ({
  code,
  message: 'No.',
  fields: [],
  requestId: 'r',
  ...more,
})

describe('a query', () => {
  test('has a key of its operation, workspace and input, the same for equal input', () => {
    expect(deploymentQuery('w', 'd').queryKey).toEqual([
      'control-plane',
      'getDeployment',
      'w',
      null,
      { params: { deployment_id: 'd' } },
    ])
    expect(threadStateQuery('w', 'd', 't').queryKey).toEqual([
      'agent-server',
      'getThreadState',
      'w',
      'd',
      { params: { thread_id: 't' } },
    ])
    expect(deploymentsQuery('w').queryKey).toEqual(deploymentsQuery('w', {}).queryKey)
    expect(deploymentsQuery('w', { limit: 5 }).queryKey).not.toEqual(deploymentsQuery('w').queryKey)
    expect(deploymentsQuery('w').queryKey).not.toEqual(deploymentsQuery('v').queryKey)
  })

  test('for an operation that changes data is refused', () => {
    expect(() => apiQuery(controlPlane.deleteDeployment, { workspace: 'w', params: { deployment_id: 'd' } })).toThrow(
      TypeError,
    )
  })

  test('is stale after an invalidation of its operation in its workspace, and only there', async () => {
    const client = makeQueryClient()
    const [here, there, other] = [deploymentsQuery('w', { limit: 5 }), deploymentsQuery('v'), deploymentQuery('w', 'd')]
    for (const { queryKey } of [here, there, other]) client.setQueryData(queryKey as readonly unknown[], {})
    await invalidate(client, controlPlane.listDeployments, 'w')
    expect([here, there, other].map(({ queryKey }) => client.getQueryState(queryKey)?.isInvalidated)).toEqual([
      true,
      false,
      false,
    ])
  })

  test('is transferred from server to browser as text, with numbers that a double cannot hold', () => {
    const [server, browser] = [makeQueryClient(), makeQueryClient()]
    const { queryKey } = threadStateQuery('w', 'd', 't')
    const text = '{"values":{"id":12345678901234567890},"next":[]}'
    server.setQueryData(queryKey as readonly unknown[], parseJson(text))
    const state = dehydrate(server)
    expect(JSON.parse(JSON.stringify(state))).toEqual(state)
    hydrate(browser, state)
    expect(printJson(browser.getQueryData(queryKey as readonly unknown[]))).toBe(text)
  })
})

describe('a retry', () => {
  const again = (code: ErrorCode) => shouldRetry(0, new RelayError(view(code)))
  test.each<ErrorCode>([
    'unauthenticated',
    'forbidden',
    'not_found',
    'invalid',
    'conflict',
    'too_large',
    'unsupported',
    'upstream_refused_key',
    'upstream_shape',
  ])('never happens after %s', (code) => expect(again(code)).toBe(false))
  test.each<ErrorCode>(['upstream_unreachable', 'upstream_failed', 'rate_limited', 'internal'])(
    'happens after %s, twice at most',
    (code) => {
      expect([again(code), shouldRetry(2, new RelayError(view(code)))]).toEqual([true, false])
    },
  )
})

test('what a form needs is asked again while its server fails, and not after another answer', () => {
  const every = (code: ErrorCode, upstreamStatus?: number, errorUpdateCount = 9) =>
    untilBack.refetchInterval({
      state: { error: new RelayError({ ...view(code), upstreamStatus }), errorUpdateCount },
    })
  expect([every('upstream_unreachable'), every('upstream_failed', 503)]).toEqual([3_000, 3_000])
  // A failure over the question itself may be over in a moment, or last.
  const failing = [1, 2, 3, 9].map((count) => every('upstream_failed', 500, count))
  expect(failing).toEqual([3_000, 6_000, 12_000, 30_000])
  for (const [code, status] of [
    ['not_found', 404],
    ['forbidden', undefined],
    ['unauthenticated', undefined],
  ] as const)
    expect(every(code, status), code).toBe(false)
  expect(untilBack.refetchInterval({ state: { error: null, errorUpdateCount: 1 } })).toBe(false)
})

describe("the relay's path", () => {
  test('contains workspace, deployment and operation, encoded', () => {
    expect(
      relayPath(controlPlane.listDeployments, { workspace: 'a b', query: { name_contains: 'x&y', limit: 3 } }),
    ).toBe('/api/relay/a%20b/control-plane/v2/deployments?name_contains=x%26y&limit=3')
    expect(
      relayPath(agentServer.getThreadState, { workspace: 'w', deploymentId: 'd', params: { thread_id: 'a#b' } }),
    ).toBe('/api/relay/w/agents/d/threads/a%23b/state')
  })

  test('needs the deployment for an agent server, and the parameters of its path', () => {
    expect(() => relayPath(agentServer.getInfo, { workspace: 'w' })).toThrow(TypeError)
    expect(() => relayPath(controlPlane.getDeployment, { workspace: 'w', params: { deployment_id: '..' } })).toThrow(
      TypeError,
    )
  })
})

describe('a request to the relay', () => {
  const respondWith = (body: string, status = 200) => {
    const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(
      async () => new Response(body, { status }),
    )
    vi.stubGlobal('fetch', fetched)
    return fetched
  }
  const ask = () =>
    relayFetch(agentServer.searchThreads, {
      workspace: 'w',
      deploymentId: 'd',
      body: { metadata: parseJson('{"n":12345678901234567890}') },
    })

  test('sends a search as JSON with exact numbers', async () => {
    const fetched = respondWith('[]')
    expect(await ask()).toEqual([])
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({
      method: 'POST',
      body: '{"metadata":{"n":12345678901234567890}}',
      credentials: 'same-origin',
    })
  })

  test("fails with the relay's message", async () => {
    respondWith(
      JSON.stringify(view('conflict', { message: 'Taken.', fields: [{ path: ['name'], message: 'Taken.' }] })),
      409,
    )
    await expect(ask()).rejects.toMatchObject({
      name: 'RelayError',
      code: 'conflict',
      view: { fields: [{ path: ['name'], message: 'Taken.' }], requestId: 'r' },
    })
  })

  test.each([
    ["a gateway's page", '<html>', 502],
    ['a page in place of data', '<html>', 200],
    ['an error of no known form', '{"oops":1}', 500],
  ])('treats %s as a failure of the console', async (_name, body, status) => {
    respondWith(body, status)
    await expect(ask()).rejects.toMatchObject({ name: 'RelayError', code: 'internal' })
  })

  test('reports that the console itself cannot be reached, and rethrows an abort', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_unreachable' })
    const aborted = AbortSignal.abort(new DOMException('left', 'AbortError'))
    vi.stubGlobal('fetch', (_path: string, init: RequestInit) => Promise.reject(init.signal?.reason))
    await expect(relayFetch(agentServer.getInfo, { workspace: 'w', deploymentId: 'd' }, aborted)).rejects.toMatchObject(
      {
        name: 'AbortError',
      },
    )
  })
})

test('a page of threads has the requested parameters', () => {
  expect(threadsQuery('w', 'd', { limit: 10, status: 'busy' }).queryKey.at(-1)).toEqual({
    body: { limit: 10, status: 'busy' },
  })
})
