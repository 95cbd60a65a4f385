import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { adoptEnv } from '../process/env'
import { attachedControlPlane, attachedServers, nameOfAddress, noteAttachedControlPlane } from './attached'
import { refuseAuthRequest } from './auth-request'
import { claimsFor, cookieName, decodeSession, encodeSession, endOf, isCurrent, isHttps, stampOf } from './session'
import { environmentWorkspace } from './workspaces'

const set = (more: Record<string, string> = {}) =>
  adoptEnv({ DATABASE_URL: 'postgres://nowhere.invalid/x', NEXTAUTH_SECRET: 's'.repeat(32), ...more })
beforeEach(() => {
  set()
  noteAttachedControlPlane('')
})
afterAll(() => adoptEnv(undefined))

describe('the workspace of the environment', () => {
  test('is absent without an address', () => {
    expect(environmentWorkspace()).toBeUndefined()
  })

  test('is a control plane with its keys', () => {
    set({
      CONTROL_PLANE_URL: 'https://api.example.com/host',
      CONTROL_PLANE_API_KEY: 'key',
      CONTROL_PLANE_TENANT_ID: 'tenant',
      CONTROL_PLANE_TOKEN: 'token',
      AGENT_SERVER_API_KEY: 'agent-key',
      PILOTHOUSE_SECRET_NAMES: 'admins',
      WIRE_DIALECT: 'graph',
      ALLOWED_UPSTREAMS: 'https://a.example.com 10.0.0.0/8',
      TRACES_URL: 'https://traces.example.com',
      TRACES_API_KEY: 'traces-key',
    })
    expect(environmentWorkspace()).toEqual({
      slug: 'default',
      name: 'api.example.com',
      kind: 'control-plane',
      baseUrl: 'https://api.example.com/host',
      auth: { apiKey: 'key', tenantId: 'tenant', bearer: 'token' },
      agentApiKey: 'agent-key',
      dialect: 'graph',
      allowedOrigins: ['https://a.example.com'],
      secretNames: 'admins',
      traces: { url: 'https://traces.example.com', apiKey: 'traces-key', tenantId: 'tenant' },
      source: 'environment',
    })
  })

  test('of the embedded platform is called after this machine, and never has the agents’ key for the control plane', () => {
    set({
      CONTROL_PLANE_URL: 'http://127.0.0.1:4100',
      PILOTHOUSE_WORKSPACE_KIND: 'embedded',
      AGENT_SERVER_API_KEY: 'agent-key',
    })
    const found = environmentWorkspace()
    expect(found).toMatchObject({ slug: 'local', name: 'This machine', kind: 'embedded', agentApiKey: 'agent-key' })
    expect([found?.auth.apiKey, found && 'traces' in found]).toEqual([undefined, false])
  })

  test('of an embedded platform elsewhere is not called after this machine', () => {
    set({ CONTROL_PLANE_URL: 'http://pilothouse-platform.pilothouse.svc', PILOTHOUSE_WORKSPACE_KIND: 'embedded' })
    expect(environmentWorkspace()).toMatchObject({ slug: 'local', name: 'Embedded platform', kind: 'embedded' })
  })

  test('is a list of attached servers, named after the only one', () => {
    set({ AGENT_SERVER_URL: 'http://127.0.0.1:2124/a/', AGENT_SERVER_API_KEY: 'agent-key' })
    expect(environmentWorkspace()).toMatchObject({
      ...{ slug: 'default', name: '127.0.0.1:2124/a', kind: 'direct', baseUrl: null },
      auth: { apiKey: 'agent-key' },
    })
    set({ AGENT_SERVER_URL: 'http://127.0.0.1:2124 http://127.0.0.1:2125' })
    expect(environmentWorkspace()?.name).toBe('Agent servers')
    expect(attachedServers().map(({ name, url, apiKey }) => [name, url, apiKey])).toEqual([
      ['127.0.0.1:2124', 'http://127.0.0.1:2124', undefined],
      ['127.0.0.1:2125', 'http://127.0.0.1:2125', undefined],
    ])
  })

  test('is a control plane if an attached address has answered as one', () => {
    set({ AGENT_SERVER_URL: 'http://127.0.0.1:2124', AGENT_SERVER_API_KEY: 'agent-key' })
    noteAttachedControlPlane('http://127.0.0.1:9')
    expect(attachedControlPlane()).toBeUndefined()
    expect(environmentWorkspace()?.kind).toBe('direct')
    noteAttachedControlPlane('http://127.0.0.1:2124')
    expect(attachedControlPlane()).toBe('http://127.0.0.1:2124')
    expect(environmentWorkspace()).toMatchObject({
      ...{ kind: 'control-plane', baseUrl: 'http://127.0.0.1:2124', name: '127.0.0.1' },
      auth: { apiKey: 'agent-key' },
    })
  })
})

