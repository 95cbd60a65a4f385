import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseRange } from '@/lib/contracts/wire/address'
import type { Workspace } from '../access/workspaces'
import { adoptEnv } from '../process/env'
import {
  agentDestination,
  allowedUpstreams,
  controlPlaneDestination,
  directDestination,
  isListedOrigin,
  parseBase,
  tracesDestination,
} from './destination'

beforeAll(() =>
  adoptEnv({
    DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
    ALLOWED_UPSTREAMS: 'https://operator.example.com 10.0.0.0/8',
  }),
)
afterAll(() => adoptEnv(undefined))

describe('an address', () => {
  test.each([
    'ftp://example.com',
    'file:///etc/passwd',
    'gopher://example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'ws://example.com',
    'wss://example.com',
    'blob:https://example.com/x',
    'about:blank',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
    'https://user@example.com',
    'https://user:password@example.com',
    'https://:password@example.com',
    'https://example.com@evil.example',
    'https://example.com?x=1',
    'https://example.com#x',
    'https://',
    'http://[::1',
    'http://256.256.256.256',
    'http://1.2.3.4.5',
    'http://exa mple.com',
    'http://example.com:99999',
    '//example.com',
    'example.com',
    '',
  ])('%j is refused as a server address', (text) => {
    expect(() => parseBase(text, 'agent server')).toThrow(/address of the agent server/)
  })

  test('keeps its path', () => {
    expect(parseBase('https://example.com/a/b/', 'control plane').pathname).toBe('/a/b/')
  })
})

test.each([
  ['https://api.example.com/v2', '/'],
  ['https://api.example.com/v2/', '/'],
  ['https://example.com/api-host/v1', '/api-host'],
  ['https://example.com/api-host/', '/api-host/'],
  ['https://example.com/dev2', '/dev2'],
  ['https://example.com/v2//', '/'],
  ['https://example.com/v2/api', '/v2/api'],
  ['https://example.com/v3', '/v3'],
])('a control plane given as %s is asked below %s', (baseUrl, path) => {
  const workspace = {
    slug: 'team',
    kind: 'control-plane',
    baseUrl,
    auth: {},
    allowedOrigins: [],
  } as unknown as Workspace
  expect(controlPlaneDestination(workspace).base.pathname).toBe(path)
})

describe('a pattern of origins', () => {
  const lists = (pattern: string, url: string) => isListedOrigin(new URL(url), [pattern])

  test.each([
    ['https://a.example.com', 'https://a.example.com/path'],
    ['https://a.example.com/', 'https://a.example.com:443'],
    ['https://A.example.com', 'https://a.example.com'],
    ['https://*.example.com', 'https://a.example.com'],
    ['https://*.example.com', 'https://a.b.example.com'],
    ['https://*.example.com:8443', 'https://a.example.com:8443'],
  ])('%s lists %s', (pattern, url) => expect(lists(pattern, url)).toBe(true))

  test.each([
    ['https://a.example.com', 'http://a.example.com'],
    ['https://a.example.com', 'https://a.example.com:8443'],
    ['https://a.example.com', 'https://a.example.com.evil.example'],
    ['https://a.example.com', 'https://a.example.com.'],
    ['https://*.example.com', 'https://example.com'],
    ['https://*.example.com', 'https://evilexample.com'],
    ['https://*.example.com', 'https://a.example.com.evil.example'],
    ['https://*.example.com', 'http://a.example.com'],
    ['https://*.example.com', 'https://a.example.com:8443'],
    ['https://*', 'https://a.example.com'],
    ['https://*.exa mple.com', 'https://a.example.com'],
    ['*', 'https://a.example.com'],
    ['10.0.0.0/8', 'http://10.1.2.3'],
    ['', 'https://a.example.com'],
  ])('%s does not list %s', (pattern, url) => expect(lists(pattern, url)).toBe(false))
})

test('what the operator allows is origins and ranges', () => {
  const { origins, ranges } = allowedUpstreams()
  expect(origins).toEqual(['https://operator.example.com'])
  expect(ranges).toEqual([parseRange('10.0.0.0/8')])
})

