import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pour, requestHead } from '@/scripts/checks/servers/pour.mjs'
import { cookieName, encodeSession } from '../access/session'
import { adoptEnv } from '../process/env'
import { metrics } from '../process/metrics'
import { BODY_LIMITS, HELD_LIMITS } from './body-limits'
import { startRequestGuard } from './request-guard'

const ORIGIN = 'http://localhost:3000'
const settings = { DATABASE_URL: 'postgres://x@127.0.0.1:1/x', NEXTAUTH_SECRET: 'x'.repeat(32) }
let server: Server
let port: number
/** What reached the server behind the guard. */
let handed: { method: string; size: number; forwardedFor: unknown; text: string }[]
/** Replaces the default handler, which reads the body and responds with 200. */
let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined

beforeAll(async () => {
  adoptEnv({ ...settings, NEXTAUTH_URL: undefined, TRUSTED_PROXIES: '' })
  startRequestGuard()
  server = createServer((request, response) => {
    if (handle && request.method !== 'GET') return handle(request, response)
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      const forwardedFor = request.headers['x-forwarded-for']
      handed.push({ method: request.method ?? '', size: body.length, forwardedFor, text: body.toString() })
      response.end('read')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  adoptEnv(undefined)
})
beforeEach(() => {
  handed = []
  handle = undefined
})

/** Without GET, the probes of another test file, whose upstream had this port before. `handle` does not get them either. */
const withoutProbes = () => handed.filter(({ method }) => method !== 'GET')

const sessionOf = async (sub = '0b0f1d9e-1d6f-4a53-8c8e-0d8f1d3f7c11') => {
  const claims = { sub, session: 's', version: 1, signedInAt: Date.now() }
  return `${cookieName('session')}=${await encodeSession(claims, { email: 'a@example.com', name: 'A' })}`
}
const open = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // a refused sender is cut off
  await once(socket, 'connect')
  return socket
}
const send = (line: string, headers: Record<string, string>, bytes: number) => pour(port, line, headers, bytes)

const MB = 1024 * 1024
// At once, because each connection is closed a second after its response.
test.concurrent.each([
  ['an anonymous upload to the sign-in callback', 'POST /api/auth/callback/credentials', 300],
  ['an anonymous action', 'POST /default/deployments', 200],
  ['an anonymous live request', 'POST /api/live', 200],
  ['a route that takes no body', 'POST /api/prices/default', 200],
])('%s of unknown length gets a 413 and is cut off', async (_, line, megabytes) => {
  const { response, isWhole } = await send(line, {}, megabytes * MB)
  expect(response).toMatch(/^HTTP\/1\.1 413 /)
  expect(response).toMatch(/connection: close/i)
  expect(isWhole).toBe(false)
  expect(withoutProbes()).toEqual([])
})

test('a session raises the limit to that of the path, and no further', async () => {
  const cookie = await sessionOf()
  const live = await send('POST /api/live', { cookie }, BODY_LIMITS.live)
  expect(live.response).toMatch(/^HTTP\/1\.1 200 /)
  const action = await pour(
    port,
    'POST /default',
    { cookie, origin: ORIGIN, 'next-action': 'a' },
    BODY_LIMITS.actions,
    {
      character: ' ',
      tail: '[]',
    },
  )
  expect(action.response).toMatch(/^HTTP\/1\.1 200 /)
  expect(withoutProbes().map(({ size }) => size)).toEqual([BODY_LIMITS.live, BODY_LIMITS.actions])
  const exceed = async (line: string, sub: string) => {
    const other = { cookie: await sessionOf(sub) }
    const { response, isWhole } = await send(line, other, 200 * MB)
    expect(response).toMatch(/^HTTP\/1\.1 413 /)
    expect(isWhole).toBe(false)
    // An account that sent too much has to wait before it may send much again; small requests are served.
    expect((await send(line, other, 128 * 1024)).response).toMatch(/^HTTP\/1\.1 503 /)
    expect((await send(line, other, 1024)).response).toMatch(/^HTTP\/1\.1 200 /)
  }
  const forge = async () => {
    const forged = await send('POST /default', { cookie: cookie.slice(0, -4) }, 200 * MB)
    expect(forged.response).toMatch(/^HTTP\/1\.1 413 /)
  }
  await Promise.all([
    exceed('POST /api/live', '1b0f1d9e-1d6f-4a53-8c8e-0d8f1d3f7c11'),
    exceed('POST /default', '2b0f1d9e-1d6f-4a53-8c8e-0d8f1d3f7c11'),
    forge(),
  ])
})

test('a declared length over the limit is refused before any of the body arrives', async () => {
  const socket = await open()
  socket.write(requestHead('POST /api/auth/callback/credentials', { 'content-length': String(300 * MB) }))
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 413 /)
  await once(socket, 'close')
})