test('an attached server keeps its id and has its key', () => {
  set({ AGENT_SERVER_URL: 'http://a.example.com http://b.example.com', AGENT_SERVER_API_KEY: 'key' })
  const [first, second] = attachedServers()
  expect(first?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(first?.id).not.toBe(second?.id)
  expect([first?.apiKey, Number.isNaN(Date.parse(first?.createdAt ?? ''))]).toEqual(['key', false])
  set({ AGENT_SERVER_URL: 'http://c.example.com http://a.example.com' })
  expect(attachedServers()[1]?.id).toBe(first?.id)
})

test.each([
  ['https://a.example.com', 'a.example.com'],
  ['https://a.example.com:8443/x/y//', 'a.example.com:8443/x/y'],
])('%s is called %s', (address, name) => {
  expect(nameOfAddress(address)).toBe(name)
})

describe('a session', () => {
  const account = { id: '0190a1b2-0000-4000-8000-000000000001', sessionVersion: 3 }

  test('begins now, with its own id, and says if its password is the initial one', () => {
    const claims = claimsFor(account)
    expect(claims).toMatchObject({ sub: account.id, version: 3 })
    expect(Math.abs(claims.signedInAt - Date.now())).toBeLessThan(5_000)
    expect('hasInitialPassword' in claims).toBe(false)
    expect(claimsFor(account).session).not.toBe(claims.session)
    expect(claimsFor({ ...account, hasInitialPassword: true }).hasInitialPassword).toBe(true)
  })

  test('lasts eight hours, and may begin a minute ahead of our clock', () => {
    const claims = { ...claimsFor(account), signedInAt: 1_000_000_000 }
    const end = 1_000_000_000 + 8 * 3_600_000
    expect(endOf(claims)).toBe(end)
    expect([end - 1, end].map((now) => isCurrent(claims, now))).toEqual([true, false])
    expect([60_000, 60_001].map((ms) => isCurrent(claims, 1_000_000_000 - ms))).toEqual([true, false])
    expect(stampOf(claims)).toEqual({ id: claims.session, version: 3, endsAt: end })
    expect(stampOf({ ...claims, hasInitialPassword: true }).hasInitialPassword).toBe(true)
  })

  test('is read from its cookie only with the same secret, and while it lasts', async () => {
    const claims = claimsFor(account)
    const cookie = await encodeSession(claims, { email: 'a@example.com', name: 'A' })
    expect(await decodeSession(cookie)).toEqual(claims)
    const old = await encodeSession({ ...claims, signedInAt: Date.now() - 9 * 3_600_000 }, { email: '', name: '' })
    for (const other of [undefined, '', 'x', `${cookie}x`, old]) expect(await decodeSession(other)).toBeNull()
    expect(await decodeSession(await encodeSession({ ...claims, sub: 'x' }, { email: '', name: '' }))).toBeNull()
    set({ NEXTAUTH_SECRET: 't'.repeat(32) })
    expect(await decodeSession(cookie)).toBeNull()
  })

  test('ends on time, although its cookie was read before', async () => {
    const cookie = await encodeSession(claimsFor(account), { email: 'a@example.com', name: 'A' })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.advanceTimersByTime(8 * 3_600_000 - 1_000)
      expect(await decodeSession(cookie)).not.toBeNull()
      vi.advanceTimersByTime(1_000)
      expect(await decodeSession(cookie)).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  test('has a cookie of its own for each console', () => {
    for (const [url, name, isSecure] of [
      ['http://localhost:3000', 'pilothouse-3000.session', false],
      ['http://console.example.com', 'pilothouse-80.session', false],
      ['https://console.example.com', '__Host-pilothouse.session', true],
    ] as const) {
      set({ NEXTAUTH_URL: url })
      expect([cookieName('session'), isHttps()]).toEqual([name, isSecure])
    }
  })
})

test.each([
  ['/api/auth/signin?callbackUrl=/a', '', undefined],
  ['/api/auth/signin?callbackUrl=', '', undefined],
  ['/api/auth/signin?callbackUrl=a', '', 400],
  ['/api/auth/signin?callbackUrl=ftp://a', '', 400],
  ['/api/auth/signin?callbackUrl=xhttp://a', '', 400],
  ['/api/auth/signin?callbackUrl=/a', 'CALLBACK=ftp%3A%2F%2Fa', 400],
  ['/api/auth/signin', 'CALLBACK=https%3A%2F%2Fconsole.example.com%2Fa', undefined],
  ['/api/auth/signin', 'x=1; CALLBACK=javascript%3Aalert(1); y=2', 400],
  ['/api/auth/signin', 'CALLBACK=', undefined],
  ['/api/auth/signin', 'NOT-CALLBACK=javascript%3Aalert(1)', undefined],
  ['/api/auth/_log/x', '', undefined],
])('a request to %s with the cookies "%s" is refused with %s', (path, cookies, status) => {
  const cookie = cookies.replace('CALLBACK', cookieName('callback'))
  const headers = new Headers(cookie ? { cookie } : {})
  expect(refuseAuthRequest({ method: 'GET', url: `http://localhost:3000${path}`, headers })?.status).toBe(status)
})