describe('a key', () => {
  const workspace: Workspace = {
    slug: 'w',
    name: 'W',
    kind: 'control-plane',
    baseUrl: 'https://api.example.com/host',
    auth: { apiKey: 'key', tenantId: 'tenant', bearer: 'token' },
    dialect: 'auto',
    allowedOrigins: ['https://*.agents.example.com'],
    secretNames: 'members',
    source: 'console',
  }
  const credentials = { 'x-api-key': 'key', 'x-tenant-id': 'tenant', authorization: 'Bearer token' }

  test('goes to the control plane and to listed origins, with all its headers', () => {
    expect(controlPlaneDestination(workspace)).toMatchObject({ credentials, reach: 'listed' })
    for (const url of ['https://api.example.com/agents/a', 'https://one.agents.example.com'])
      expect(agentDestination(workspace, url)).toMatchObject({ credentials, reach: 'listed', isKeyWithheld: false })
  })

  test.each([
    ['https://elsewhere.example', 'open'],
    ['http://api.example.com', 'open'],
    ['https://api.example.com:8443', 'open'],
    ['https://agents.example.com', 'open'],
    ['http://10.1.2.3:8000', 'open'],
    // The operator allowed the address, but nobody allowed this key there.
    ['https://operator.example.com', 'listed'],
  ])('does not go to %s', (url, reach) => {
    expect(agentDestination(workspace, url)).toMatchObject({ credentials: {}, reach, isKeyWithheld: true })
  })

  test.each([undefined, 'not an address'])(
    'goes nowhere by itself without the address of a control plane (%s)',
    (baseUrl) => {
      const alone = { ...workspace, baseUrl, allowedOrigins: [] } as Workspace
      expect(agentDestination(alone, 'https://api.example.com').credentials).toEqual({})
    },
  )

  test("for agent servers fully replaces the control plane's", () => {
    expect(agentDestination({ ...workspace, agentApiKey: 'other' }, 'https://api.example.com').credentials).toEqual({
      'x-api-key': 'other',
      'x-auth-scheme': 'langsmith',
    })
  })

  test('for traces is separate, except on the embedded platform', () => {
    const traces = { url: 'https://traces.example.com/api/v1', apiKey: 'reads' }
    const to = tracesDestination({ ...workspace, traces })
    expect([to.base.href, to.credentials]).toEqual([traces.url, { 'x-api-key': 'reads' }])
    const none = { ...workspace, traces: { url: traces.url } }
    expect(tracesDestination(none)).toMatchObject({ credentials: {}, isKeyWithheld: false })
    expect(tracesDestination({ ...workspace, kind: 'embedded' })).toMatchObject({ credentials, reach: 'listed' })
    expect(() => tracesDestination(workspace)).toThrow('has no tracing address')
  })

  test.each([
    ['console', 'in the settings of the workspace'],
    ['environment', 'Set TRACES_URL'],
  ] as const)('for traces that is missing is added where the workspace is defined: %s', (source, where) => {
    expect(() => tracesDestination({ ...workspace, source })).toThrow(where)
  })

  test('that no workspace has is sent to none, and not said to be withheld', () => {
    const keyless = { ...workspace, auth: {} }
    expect(agentDestination(keyless, 'https://elsewhere.example')).toMatchObject({ isKeyWithheld: false })
    expect(agentDestination(keyless, 'https://api.example.com').credentials).toEqual({ 'x-auth-scheme': 'langsmith' })
    expect(() => controlPlaneDestination({ ...workspace, baseUrl: null })).toThrow('no control plane')
  })

  test('of a registered server is its own', () => {
    const server = { id: 'i', name: 'n', url: 'http://127.0.0.1:2025/x', createdAt: '' }
    expect(directDestination({ ...server, apiKey: 'mine' })).toMatchObject({ credentials: { 'x-api-key': 'mine' } })
    expect(directDestination(server)).toMatchObject({ credentials: {}, isKeyWithheld: false })
  })
})
