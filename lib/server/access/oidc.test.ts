import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import NextAuth from 'next-auth'
// @ts-expect-error: the package has no types
import Provider from 'oidc-provider'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { GET as goOn } from '@/app/(auth)/sign-out/route'
import { type TestConsole, testConsole } from '../testing'
import { roleOf, sessionActor } from './actor'
import { authOptions } from './auth'
import { browser } from './testing'

// A full sign-in against a real OpenID provider, with a minimal browser that follows redirects and keeps cookies.
// Uses next-auth's older API with a request and a response, since the newer one needs Next's request scope.

const CONSOLE = 'http://localhost:3000'
const jar = browser.cookies
vi.mock('next/headers', () => import('./testing'))

const SETTINGS = {
  OIDC_CLIENT_ID: 'console',
  OIDC_CLIENT_SECRET: 'a client secret',
  OIDC_ROLE_MAP: 'operators=admin, staff=viewer',
  CONTROL_PLANE_URL: 'https://api.example.com',
}

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
      {
        client_id: 'console',
        client_secret: 'a client secret',
        redirect_uris: [`${CONSOLE}/api/auth/callback/oidc`],
        post_logout_redirect_uris: [`${CONSOLE}/sign-in`],
      },
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
  home = await testConsole({ ...SETTINGS, OIDC_ISSUER: issuer })
})
afterAll(async () => {
  await home.close()
  server.closeAllConnections()
  server.close()
  vi.restoreAllMocks()
})
beforeEach(() => jar.clear())

/** A server that answers every request with a document. */
async function startOther(document: () => unknown) {
  const other = createServer((_, response) => response.end(JSON.stringify(document()))).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}` // it listens on a port
  return { url, close: () => other.close() }
}

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
  let sent: unknown
  const response = {
    status: () => response,
    getHeader: (name: string) => headers.getSetCookie().filter(() => name === 'Set-Cookie'),
    setHeader(name: string, value: string | string[]) {
      headers.delete(name)
      for (const one of [value].flat()) headers.append(name, one)
      return response
    },
    json: (value: unknown) => {
      sent = value
    },
    send: (value: unknown) => {
      sent = value
    },
    end: () => {},
  }
  const request = { method: body ? 'POST' : 'GET', query, body, cookies: Object.fromEntries(jar), headers: {} }
  await NextAuth(request as never, response as never, authOptions())
  keep(headers, jar)
  return { json: sent as Record<string, string>, location: headers.get('location') ?? '' }
}

/** Signs in at the provider as `sub`, starting from the console. Returns where the browser ends up. */
async function signIn(sub: string, beforeReturn = () => {}, theirs = new Map<string, string>()): Promise<string> {
  const { csrfToken = '' } = (await ask(`${CONSOLE}/api/auth/csrf`)).json
  const begun = await ask(`${CONSOLE}/api/auth/signin/oidc`, {
    csrfToken,
    callbackUrl: `${CONSOLE}/default`,
    json: 'true',
  })
  const at = await browse(begun.json.url ?? '', theirs, (page) => {
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
    return prompt === 'login' ? { prompt, login: sub, password: 'any' } : { prompt }
  })
  beforeReturn()
  return (await ask(at)).location
}

/** Follows redirects and submits the provider's forms, until the address is the console's, which is returned. */
async function browse(from: string, theirs: Map<string, string>, fill: (page: string) => object) {
  let [at, form] = [from, undefined as Record<string, string> | undefined]
  for (let step = 0; step < 12; step += 1) {
    if (at.startsWith(CONSOLE)) return at
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
      ;[at, form] = [new URL(action, at).href, { ...fill(page) }]
    }
  }
  throw new Error(`The browser went on and on, last at ${at}.`)
}

/** Signs out like the user menu: at the console, then on its page that leads to the provider. */
async function signOut(): Promise<string> {
  const { csrfToken = '' } = (await ask(`${CONSOLE}/api/auth/csrf`)).json
  await ask(`${CONSOLE}/api/auth/signout`, { csrfToken, json: 'true' })
  await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' })
  return (await goOn()).headers.get('location') ?? ''
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

test.each(['pkce', 'state', 'nonce'])("a response without this browser's own %s is refused", async (name) => {
  groups = ['operators']
  const end = await signIn('ada', () => jar.delete(`pilothouse-3000.${name}`))
  expect(end).toContain('error=OAuthCallback')
  await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('signing out ends the session at the provider too, and returns to the sign-in page', async () => {
  groups = ['operators']
  const theirs = new Map<string, string>()
  await signIn('ada', () => {}, theirs)
  const url = new URL(await signOut())
  expect(url.origin).toBe(issuer)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'console',
    id_token_hint: expect.stringMatching(/^ey/),
    post_logout_redirect_uri: `${CONSOLE}/sign-in`,
  })
  const sessions = () => [...theirs.keys()].filter((name) => name === '_session')
  expect(sessions()).toHaveLength(1)
  const end = await browse(url.href, theirs, (page) => ({
    xsrf: /name="xsrf" value="(\w+)"/.exec(page)?.[1] ?? '',
    logout: 'yes',
  }))
  expect(end).toBe(`${CONSOLE}/sign-in`)
  expect(sessions()).toHaveLength(0)
  expect([...jar.keys()].filter((name) => /provider/.test(name))).toEqual([])
})

test.each([
  ['a provider that is down', 'http://127.0.0.1:1'],
  ['a provider without that endpoint', 'bare'],
  ['the document of another issuer', 'foreign'],
])('with %s the console signs out alone, and says so', async (_, kind) => {
  groups = ['operators']
  await signIn('ada')
  const document = { bare: () => ({ issuer: other.url }), foreign: () => ({ issuer, end_session_endpoint: issuer }) }
  const other = await startOther(() => document[kind as keyof typeof document]())
  home.set({ ...SETTINGS, OIDC_ISSUER: kind in document ? other.url : kind })
  expect(await signOut()).toBe('/sign-in?error=ProviderSignOut')
  other.close()
  home.set({ ...SETTINGS, OIDC_ISSUER: issuer })
})

test('a visit to the sign-out page during a session, as from another site, ends nothing', async () => {
  groups = ['operators']
  await signIn('ada')
  expect((await goOn()).headers.get('location')).toBe('/')
  expect(await sessionActor()).toMatchObject({ email: 'ada@example.com' })
  expect(new URL(await signOut()).origin).toBe(issuer)
})

test('a browser that came without the provider goes to the sign-in page', async () => {
  expect((await goOn()).headers.get('location')).toBe('/sign-in')
})