test('a request is handed on only when its body is complete', async () => {
  const socket = await open()
  socket.write(requestHead('POST /api/auth/signout', { 'content-length': '10' }))
  socket.write('12345')
  const other = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect(await other.text()).toBe('read')
  expect(handed.map(({ method }) => method)).toEqual(['GET'])
  socket.write('67890')
  await once(socket, 'data')
  expect(handed[1]).toMatchObject({ method: 'POST', text: '1234567890' })
  // The connection serves further requests, with and without a body.
  socket.write(
    `${requestHead('POST /api/auth/signout', { 'content-length': '3' })}abc${requestHead('GET /healthz', {})}`,
  )
  await once(socket, 'data')
  await expect.poll(() => handed.map(({ text }) => text)).toEqual(['', '1234567890', 'abc', ''])
  socket.destroy()
})

test('the large bodies of one account take a limited amount of memory, and other accounts are served', async () => {
  const unread: (() => void)[] = []
  handle = (request, response) =>
    unread.push(() => {
      request.resume()
      response.end('late')
    })
  const cookie = await sessionOf()
  const full = HELD_LIMITS.account / BODY_LIMITS.actions
  const requests = Array.from({ length: full }, () => send('POST /default', { cookie }, BODY_LIMITS.actions))
  await expect.poll(() => unread.length, { timeout: 10_000 }).toBe(full)
  const refused = await send('POST /default', { cookie }, BODY_LIMITS.actions)
  expect(refused.response).toMatch(/^HTTP\/1\.1 503 /)
  expect(refused.response).toMatch(/retry-after/i)
  const other = send('POST /default', { cookie: await sessionOf('9b0f1d9e-1d6f-4a53-8c8e-0d8f1d3f7c11') }, MB)
  await expect.poll(() => unread.length).toBe(full + 1)
  for (const finish of unread) finish()
  for (const { response } of await Promise.all([...requests, other])) expect(response).toMatch(/^HTTP\/1\.1 200 /)
  handle = undefined
  const again = await send('POST /default', { cookie }, BODY_LIMITS.actions)
  expect(again.response).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  ['nested arrays', `[${'['.repeat(600)}`, 400],
  ['nested objects', '{"a":'.repeat(600), 400],
  ['brackets in a string', `["${'['.repeat(600)}\\"${'{'.repeat(600)}"]`, 200],
])('an action with %s', async (_, body, status) => {
  const response = await fetch(`http://127.0.0.1:${port}/default`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'next-action': 'a', 'content-type': 'text/plain' },
    body,
  })
  expect(response.status).toBe(status)
  await response.text()
})

test.each([
  ['no text', '', 400],
  ['no JSON', '{', 400],
  ['broken UTF-8 for JSON', Buffer.from([0xff, 0xfe]), 400],
  ['a number', '1e999', 400],
  ['null', 'null', 400],
  ['an object', '{"length":1}', 400],
  ['a reference to a file', '[{"a":"$B1"}]', 400],
  ['a reference after a list', '["a", "$Q1"]', 400],
  ['a reference to another part', '["$1"]', 400],
  ['a reference that looks escaped', '["a\\\\","$1"]', 400],
  ['a number that is none', '["$nx"]', 400],
  ['plain arguments', '[{"a":["b",1,null]},"$undefined","$-0","$n12","$D2026-01-01T00:00:00.000Z"]', 200],
  ['text that begins with a dollar sign', '["$$1"]', 200],
  ['text with quotes and dollar signs', '["a \\"$1\\", \\"$B1\\"", ": $1"]', 200],
  ['keys of a query', '[{"$and": [{"$eq" : 1}]}]', 200],
  ['no arguments', '[]', 200],
])('an action with %s', async (_, body, status) => {
  const answer = await fetch(`http://127.0.0.1:${port}/default`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'next-action': 'a', 'content-type': 'text/plain' },
    body,
  })
  expect(answer.status).toBe(status)
  await answer.text()
})

test.each([
  ['none', {}],
  ['null', { origin: 'null' }],
  ['broken', { origin: 'x' }],
  ['of another site', { origin: 'https://evil.example.com' }],
  [
    'of another site, which a header makes ours',
    { origin: 'https://evil.example.com', 'x-forwarded-host': 'evil.example.com' },
  ],
])('an action with an origin that is %s is answered 403', async (_, headers: Record<string, string>) => {
  const answer = await fetch(`http://127.0.0.1:${port}/default`, {
    method: 'POST',
    headers: { 'next-action': 'a', 'content-type': 'text/plain', ...headers },
    body: '[]',
  })
  expect(answer.status).toBe(403)
  expect(withoutProbes()).toEqual([])
})

test('Next.js compares the origin of an action with itself, whatever a proxy says', async () => {
  let host: unknown
  handle = (request, response) => {
    host = request.headers['x-forwarded-host']
    response.end()
  }
  const headers = { origin: ORIGIN, 'next-action': 'a', 'x-forwarded-host': 'inner:1' }
  expect((await fetch(`http://127.0.0.1:${port}/default`, { method: 'POST', headers, body: '[]' })).status).toBe(200)
  expect(host).toBe('localhost:3000')
})

