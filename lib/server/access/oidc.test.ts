import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import NextAuth from 'next-auth'
// @ts-expect-error: the package has no types
import Provider from 'oidc-provider'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type TestConsole, testConsole } from '../testing'
import { roleOf, sessionActor } from './actor'
import { authOptions } from './auth'
import { browser } from './testing'

// A full sign-in against a real OpenID provider, with a minimal browser that follows redirects and keeps cookies.
// Uses next-auth's older API with a request and a response, since the newer one needs Next's request scope.

const CONSOLE = 'http://localhost:3000'
const jar = browser.cookies
vi.mock('next/headers', () => import('./testing'))

let home: TestConsole
let server: Server
let issuer: string
let groups: string[] = []

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  vi.spyOn(console, 'warn').mockReturnValue() // the provider warns about its development settings
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'console', client_secret: 'a client secret', redirect_uris: [`${CONSOLE}/api/auth/callback/oidc`] },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: 'From The Provider', groups }),
    }),
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
  })
  server.on('request', provider.callback())
  home = await testConsole({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'console',
    OIDC_CLIENT_SECRET: 'a client secret',
    OIDC_ROLE_MAP: 'operators=admin, staff=viewer',
    CONTROL_PLANE_URL: 'https://api.example.com',
  })
})
afterAll(async () => {
  await home.close()
  server.closeAllConnections()
  server.close()
  vi.restoreAllMocks()
})
beforeEach(() => jar.clear())

function keep(headers: Headers, into: Map<string, string>): void {
  for (const cookie of headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';')
    const at = pair.indexOf('=')
    const value = decodeURIComponent(pair.slice(at + 1))
    if (value === '') into.delete(pair.slice(0, at))
    else into.set(pair.slice(0, at), value)
  }
}

/** Requests one of the console's sign-in routes. Returns the JSON and the redirect target. */
async function ask(url: string, body?: Record<string, string>) {
  const { pathname, searchParams } = new URL(url)
  const query = { ...Object.fromEntries(searchParams), nextauth: pathname.split('/').slice(3) }
  const headers = new Headers()
  let answer: unknown
  const response = {
    status: () => response,
    getHeader: (name: string) => headers.getSetCookie().filter(() => name === 'Set-Cookie'),
    setHeader(name: string, value: string | string[]) {
      headers.delete(name)
      for (const one of [value].flat()) headers.append(name, one)
      return response
    },
    json: (value: unknown) => {
      answer = value
    },
    send: (value: unknown) => {
      answer = value
    },
    end: () => {},
  }
  const request = { method: body ? 'POST' : 'GET', query, body, cookies: Object.fromEntries(jar), headers: {} }
  await NextAuth(request as never, response as never, authOptions())
  keep(headers, jar)
  return { json: answer as Record<string, string>, location: headers.get('location') ?? '' }
}

/** Signs in at the provider as `sub`, starting from the console. Returns where the browser ends up. */
async function signIn(sub: string, beforeReturn = () => {}): Promise<string> {
  const { csrfToken = '' } = (await ask(`${CONSOLE}/api/auth/csrf`)).json
  const begun = await ask(`${CONSOLE}/api/auth/signin/oidc`, {
    csrfToken,
    callbackUrl: `${CONSOLE}/default`,
    json: 'true',
  })
  const theirs = new Map<string, string>()
  let [at, form] = [begun.json.url ?? '', undefined as Record<string, string> | undefined]
  for (let step = 0; step < 12; step += 1) {
    if (at.startsWith(CONSOLE)) {
      beforeReturn()
      return (await ask(at)).location
    }
    const cookie = [...theirs].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    keep(response.headers, theirs)
    const location = response.headers.get('location')
    if (location) [at, form] = [new URL(location, at).href, undefined]
    else {
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1]
      if (!action) throw new Error(`No form at ${at}: ${page.slice(0, 300)}`)
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
      ;[at, form] = [
        new URL(action, at).href,
        prompt === 'login' ? { prompt, login: sub, password: 'any' } : { prompt },
      ]
    }
  }
  throw new Error(`The sign-in went on and on, last at ${at}.`)
}

test('a user gets the role of their group and loses it with the group', async () => {
  groups = ['operators']
  expect(await signIn('ada')).toBe(`${CONSOLE}/default`)
  const actor = await sessionActor()
  expect(actor).toMatchObject({ email: 'ada@example.com', kind: 'user' })
  expect(await roleOf(actor, 'default')).toBe('admin')
  expect([...jar.keys()].filter((name) => /session/.test(name))).toEqual(['pilothouse-3000.session'])

  groups = ['staff']
  jar.clear()
  await signIn('ada')
  expect(await roleOf(await sessionActor(), 'default')).toBe('viewer')
  expect(await roleOf(actor, 'default')).toBe('viewer') // also for the earlier session
})

test('a user whose groups map to no role is refused', async () => {
  groups = ['visitors']
  expect(await signIn('eve')).toBe('/sign-in?error=AccessDenied')
  await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test.each(['pkce', 'state', 'nonce'])("an answer without this browser's own %s is refused", async (name) => {
  groups = ['operators']
  const end = await signIn('ada', () => jar.delete(`pilothouse-3000.${name}`))
  expect(end).toContain('error=OAuthCallback')
  await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' })
})
