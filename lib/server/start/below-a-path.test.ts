import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { localPath } from '@/components/auth/local-path'
import { navigation } from '@/lib/navigation'
import { authOptions } from '../access/auth'
import { isOwnOrigin } from '../access/origin'
import { serveHttpApi } from '../http-api/serve'
import { adoptEnv, env, parseEnv } from '../process/env'
import { compressedFiles } from '../transport/compressed-files'
import { LIVE_PATH } from '../transport/node-response'
import { startRequestGuard } from '../transport/request-guard'

/** As in a build for this path. */
vi.mock('@/lib/base-path', async (original) => {
  const real = await original<typeof import('@/lib/base-path')>()
  return { ...real, BASE_PATH: '/ops/console', ...real.pathsBelow('/ops/console') }
})

const least = { DATABASE_URL: 'postgres://x@127.0.0.1:1/x', NEXTAUTH_SECRET: 'x'.repeat(32) }
const URL_BELOW = 'https://example.com/ops/console'
beforeEach(() => adoptEnv({ ...least, NEXTAUTH_URL: URL_BELOW }))
afterEach(() => {
  adoptEnv(undefined)
  vi.unstubAllEnvs()
})

describe('the public address', () => {
  test.each(['', '/', '/ops', '/ops/console/more', '/OPS/console'])('with the path %j is refused', (path) => {
    const start = () => parseEnv({ ...least, NEXTAUTH_URL: `https://example.com${path}` })
    expect(start).toThrow('NEXTAUTH_URL: must have the path /ops/console, because the console was built so.')
    expect(start).toThrow('build argument PILOTHOUSE_BASE_PATH')
  })

  test('with the path of the build is accepted, with a slash at its end too', () => {
    expect(parseEnv({ ...least, NEXTAUTH_URL: `${URL_BELOW}/` }).NEXTAUTH_URL).toBe(URL_BELOW)
  })

  test('has the path of the build if it is not set', () => {
    expect(parseEnv({ ...least, PORT: '8080' }).NEXTAUTH_URL).toBe('http://localhost:8080/ops/console')
  })

  test('tells next-auth where its routes are', () => {
    adoptEnv(undefined)
    for (const [name, value] of Object.entries({ ...least, NEXTAUTH_URL: URL_BELOW })) vi.stubEnv(name, value)
    expect(env().NEXTAUTH_URL).toBe(URL_BELOW)
    expect(process.env.NEXTAUTH_URL).toBe(`${URL_BELOW}/api/auth`)
  })

  test('is where the HTTP API says that it is', async () => {
    const answer = await serveHttpApi(new Request('http://127.0.0.1:3000/api/v1/openapi.json'))
    expect((await answer.json()).servers).toEqual([{ url: `${URL_BELOW}/api/v1` }])
  })

  test('lets in requests of its own pages and of no other host', () => {
    expect(isOwnOrigin(new Headers({ origin: 'https://example.com' }))).toBe(true)
    expect(isOwnOrigin(new Headers({ origin: 'https://evil.example.com', host: 'example.com' }))).toBe(false)
    expect(isOwnOrigin(new Headers({ origin: 'http://example.com' }))).toBe(false)
  })
})

describe('cookies', () => {
  test.each([
    [URL_BELOW, '__Secure-pilothouse-ops-console.session', true],
    ['http://example.com:8080/ops/console', 'pilothouse-8080-ops-console.session', false],
  ])('of %s are limited to the path', (address, name, secure) => {
    adoptEnv({ ...least, NEXTAUTH_URL: address })
    const { cookies } = authOptions()
    expect(cookies?.sessionToken?.name).toBe(name)
    for (const cookie of Object.values(cookies ?? {})) {
      expect(cookie.options).toMatchObject({ httpOnly: true, sameSite: 'lax', path: '/ops/console', secure })
      expect(cookie.options).not.toHaveProperty('domain')
    }
  })
})