test.each(['/%ff', '/default/%zz/runs', '/api/auth/%c0%80', '/api/prices/a%00'])(
  'the address %s is answered 400',
  async (address) => {
    const answer = await fetch(`http://127.0.0.1:${port}${address}?a=%ff`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid' })
    expect((await fetch(`http://127.0.0.1:${port}/caf%C3%A9?a=%ff`)).status).toBe(200)
  },
)

test('an address is refused whose redirect would have more headers than a client reads', async () => {
  const ask = async (length: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/${'x'.repeat(length - 1)}`)
    return [answer.status, answer.status === 200 || ((await answer.json()) as { code: string }).code]
  }
  expect([await ask(7_000), await ask(7_001)]).toEqual([
    [200, true],
    [414, 'too_large'],
  ])
})

test('methods and form data that the console does not take are refused', async () => {
  const socket = await open()
  socket.write(requestHead('TRACE /', {}))
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 405 .*allow: GET, HEAD, POST, OPTIONS/is)
  const patch = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'PATCH' })
  expect([(await patch('/default')).status, (await patch('/api/v1/deployments/a')).status]).toEqual([405, 200])
  const form = new FormData()
  form.set('a', 'b')
  const posted = await fetch(`http://127.0.0.1:${port}/sign-in`, { method: 'POST', body: form })
  expect(posted.status).toBe(415)
  expect(withoutProbes()).toMatchObject([{ method: 'PATCH' }])
})

test('X-Forwarded-For becomes the client, which only a trusted proxy may name', async () => {
  const seen = async () => {
    await (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': '6.6.6.6, 1.2.3.4' } })).text()
    return handed.at(-1)?.forwardedFor
  }
  expect(await seen()).toBe('127.0.0.1')
  adoptEnv({ ...settings, TRUSTED_PROXIES: '127.0.0.0/8' })
  expect(await seen()).toBe('1.2.3.4')
  adoptEnv({ ...settings, TRUSTED_PROXIES: '127.0.0.1, 1.2.3.4' })
  expect(await seen()).toBe('6.6.6.6')
  adoptEnv(settings)
})

test('an idle connection is kept for longer than proxies keep theirs', async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  await answer.text()
  expect(answer.headers.get('keep-alive')).toBe('timeout=75')
})

test('with sign-in by link, a request for a foreign host is refused before anything reads it', async () => {
  adoptEnv({ ...settings, PILOTHOUSE_SIGN_IN: 'link' })
  const ask = (host: string) => fetchRaw(`GET /sign-in/link?token=x HTTP/1.1\r\nHost: ${host}`)
  expect(await ask('rebound.example.com:3000')).toMatch(/^HTTP\/1\.1 421 /)
  expect(handed).toEqual([])
  expect(await ask('localhost:3000')).toMatch(/^HTTP\/1\.1 200 /)
  adoptEnv(settings)
  expect(await ask('proxied.example.com')).toMatch(/^HTTP\/1\.1 200 /)
})

async function fetchRaw(head: string): Promise<string> {
  const socket = await open()
  socket.write(`${head}\r\nConnection: close\r\n\r\n`)
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

test('requests are counted by route, method and status, and made-up ones make no new labels', async () => {
  const counted = async () => {
    const { values } = await metrics().requests.get()
    return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
  }
  const before = await counted()
  const get = async (path: string, init?: RequestInit) => (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
  for (const path of [
    '/api/runs/a-workspace',
    '/api/made-up-1',
    '/api/made-up-2',
    '/one/page',
    '/_next/x.js',
    '/readyz',
  ])
    expect(await get(path)).toBe(200)
  expect(await get('/api/runs/x', { method: 'DELETE' })).toBe(405)
  const after = await counted()
  const grown = Object.entries(after).filter(([labels, value]) => value > (before[labels] ?? 0))
  expect(Object.fromEntries(grown.map(([labels, value]) => [labels, value - (before[labels] ?? 0)]))).toEqual({
    '/api/runs GET 200': 1,
    '/api/other GET 200': 2,
    'page GET 200': 1,
    'asset GET 200': 1,
    '/readyz GET 200': 1,
    '/api/runs other 405': 1,
  })
})

test('a client that leaves before the answer is counted as such', async () => {
  const left = async () => {
    const { values } = await metrics().requests.get()
    return values.find(({ labels }) => labels.route === '/api/live' && labels.status === 499)?.value ?? 0
  }
  const before = await left()
  const arrived = new Promise((resolve) => {
    handle = resolve // and never answers
  })
  const socket = await open()
  socket.write(`${requestHead('POST /api/live', { 'content-length': '2' })}{}`)
  await arrived
  socket.destroy()
  await expect.poll(left).toBe(before + 1)
})