describe('sign-in', () => {
  test('has its page below the path', () => {
    expect(Object.values(authOptions().pages ?? {})).toEqual(Array(3).fill('/ops/console/sign-in'))
  })

  test.each([
    ['/ops/console/local?a=b', `${URL_BELOW}/local?a=b`],
    [`${URL_BELOW}/local`, `${URL_BELOW}/local`],
    [URL_BELOW, URL_BELOW],
    // The other sites of the host are none of ours.
    ['https://example.com', URL_BELOW],
    ['/admin', URL_BELOW],
    ['/ops/console/../../admin', URL_BELOW],
    ['/ops/consoles', URL_BELOW],
    ['https://evil.example.com/ops/console', URL_BELOW],
  ])('that asks for %j leads to %s', async (url, place) => {
    expect(await authOptions().callbacks?.redirect?.({ url, baseUrl: 'https://example.com' })).toBe(place)
  })

  test.each([
    ['/local/runs', '/local/runs'],
    // A workspace may be called like the path.
    ['/ops/console/runs', '/ops/console/runs'],
    [`${URL_BELOW}/local/runs?a=b`, '/local/runs?a=b'],
    ['https://example.com/admin', '/'],
  ])('shows %j as our own path %s', (given, path) => expect(localPath(given)).toBe(path))
})

test.each([
  ['/local/runs', true],
  ['/local', false],
  ['https://example.com/ops/console/local', false],
])('with /local shown, the framework’s %s makes a page be under way: %s', (url, isUnderWay) => {
  vi.stubGlobal('location', new URL(`${URL_BELOW}/local`))
  navigation.begin(url)
  expect(navigation.get()).toBe(isUnderWay)
  navigation.end()
  vi.unstubAllGlobals()
})

describe('the server', () => {
  let server: Server
  let root: string
  let reached: (string | undefined)[] = []
  beforeAll(async () => {
    adoptEnv({ ...least, NEXTAUTH_URL: URL_BELOW })
    startRequestGuard()
    server = createServer((request, response) => {
      reached.push(request.url)
      response.end('read')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    reached = []
  })

  test.each(['/', '/local', '/api/auth/csrf', '/ops/consoles', '/ops', '/_next/static/a.js', '/%6Fps/console'])(
    'answers 404 to %s, which is of another site',
    async (path) => {
      const answer = await fetch(root + path)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ code: 'not_found', message: 'This console is below /ops/console.' })
      expect(reached).toEqual([])
    },
  )

  test.each(['/ops/console', '/ops/console/', '/ops/console/local?a=b', LIVE_PATH])('serves %s', async (path) => {
    expect((await fetch(root + path)).status).toBe(200)
    expect(reached).toEqual([path])
  })
  test('has its live channel below the path', () => expect(LIVE_PATH).toBe('/ops/console/api/live'))

  test.each(['/healthz', '/readyz', '/metrics', '/readyz?x=1'])('serves %s at the top too', async (path) => {
    expect((await fetch(root + path)).status).toBe(200)
    expect(reached).toEqual([`/ops/console${path}`])
  })

  test('finds the compressed forms of its scripts', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-static-'))
    writeFileSync(path.join(folder, 'a.js.br'), '')
    expect([...compressedFiles(folder)]).toEqual(['/ops/console/_next/static/a.js'])
    rmSync(folder, { recursive: true })
  })

  test('limits bodies and forms by its own path', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ a: 'b' }) }
    expect((await fetch(`${root}/ops/console/local`, form)).status).toBe(415)
    expect((await fetch(`${root}/ops/console/api/prices/local`, { method: 'POST', body: 'x' })).status).toBe(413)
    expect((await fetch(`${root}/ops/console/api/v1/token`, { method: 'DELETE' })).status).toBe(200)
    expect((await fetch(`${root}/ops/console/local`, { method: 'DELETE' })).status).toBe(405)
  })
})
